// SPDX-License-Identifier: Apache-2.0
#include "../src/solids/ball_in_cell.hpp"

#include <gtest/gtest.h>

#include <random>

namespace freshet {
namespace {

/// Put random balls about a cell, and compare what is known of them with what CellParts finds.
template <int dim>
void compare_random_balls() {
  std::mt19937 random(7);
  const auto between = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
  };
  int n_whole = 0, n_known = 0, n_cut = 0;
  for (int n = 0; n < 200'000; ++n) {
    const double radius = n % 3 == 0 ? between(0.05, 0.7) : between(0.7, 6.0);
    const Vec3 low(between(-9.0, 9.0), between(-9.0, 9.0), between(-9.0, 9.0));
    Vec3 out(between(-1.0, 1.0), between(-1.0, 1.0), dim == 3 ? between(-1.0, 1.0) : 0.0);
    out.normalize();
    Vec3 middle = low;
    middle.head<dim>().array() += 0.5;
    const Vec3 center = middle + (radius + between(-0.9, 0.9)) * out;
    const auto distance = [&](const Vec3& x) { return (x - center).norm() - radius; };
    double corner[CellParts<dim>::n_corners];
    for (int m = 0; m < CellParts<dim>::n_corners; ++m)
      corner[m] = distance(low + Vec3(m & 1, m >> 1 & 1, dim == 3 ? m >> 2 & 1 : 0));
    const bool may_be_cut = CellParts<dim>::may_be_cut(corner, low, distance);
    const bool leaves_whole = BallInCell<dim>(center, radius, low).leaves_whole(corner);
    ASSERT_FALSE(may_be_cut && leaves_whole)
        << "radius " << radius << ", center " << center.transpose() << ", cell " << low.transpose();
    n_cut += may_be_cut ? 1 : 0;
    n_whole += may_be_cut ? 0 : 1;
    n_known += leaves_whole ? 1 : 0;
  }
  EXPECT_GT(n_cut, 1000);
  EXPECT_GT(n_known, 98 * (n_whole / 100));  // others come within rounding of an edge or a middle
}

TEST(BallInCell, a_cell_is_known_to_be_whole_only_where_no_ball_may_cut_it) {
  compare_random_balls<2>();
  compare_random_balls<3>();
}

}  // namespace
}  // namespace freshet
