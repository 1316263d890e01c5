// SPDX-License-Identifier: Apache-2.0
#include "freshet/solids/body_in_cell.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace freshet {
namespace {

constexpr double dx = 0.05;
constexpr double pi = std::numbers::pi;

/// The sum over the cells around a body. Lengths in cells, from the origin.
BodyInCell sum_over_cells(const Shape& shape, int dimension) {
  BodyInCell sum;
  const int reach = 12;
  for (int k = dimension == 3 ? -reach : 0; k < (dimension == 3 ? reach : 1); ++k)
    for (int j = -reach; j < reach; ++j)
      for (int i = -reach; i < reach; ++i) {
        const Vec3 center(i + 0.5, j + 0.5, k + 0.5);
        const BodyInCell part = body_in_cell(shape, dx * center, dx, dimension);
        EXPECT_GE(part.volume, 0.0);
        EXPECT_LE(part.volume, 1.0 + 1e-12);
        sum.volume += part.volume;
        sum.moment += part.volume * center + part.moment;
      }
  return sum;
}

/// A box in the middle of some cell, turned about an axis. Lengths in cells.
ShapeParameters box(const Vec3& size, double angle, const Vec3& at, const Vec3& axis = Vec3::UnitZ()) {
  ShapeParameters parameters;
  parameters.kind = ShapeKind::box;
  parameters.lower = -0.5 * dx * size;
  parameters.upper = 0.5 * dx * size;
  parameters.transform.axis = axis;
  parameters.transform.angle = angle;
  parameters.transform.translate = dx * at;
  return parameters;
}

TEST(BodyInCell, boxes_along_the_axes_are_exact_however_thin) {
  const Vec3 at(0.37, -0.21, 0.55);
  for (const Vec3& size :
       {Vec3(0.32, 8.0, 6.5), Vec3(0.02, 7.3, 3.0), Vec3(5.0, 0.01, 4.4), Vec3(0.4, 0.3, 0.2), Vec3(6.0, 5.5, 7.0)}) {
    const BodyInCell sum = sum_over_cells(*make_shape(box(size, 0.0, at)), 3);
    EXPECT_NEAR(sum.volume, size.prod(), 1e-9 * size.prod()) << size.transpose();
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(sum.middle()[d], at[d], 1e-9) << size.transpose();
    const BodyInCell area = sum_over_cells(*make_shape(box({size.x(), size.y(), 100.0}, 0.0, at)), 2);
    EXPECT_NEAR(area.volume, size.x() * size.y(), 1e-9 * size.x() * size.y()) << size.transpose();
  }
}

TEST(BodyInCell, tilted_plates_add_up) {
  for (const double thickness : {0.05, 0.1, 0.32, 1.0})
    for (const double angle : {3.0, 10.0, 30.0, 45.0, 70.0, 88.0}) {
      const Vec3 at(0.2, 0.3, 0.1);
      const BodyInCell area = sum_over_cells(*make_shape(box({thickness, 8.0, 100.0}, angle, at)), 2);
      EXPECT_NEAR(area.volume, thickness * 8.0, 0.02 * thickness * 8.0) << thickness << " at " << angle;
      EXPECT_NEAR(area.middle().x(), at.x(), 0.05) << thickness << " at " << angle;
      EXPECT_NEAR(area.middle().y(), at.y(), 0.05) << thickness << " at " << angle;
      const BodyInCell sum = sum_over_cells(*make_shape(box({thickness, 7.0, 8.0}, angle, at, {1.0, 2.0, 0.5})), 3);
      EXPECT_NEAR(sum.volume, thickness * 56.0, 0.02 * thickness * 56.0) << thickness << " at " << angle;
    }
}

TEST(BodyInCell, balls_of_any_size_add_up) {
  for (const double radius : {0.1, 0.3, 0.75, 1.0, 2.0, 5.0}) {
    const Vec3 at(0.45, 0.3, 0.5);
    const auto ball = make_ball(dx * at, dx * radius);
    const double volume = 4.0 / 3.0 * pi * radius * radius * radius, area = pi * radius * radius;
    EXPECT_NEAR(sum_over_cells(*ball, 3).volume, volume, (radius < 1.0 ? 0.05 : 0.01) * volume) << radius;
    const BodyInCell sum = sum_over_cells(*ball, 2);
    EXPECT_NEAR(sum.volume, area, 0.02 * area) << radius;
    EXPECT_NEAR(sum.middle().x(), at.x(), 0.01) << radius;
    EXPECT_NEAR(sum.middle().y(), at.y(), 0.01) << radius;
  }
}

}  // namespace
}  // namespace freshet
