// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/grid_advection.hpp"
#include "freshet/grid/halo.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

using test::make_domain;
using test::world;

constexpr double cell_size = 0.5;
constexpr int reach = 5;

/// The velocity along x of a shear flow, a cubic polynomial of y [cells]. [m/s]
double shear(double y) {
  return 0.3 + 0.02 * y - 0.004 * y * y + 0.0003 * y * y * y;
}

/// Cells so far from the sides that no path and no sample of theirs comes from outside.
bool is_inside(const BlockLayout& layout, LocalIndex b, int c) {
  const Vec3i cell = layout.first_cell(b) + with_shape(layout.domain().dimension(),
                                                       [&](auto shape) { return Vec3i(decltype(shape)::place(c)); });
  for (int d = 0; d < layout.domain().dimension(); ++d)
    if (cell[d] < reach || cell[d] >= layout.domain().cells()[d] - reach) return false;
  return true;
}

/// Advect the shear flow with a velocity of v across and along its layers, and return its largest error inside.
double largest_error(int dimension, double v, double dt) {
  const Domain domain =
      make_domain(dimension, Vec3i(24, 24, dimension == 3 ? 24 : 1), FaceCondition::free_slip, cell_size);
  const BlockLayout layout(world(), domain, uniform_splitters(domain, world().size()), test::all_blocks(domain));
  FaceField<double> velocity(layout), result(layout);
  CellField<std::uint8_t> marks(layout);
  const auto y_of = [&](LocalIndex b, int c) { return layout.first_cell(b).y() + c / block_width % block_width + 0.5; };
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int c = 0; c < layout.cells_per_block(); ++c) {
      velocity[0].block(b)[c] = shear(y_of(b, c));
      for (int d = 1; d < dimension; ++d) velocity[d].block(b)[c] = v;
      for (int d = 0; d < dimension; ++d) result[d].block(b)[c] = -1.0;
      marks.block(b)[c] = is_inside(layout, b, c) ? 7 : 0;
    }
  layout.halo().gather(velocity, reach);
  advect_faces(velocity, marks, dt, reach, result);
  double largest = 0.0;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int c = 0; c < layout.cells_per_block(); ++c) {
      if (marks.block(b)[c] == 0) {
        EXPECT_EQ(result[0].block(b)[c], -1.0);  // faces without a mark stay
        continue;
      }
      largest = std::max(largest, std::abs(result[0].block(b)[c] - shear(y_of(b, c) - v * dt / cell_size)));
      for (int d = 1; d < dimension; ++d) largest = std::max(largest, std::abs(result[d].block(b)[c] - v));
    }
  return largest;
}

/// But for the rounding of floats: velocities of up to 1 m/s, at places rounded to 1e-6 cells of a slope of 0.2.
TEST(GridAdvection, carries_a_cubic_shear_without_error) {
  for (const int dimension : {2, 3})
    for (const double v : {0.0, 0.37, -0.8}) EXPECT_LT(largest_error(dimension, v, 1.0), 3e-7) << dimension << ' ' << v;
}

TEST(GridAdvection, bounds_paths_to_the_ghosts) {
  // a path of 12 cells ends at 3: the values are wrong, but none is read from beyond the ghosts
  EXPECT_TRUE(std::isfinite(largest_error(3, 6.0, 1.0)));
}

}  // namespace
}  // namespace freshet
