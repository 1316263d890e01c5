// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/prescribed.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace freshet {
namespace {

struct Cube {
  explicit Cube(int n)
      : domain(test::make_domain(3, {n, n, n}, FaceCondition::free_slip, 1.0 / n)),
        layout(test::world(), domain, uniform_splitters(domain, 1), test::all_blocks(domain)),
        velocity(layout) {}
  double face(int axis, const Vec3i& cell) const {
    const Vec3i block(cell.x() / 8, cell.y() / 8, cell.z() / 8);
    const Vec3i in_block = cell - 8 * block;
    const double* values = velocity[axis].block(layout.find(morton_key(block)));
    return values[in_block.x() + 8 * (in_block.y() + 8 * in_block.z())];
  }
  Domain domain;
  BlockLayout layout;
  FaceField<double> velocity;
};

TEST(Enright, a_face_by_hand) {
  Cube cube(16);
  set_enright_velocity(0.0, cube.velocity);
  const double pi = std::numbers::pi;
  const Vec3 x(4.0 / 16, 2.5 / 16, 6.5 / 16);  // the low x face of cell (4, 2, 6)
  const double u = 2 * std::pow(std::sin(pi * x.x()), 2) * std::sin(2 * pi * x.y()) * std::sin(2 * pi * x.z());
  EXPECT_NEAR(cube.face(0, {4, 2, 6}), u, 1e-14);
  EXPECT_EQ(cube.face(0, {0, 2, 6}), 0.0);  // on the wall
}

TEST(Enright, the_flow_stops_at_half_its_period_and_then_reverses) {
  Cube before(16), after(16);
  set_enright_velocity(0.5 * enright_period, before.velocity);
  EXPECT_NEAR(before.face(1, {4, 6, 10}), 0.0, 1e-15);
  set_enright_velocity(0.2 * enright_period, before.velocity);
  set_enright_velocity(0.8 * enright_period, after.velocity);
  for (int d = 0; d < 3; ++d) EXPECT_NEAR(before.face(d, {4, 6, 10}), -after.face(d, {4, 6, 10}), 1e-15);
  EXPECT_GT(std::abs(before.face(1, {4, 6, 10})), 0.1);
}

/// The differences of sin^2 over a cell have one common factor along all axes, so that they cancel as the derivatives
/// do.
TEST(Enright, no_cell_has_a_divergence) {
  constexpr int n = 16;
  Cube cube(n);
  set_enright_velocity(0.1, cube.velocity);
  for (int k = 0; k < n - 1; ++k)
    for (int j = 0; j < n - 1; ++j)
      for (int i = 0; i < n - 1; ++i) {
        const Vec3i cell(i, j, k);
        double divergence = 0.0;
        for (int d = 0; d < 3; ++d) divergence += n * (cube.face(d, cell + Vec3i::Unit(d)) - cube.face(d, cell));
        ASSERT_NEAR(divergence, 0.0, 1e-13);  // sums of numbers up to 16
      }
}

TEST(Enright, no_component_exceeds_the_bound) {
  Cube cube(32);
  set_enright_velocity(0.0, cube.velocity);
  double largest = 0.0;
  for (int d = 0; d < 3; ++d)
    for (LocalIndex b = 0; b < cube.layout.n_owned(); ++b)
      for (int c = 0; c < 512; ++c) largest = std::max(largest, std::abs(cube.velocity[d].block(b)[c]));
  EXPECT_LE(largest, enright_speed);
  EXPECT_GT(largest, 0.9 * enright_speed);
}

}  // namespace
}  // namespace freshet
