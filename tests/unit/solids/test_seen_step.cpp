// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/motion_course.hpp"
#include "freshet/solids/seen_step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace freshet {
namespace {

constexpr double length = 0.1;  // [m]

RigidMotion along_x(const std::vector<std::array<double, 2>>& rows, MotionInterpolation interpolation) {
  std::vector<MotionSample> samples;
  for (const auto& [time, x] : rows) samples.push_back({time, {x, 0, 0}, Vec3::Zero()});
  return {Vec3::Zero(), samples, interpolation};
}

/// The steps that follow one another from 0 to `end`, none longer than dt. [s]
std::vector<double> steps(const RigidMotion& motion, double end, double dt) {
  std::vector<double> taken;
  for (double time = 0.0; time < end; time += taken.back()) taken.push_back(seen_step(motion, 0.0, time, dt, length));
  return taken;
}

TEST(SeenStep, ends_where_a_blow_begins_and_where_it_stops) {
  const RigidMotion blow = along_x({{1.0, 0.0}, {1.001, 0.05}, {1.002, 0.0}}, MotionInterpolation::linear);
  const std::vector<double> taken = steps(blow, 2.0, 2.0);
  ASSERT_EQ(taken.size(), 4U);
  EXPECT_DOUBLE_EQ(taken[0], 1.0);
  EXPECT_NEAR(taken[1], 0.001, 1e-12);  // times of 1 s are rounded to 1e-16
  EXPECT_NEAR(taken[2], 0.001, 1e-12);
  EXPECT_DOUBLE_EQ(taken[3], 2.0);
}

TEST(SeenStep, passes_over_jumps_too_small_to_matter) {
  const RigidMotion slow = along_x({{0.5, 0.0}, {1.0, 0.001}, {1.5, 0.0}}, MotionInterpolation::linear);
  EXPECT_EQ(seen_step(slow, 0.0, 0.0, 1.2, length), 1.2);  // 2 mm/s and 4 mm/s in 1.2 s, of 50 mm/s that matter
}

TEST(SeenStep, resolves_a_shaker_that_is_back_at_its_end) {
  std::vector<std::array<double, 2>> rows;
  for (int n = 0; n <= 80; ++n) rows.push_back({n / 400.0, 0.02 * std::sin(0.5 * n * std::numbers::pi)});  // 100 Hz
  const RigidMotion shaker = along_x(rows, MotionInterpolation::smooth);
  const std::vector<double> taken = steps(shaker, 0.2, 0.2);
  EXPECT_GT(taken.size(), 3U * 20U) << "of 20 periods";
  EXPECT_LT(taken.size(), 20U * 20U);
}

TEST(SeenStep, leaves_a_motion_alone_that_its_ends_show) {
  const RigidMotion steady(Vec3::Zero(), Vec3(3.0, 0.0, 0.0), Vec3(0.0, 0.0, 7.0));
  EXPECT_EQ(seen_step(steady, 1.0, 0.0, 5.0, length), 5.0) << "its way is bounded elsewhere";
  const RigidMotion gentle = along_x({{0.0, 0.0}, {1.0, 0.5}, {2.0, 1.0}}, MotionInterpolation::smooth);
  EXPECT_EQ(seen_step(gentle, 0.0, 0.3, 0.05, length), 0.05);
}

TEST(SeenStep, bounds_how_much_the_velocity_changes) {
  const RigidMotion start = along_x({{0.0, 0.0}, {1.0, 2.0}, {2.0, 8.0}}, MotionInterpolation::smooth);
  const double dt = seen_step(start, 0.0, 0.0, 1.0, length);
  const double change = start.rates(dt, RigidMotion::Side::before).translation.norm();
  EXPECT_NEAR(change * dt, length, 0.01 * length);
}

TEST(SeenStep, ends_where_a_source_switches) {
  EXPECT_EQ(step_to_jump(0.3, 1.0, 0.0, 1.0, length), 0.3);
  EXPECT_EQ(step_to_jump(1.3, 1.0, 0.0, 1.0, length), 1.0);
  EXPECT_EQ(step_to_jump(0.3, 0.001, 0.0, 1.0, length), 1.0);
  EXPECT_DOUBLE_EQ(step_to_jump(1e-6, 1.0, 0.0, 1.0, length), unseen_part * length) << "no step that is a trifle";
  EXPECT_EQ(step_to_jump(1e-10, 1.0, 0.0, 1.0, length), 1.0) << "it has been passed but for rounding";
}

}  // namespace
}  // namespace freshet
