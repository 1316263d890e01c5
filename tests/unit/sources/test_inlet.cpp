// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/sources/inlet.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace freshet {
namespace {

constexpr double dx = 0.1;  // [m]
using Solids = std::vector<std::shared_ptr<const Shape>>;

std::shared_ptr<const Shape> box(const Vec3& lower, const Vec3& upper) {
  ShapeParameters parameters;
  parameters.kind = ShapeKind::box;
  parameters.lower = lower;
  parameters.upper = upper;
  return make_shape(parameters);
}

std::shared_ptr<const Shape> ball(const Vec3& center, double radius) {
  ShapeParameters parameters;
  parameters.kind = ShapeKind::sphere;
  parameters.center = center;
  parameters.radius = radius;
  return make_shape(parameters);
}

const Domain& tank() {  // 2 m wide
  static const Domain domain = test::make_domain(3, {20, 20, 20}, FaceCondition::free_slip, dx);
  return domain;
}

/// The sum over cells of what enters through faces normal to each axis, which is the direction's square.
Vec3 total_share(const Inlet& inlet) {
  Vec3 sum = Vec3::Zero();
  for (const Inlet::Cell& cell : inlet.cells()) sum += cell.share;
  return sum;
}

TEST(Inlet, of_a_ball_is_the_half_that_faces_the_stream) {
  const Vec3 center(1.0, 1.0, 1.0);
  const Inlet inlet(tank(), *ball(center, 0.4), {}, Vec3::UnitX());
  EXPECT_NEAR(inlet.area(), std::numbers::pi * 0.16, 2e-3 * 0.16 * std::numbers::pi);
  for (std::int64_t n = 0; n < 1000; ++n) {
    const Vec3 from_center = inlet.point(n) - center;
    ASSERT_NEAR(from_center.norm(), 0.4, 1e-3 * dx);
    ASSERT_LT(from_center.x(), 1e-3 * dx);
  }
  EXPECT_TRUE(total_share(inlet).isApprox(Vec3::UnitX(), 1e-12));
}

TEST(Inlet, of_a_box_along_a_diagonal_is_its_shadow) {
  const Vec3 direction = Vec3(1.0, 1.0, 0.0).normalized();
  const Inlet inlet(tank(), *box({0.5, 0.5, 0.5}, {0.9, 0.9, 1.5}), {}, direction);
  EXPECT_NEAR(inlet.area(), 0.4 * std::sqrt(2.0) * 1.0, 0.002);
  for (std::int64_t n = 0; n < 1000; ++n)
    ASSERT_NEAR(std::min(inlet.point(n).x(), inlet.point(n).y()), 0.5, 1e-3 * dx) << "not on one of the two faces";
  EXPECT_TRUE(total_share(inlet).isApprox(Vec3(0.5, 0.5, 0.0), 1e-12));
  for (const Vec3& across : inlet.across()) {
    EXPECT_NEAR(across.norm(), 1.0, 1e-12);
    EXPECT_NEAR(across.dot(direction), 0.0, 1e-12);
  }
}

TEST(Inlet, leaves_out_what_solids_cover_and_begins_behind_a_solid_in_front) {
  const std::shared_ptr<const Shape> shape = box({0.5, 0.5, 0.5}, {1.5, 1.5, 1.5});
  const Solids solids{box({0.0, 0.0, 0.0}, {0.2, 2.0, 2.0}), box({0.4, 0.0, 0.0}, {1.6, 1.0, 2.0}),
                      box({0.4, 0.0, 0.0}, {0.8, 2.0, 1.0})};
  const Inlet inlet(tank(), *shape, solids, Vec3::UnitX());
  EXPECT_NEAR(inlet.area(), 0.5, 0.002) << "the second solid covers half of it to its end";
  EXPECT_EQ(inlet.solids(), (std::vector<std::size_t>{1, 2})) << "it ends at the second and begins at the third";
  for (std::int64_t n = 0; n < 1000; ++n) {
    const Vec3& x = inlet.point(n);
    ASSERT_GT(x.y(), 1.0 - 1e-3 * dx);
    ASSERT_NEAR(x.x(), x.z() < 1.0 ? 0.8 : 0.5, 2e-3 * dx);
  }
}

TEST(Inlet, is_cut_to_the_domain) {
  const Inlet inlet(tank(), *box({-1.0, -1.0, 0.5}, {3.0, 0.5, 3.0}), {}, Vec3::UnitX());
  EXPECT_NEAR(inlet.area(), 0.5 * 1.5, 0.002);
  EXPECT_NEAR(inlet.point(0).x(), 0.0, 1e-3 * dx);
  EXPECT_THROW(Inlet(tank(), *box({3.0, 3.0, 3.0}, {4.0, 4.0, 4.0}), {}, Vec3::UnitX()), InputError);
  const Solids lid{box({-1.0, -1.0, -1.0}, {3.0, 3.0, 3.0})};
  EXPECT_THROW(Inlet(tank(), *box({0.5, 0.5, 0.5}, {1.0, 1.0, 1.0}), lid, Vec3::UnitX()), InputError);
}

TEST(Inlet, of_a_shape_that_ends_at_a_side_lies_on_the_side) {
  for (const double beyond : {0.0, 1e-9, 9e-4})  // [m]
    for (const bool at_end : {false, true}) {
      const double x = at_end ? 2.0 + beyond : -beyond;
      const auto shape = box({at_end ? x : x - 0.5, 0.5, 0.5}, {at_end ? x + 0.5 : x, 1.5, 1.0});
      const Inlet inlet(tank(), *shape, {}, at_end ? Vec3(-Vec3::UnitX()) : Vec3(Vec3::UnitX()));
      EXPECT_NEAR(inlet.area(), 0.5, 0.002) << x;
      EXPECT_NEAR(inlet.point(0).x(), at_end ? 2.0 : 0.0, 1e-3 * dx);
      EXPECT_EQ(inlet.cells().front().cell.x(), at_end ? 19 : 0);
    }
}

TEST(Inlet, in_2d_is_a_line_one_cell_wide) {
  const Domain flat = test::make_domain(2, {20, 20, 1}, FaceCondition::free_slip, dx);
  const Inlet inlet(flat, *box({0.5, 0.5, -1.0}, {1.5, 0.7, 1.0}), {}, -Vec3::UnitY());
  EXPECT_NEAR(inlet.area(), 1.0 * dx, 0.001 * dx);
  EXPECT_NEAR(inlet.point(0).y(), 0.7, 1e-3 * dx);
  EXPECT_EQ(inlet.across()[1], Vec3::Zero());
  EXPECT_EQ(inlet.cells().size(), 10u);
}

/// Any run of entry points covers the cross-section evenly: each quarter of it gets a quarter.
TEST(Inlet, consecutive_points_are_spread_evenly) {
  const Inlet inlet(tank(), *box({0.5, 0.5, 0.5}, {1.5, 1.5, 1.5}), {}, Vec3::UnitX());
  for (const std::int64_t first : {0, 5000, 16300}) {  // the last run goes round to the first point
    int quarters[4] = {};
    for (std::int64_t n = first; n < first + 200; ++n)
      ++quarters[(inlet.point(n).y() > 1.0 ? 1 : 0) + (inlet.point(n).z() > 1.0 ? 2 : 0)];
    for (const int n : quarters) EXPECT_NEAR(n, 50, 8) << "from point " << first;  // at random 50 +- 6, up to 31 or 69
  }
}

}  // namespace
}  // namespace freshet
