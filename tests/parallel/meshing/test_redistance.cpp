// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/halo.hpp"
#include "meshing/lattice.hpp"
#include "meshing/redistance.hpp"
#include "support/layout_cases.hpp"

#include <cmath>

namespace freshet {
namespace {

using namespace meshing;

using test::world;

/// Largest error of the distance to a sphere in the band, over its radius, from a function that is none.
double sphere_error(int blocks) {
  DomainOptions box;
  box.cells = Vec3i::Constant(8 * blocks);
  const Domain domain(box);
  std::vector<BlockKey> keys;
  for (int k = 0; k < blocks; ++k)
    for (int j = 0; j < blocks; ++j)
      for (int i = 0; i < blocks; ++i) keys.push_back(morton_key({i, j, k}));
  const BlockLayout layout(world(), domain, uniform_splitters(domain, world().size()), keys);
  const double radius = 0.3 * 8 * blocks;
  const Vec3 center = Vec3::Constant(4.0 * blocks) + Vec3(0.13, -0.21, 0.34);
  const auto distance = [&](LocalIndex b, int c) {
    return ((layout.first_cell(b) + Vec3i(c & 7, c >> 3 & 7, c >> 6)).cast<double>() + Vec3::Constant(0.5) - center)
               .norm() -
           radius;
  };
  CellField<float> phi(layout, no_value);
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int c = 0; c < 512; ++c) {
      const double d = distance(b, c) / radius;
      phi.block(b)[c] = static_cast<float>(radius * (std::pow(1.0 + d, 3) - 1.0));  // steeper outside than inside
    }
  redistance(phi, 3.0F);
  double largest = 0.0;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int c = 0; c < 512; ++c) {
      const double d = distance(b, c);
      if (std::abs(d) < 2.0)
        largest = std::max(largest, std::abs(phi.block(b)[c] - d));
      else
        EXPECT_EQ(phi.block(b)[c] < 0.0F, d < 0.0);
      EXPECT_LE(std::abs(phi.block(b)[c]), 3.0F);
    }
  return world().max(largest) / radius;
}

TEST(Redistance, error_of_a_sphere_falls_with_the_square_of_the_cell_size) {
  const double coarse = sphere_error(4), fine = sphere_error(8);
  EXPECT_LT(coarse, 0.05);
  EXPECT_GT(coarse / fine, 3.2) << coarse << " " << fine;  // 4 in the limit
}

}  // namespace
}  // namespace freshet
