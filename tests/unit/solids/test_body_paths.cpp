// SPDX-License-Identifier: Apache-2.0
#include "freshet/solids/body_paths.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace freshet {
namespace {

constexpr double dx = 0.1;  // [m]

std::shared_ptr<const Shape> unit_ball() {
  ShapeParameters parameters;
  parameters.kind = ShapeKind::sphere;
  parameters.radius = 1.0;
  return make_shape(parameters);
}

double contact(const Vec3& from, const Vec3& to) {
  return first_contact(*unit_ball(), {from, to}, dx);
}

TEST(FirstContact, of_a_path_through_a_ball_ends_just_before_it) {
  const double head_on = contact({-3.0, 0.0, 0.0}, {3.0, 0.0, 0.0});
  EXPECT_LT(head_on, 2.0 / 6.0);
  EXPECT_NEAR(-3.0 + 6.0 * head_on, -1.0, 0.05 * dx);
  const double aslant = contact({-3.0, 0.5, 0.0}, {3.0, 0.5, 0.0});
  EXPECT_NEAR(-3.0 + 6.0 * aslant, -std::sqrt(0.75), 0.05 * dx) << "the smallest step is a twentieth of a cell";
}

TEST(FirstContact, of_a_path_beside_a_ball_or_away_from_it_is_its_whole_length) {
  EXPECT_EQ(contact({-3.0, 1.01, 0.0}, {3.0, 1.01, 0.0}), 1.0);
  EXPECT_EQ(contact({-1.5, 0.0, 0.0}, {-3.0, 0.0, 0.0}), 1.0);
  EXPECT_EQ(contact({-3.0, 0.0, 0.0}, {-1.001, 0.0, 0.0}), 1.0) << "it ends before the ball";
  EXPECT_EQ(contact({-1.5, 0.0, 0.0}, {-1.5, 0.0, 0.0}), 1.0) << "it does not move";
}

TEST(FirstContact, that_ends_inside_is_found_even_in_a_short_path) {
  EXPECT_LT(contact({-1.002, 0.0, 0.0}, {-0.999, 0.0, 0.0}), 1.0);
}

TEST(FirstContact, of_what_rests_on_the_surface_depends_on_where_it_goes) {
  const double skin = 0.5 * on_surface * dx;  // so deep in the ball, and it still rests on it
  const Vec3 resting(-1.0 + skin, 0.0, 0.0);
  EXPECT_EQ(contact(resting, resting + Vec3(0.3, 0.0, 0.0)), 0.0) << "into the ball";
  EXPECT_EQ(contact(resting, resting - Vec3(0.3, 0.0, 0.0)), 1.0) << "away from it";
  const Vec3 deep(-1.0 + 2.0 * on_surface * dx, 0.0, 0.0);
  EXPECT_EQ(contact(deep, deep + Vec3(0.3, 0.0, 0.0)), 1.0) << "it began inside: a push out is due, no stop";
}

}  // namespace
}  // namespace freshet
