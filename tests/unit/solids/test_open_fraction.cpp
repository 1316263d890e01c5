// SPDX-License-Identifier: Apache-2.0
#include "../src/solids/open_fraction.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace freshet {
namespace {

constexpr double rounding = 1e-15;  // of a handful of operations on numbers of order one

TEST(OpenFraction, of_an_edge_is_where_the_line_crosses_zero) {
  EXPECT_EQ(positive_part(1.0, 2.0), 1.0);
  EXPECT_EQ(positive_part(-1.0, 0.0), 0.0);
  EXPECT_NEAR(positive_part(-1.0, 3.0), 0.75, rounding);
  EXPECT_NEAR(positive_part(3.0, -1.0), 0.75, rounding);
}

TEST(OpenFraction, of_a_triangle_by_hand) {
  EXPECT_NEAR(positive_part(1.0, -1.0, -1.0), 0.25, rounding);
  EXPECT_NEAR(positive_part(-1.0, 1.0, -3.0), 0.5 * 0.25, rounding);
  EXPECT_NEAR(positive_part(1.0, 1.0, -1.0), 0.75, rounding);
  EXPECT_NEAR(positive_part(0.0, -1.0, -1.0), 0.0, rounding);
  EXPECT_EQ(positive_part(1.0, 1.0, 0.5), 1.0);
}

TEST(OpenFraction, of_a_square_is_exact_for_planes) {
  // values of n.x - w over the unit square: the area beyond the line by integrating its chord
  for (const double angle : {0.0, 0.3, 0.9, 1.5, 2.4, 4.0})
    for (const double w : {-0.2, 0.1, 0.4, 0.7, 1.2}) {
      const double a = std::cos(angle);
      const double b = std::sin(angle);
      const auto value = [&](double x, double y) { return a * x + b * y - w; };
      double area = 0.0;
      constexpr int n = 4000;  // the midpoint rule is off by 1/n^2 at the kinks
      for (int i = 0; i < n; ++i) {
        const double x = (i + 0.5) / n;
        area += positive_part(value(x, 0.0), value(x, 1.0)) / n;
      }
      EXPECT_NEAR(positive_part(value(0, 0), value(1, 0), value(1, 1), value(0, 1)), area, 1e-6) << angle << " " << w;
    }
}

TEST(OpenFraction, inside_and_outside_add_up) {
  const double v[] = {0.3, -0.2, 0.7, -0.9};
  EXPECT_NEAR(positive_part(v[0], v[1], v[2], v[3]) + positive_part(-v[0], -v[1], -v[2], -v[3]), 1.0, rounding);
}

TEST(CoveredPart, size_and_middle_are_exact_for_planes) {
  for (const double angle : {0.0, 0.3, 0.9, 1.5, 2.4, 4.0})
    for (const double w : {-0.6, -0.2, 0.1, 0.4, 0.7}) {
      const auto value = [&](double x, double y) { return std::cos(angle) * x + std::sin(angle) * y - w; };
      double size = 0.0, first = 0.0, second = 0.0;
      constexpr int n = 1000;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const double x = (i + 0.5) / n - 0.5, y = (j + 0.5) / n - 0.5;
          if (value(x, y) > 0.0) continue;
          size += 1.0 / (n * n);
          first += x / (n * n);
          second += y / (n * n);
        }
      const CoveredPart part = covered_part(value(-0.5, -0.5), value(0.5, -0.5), value(0.5, 0.5), value(-0.5, 0.5));
      EXPECT_NEAR(part.size, size, 2.0 / n) << angle << " " << w;
      EXPECT_NEAR(part.moment.x(), first, 1.0 / n) << angle << " " << w;
      EXPECT_NEAR(part.moment.y(), second, 1.0 / n) << angle << " " << w;
    }
}

TEST(CoveredPart, of_an_edge_ends_where_the_line_crosses_zero) {
  EXPECT_NEAR(covered_part(-1.0, 3.0).size, 0.25, rounding);
  EXPECT_NEAR(covered_part(-1.0, 3.0).middle().x(), -0.375, rounding);
  EXPECT_NEAR(covered_part(3.0, -1.0).middle().x(), 0.375, rounding);
  EXPECT_EQ(covered_part(-1.0, -1.0).size, 1.0);
  EXPECT_EQ(covered_part(-1.0, -1.0).middle().x(), 0.0);
  EXPECT_EQ(covered_part(1.0, 1.0).size, 0.0);
}

}  // namespace
}  // namespace freshet
