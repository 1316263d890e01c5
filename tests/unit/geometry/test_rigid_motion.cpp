// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/geometry/motion_course.hpp"
#include "freshet/geometry/rigid_motion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace freshet {
namespace {

constexpr double pi = std::numbers::pi;

/// Where a point gets that a twist carries for dt, by many small steps of fourth order.
Vec3 carried(const Twist& twist, Vec3 x, double dt) {
  constexpr int n = 200;
  const double h = dt / n;
  for (int i = 0; i < n; ++i) {
    // the centre of a screw moves along with it; its velocity field stands still in space
    const Vec3 k1 = twist.at(x);
    const Vec3 k2 = twist.at(x + 0.5 * h * k1);
    const Vec3 k3 = twist.at(x + 0.5 * h * k2);
    const Vec3 k4 = twist.at(x + h * k3);
    x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return x;
}

TEST(RigidMotion, a_quarter_turn_about_the_pivot_by_hand) {
  const RigidMotion motion({1.0, 0.0, 0.0}, {0.0, 0.0, 2.0}, {0.0, 0.0, 0.5 * pi});
  const Pose pose = motion.pose(1.0);
  const Vec3 x = pose.to_world({2.0, 0.0, 0.0});
  EXPECT_NEAR((x - Vec3(1.0, 1.0, 2.0)).norm(), 0.0, 1e-15);
  EXPECT_NEAR((pose.to_body(x) - Vec3(2.0, 0.0, 0.0)).norm(), 0.0, 1e-15);
}

TEST(RigidMotion, the_twist_of_a_step_carries_every_point_to_where_it_is_next) {
  const std::vector<MotionSample> samples = {{0.0, {0, 0, 0}, {0, 0, 0}},
                                             {0.5, {0.3, -0.1, 0.2}, {0.4, 0.9, -0.3}},
                                             {1.5, {-0.2, 0.4, 0.1}, {1.0, 0.2, 0.7}},
                                             {2.0, {0.1, 0.2, 0.9}, {1.4, -0.2, 7.0}}};
  for (const MotionInterpolation interpolation : {MotionInterpolation::linear, MotionInterpolation::smooth}) {
    const RigidMotion motion({0.4, -0.7, 0.2}, samples, interpolation);
    for (const double t : {-0.2, 0.1, 0.45, 1.2, 1.9, 3.0})
      for (const double dt : {1e-4, 0.1, 0.3}) {
        const Twist twist = motion.twist(t, dt);
        for (const Vec3& X : {Vec3(0, 0, 0), Vec3(1, 2, -1), Vec3(-0.5, 0.3, 0.8)}) {
          const Vec3 next = motion.pose(t + dt).to_world(X);
          EXPECT_LT((carried(twist, motion.pose(t).to_world(X), dt) - next).norm(), 1e-9) << t << " " << dt;
        }
      }
  }
}

TEST(RigidMotion, smooth_keyframes_pass_through_the_samples_with_no_kink_and_rest_outside) {
  const RigidMotion motion(
      {0, 0, 0}, {{1.0, {0, 0, 0}, Vec3::Zero()}, {2.0, {1, 0, 0}, Vec3::Zero()}, {4.0, {2, 0, 0}, Vec3::Zero()}},
      MotionInterpolation::smooth);
  EXPECT_EQ(motion.at(0.5).translation.x(), 0.0);
  EXPECT_EQ(motion.at(2.0).translation.x(), 1.0);
  EXPECT_EQ(motion.at(9.0).translation.x(), 2.0);
  constexpr double h = 1e-5;
  const auto x = [&](double t) { return motion.at(t).translation.x(); };
  EXPECT_NEAR((x(2.0) - x(2.0 - h)) / h, (x(2.0 + h) - x(2.0)) / h, 1e-4);  // curvature about 2, times h
  EXPECT_NEAR((x(1.0 + h) - x(1.0)) / h, 0.0, 1e-4);
  EXPECT_EQ(motion.twist(5.0, 0.1).linear.norm(), 0.0);
}

TEST(RigidMotion, a_table_is_read_with_names_comments_and_either_separator) {
  const auto samples = parse_motion_table(
      "time, x, y, z, rx, ry, rz\n# a comment\n0, 0, 0, 0, 0, 0, 0\n\n"
      "1.5 0.1 0.2 0.3 0 0 180  # later\r\n",
      "table");
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[1].time, 1.5);
  EXPECT_EQ(samples[1].translation, Vec3(0.1, 0.2, 0.3));
  EXPECT_NEAR(samples[1].turn.z(), pi, 1e-15);
}

TEST(RigidMotion, the_names_of_a_table_say_which_column_is_what) {
  const auto last_of = [](const std::string& text) { return parse_motion_table(text, "table").back(); };
  const MotionSample reversed = last_of("x,y,z,time\n0,0,0,0\n0.1,0.2,0.3,1\n");
  EXPECT_EQ(reversed.time, 1.0);
  EXPECT_EQ(reversed.translation, Vec3(0.1, 0.2, 0.3));
  const MotionSample turns_first =
      last_of("\xef\xbb\xbftime [s], RX [deg], ry, rz, X [m], \"Y\" (m), z\n1,180,0,0,4,5,6\n");
  EXPECT_EQ(turns_first.translation, Vec3(4, 5, 6));
  EXPECT_NEAR((turns_first.turn - Vec3(pi, 0, 0)).norm(), 0.0, 1e-15);
  const MotionSample roll = last_of("# a roll\n\nrz;time\n90;2\n");
  EXPECT_EQ(roll.time, 2.0);
  EXPECT_EQ(roll.translation, Vec3::Zero());
  EXPECT_NEAR((roll.turn - Vec3(0, 0, 0.5 * pi)).norm(), 0.0, 1e-15);
  EXPECT_EQ(last_of("0 0 0 0\n1 2 3 4\n").translation, Vec3(2, 3, 4));     // without names
  EXPECT_EQ(last_of("0 0, 0 0\n1, 2 3;4,\n").translation, Vec3(2, 3, 4));  // whatever separates the numbers
}

TEST(RigidMotion, a_table_with_a_fault_is_refused_with_the_line) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      parse_motion_table(text, "roll.csv");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("0 0 0 0\n1 0 0\n").find("roll.csv:2: 3 entries where 4"), std::string::npos);
  EXPECT_NE(message("0 0 0 0\n0 0 0 0\n").find("roll.csv:2: time 0 does not come after 0"), std::string::npos);
  EXPECT_NE(message("0 0 0 0\n1 nan 0 0\n").find("roll.csv:2: 'nan' is not a finite number"), std::string::npos);
  EXPECT_NE(message("0 0 0 0\n1 1e999 0 0\n").find("roll.csv:2"), std::string::npos);
  EXPECT_NE(message("").find("has no row of numbers"), std::string::npos);
  EXPECT_NE(message("a b\nc d\n").find("roll.csv:1: 'a' is neither a number nor the name"), std::string::npos);
  EXPECT_NE(message("t,roll\n0,0\n").find("roll.csv:1: 't' is neither"), std::string::npos);
  EXPECT_NE(message("\n0, O, 0, 0\n1, 0, 0, 0\n").find("roll.csv:2: 'O' is neither"), std::string::npos);
  EXPECT_NE(message("0 0 0 1e\n1 0 0 0\n").find("roll.csv:1: "), std::string::npos);
  EXPECT_NE(message("x,y,z\n0,0,0\n").find("roll.csv:1: there is no column of the name 'time'"), std::string::npos);
  EXPECT_NE(message("time,x,7\n0,0,0\n").find("roll.csv:1: the number '7' stands among names"), std::string::npos);
  EXPECT_NE(message("time,x,X\n0,0,0\n").find("roll.csv:1: two columns have the name 'X'"), std::string::npos);
  EXPECT_NE(message("time,x\n0,0\n1,0,0\n").find("roll.csv:3: 3 entries where 2 are needed"), std::string::npos);
  for (const char* text : {"0\t0,5\t1,5\t2\n", "0;0,5;1;2\n", "0 0,5 1 2\n", "0, 0,5; 1\n"})
    EXPECT_NE(message(text).find("roll.csv:1: '0,5' has a decimal comma"), std::string::npos) << text;
  EXPECT_EQ(message("0,1,2,3\r1,2,3,4\r"), "");
  EXPECT_NE(message("time,x\ntime,x\n").find("roll.csv:2: 'time' is not a number"), std::string::npos);
}

TEST(RigidMotion, a_table_that_leaves_the_plane_is_refused_in_two_dimensions) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      parse_motion_table(text, "roll.csv", 2);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("0 0 0 0 0 0 0\n1 2 3 0 0 0 90\n"), "");
  for (const char* row : {"1 0 0 0.5 0 0 0", "1 0 0 0 10 0 0", "1 0 0 0 0 -10 0"})
    EXPECT_NE(message(std::string("0 0 0 0 0 0 0\n") + row + "\n").find("roll.csv:2: the motion leaves the plane"),
              std::string::npos)
        << row;
}

TEST(RigidMotion, a_moved_shape_keeps_its_distances) {
  ShapeParameters box;
  box.kind = ShapeKind::box;
  box.lower = {0, 0, 0};
  box.upper = {2, 1, 1};
  const RigidMotion motion({0, 0, 0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 0.5 * pi});
  const PosedShape moved(make_shape(box), motion.pose(1.0));  // turned about 0, then one along x: [0, 1] x [0, 2]
  EXPECT_NEAR(moved.signed_distance({0.5, 1.5, 0.5}), -0.5, 1e-15);
  EXPECT_NEAR(moved.signed_distance({1.5, 1.0, 0.5}), 0.5, 1e-15);
  EXPECT_NEAR((moved.bounds().lower - Vec3(0, 0, 0)).norm(), 0.0, 1e-15);
  EXPECT_NEAR((moved.bounds().upper - Vec3(1, 2, 1)).norm(), 0.0, 1e-15);
}

const std::vector<MotionSample> to_and_fro = {
    {1.0, {0, 0, 0}, {0, 0, 0}}, {1.5, {0.3, 0, 0}, {0, 0, 0.4}}, {2.0, {0, 0, 0}, {0, 0, 0}}};

TEST(RigidMotion, its_rates_are_the_derivative_of_its_place) {
  constexpr double h = 1e-6;
  for (const MotionInterpolation interpolation : {MotionInterpolation::linear, MotionInterpolation::smooth}) {
    const RigidMotion motion({0, 0, 0}, to_and_fro, interpolation);
    for (const double t : {0.9, 1.0, 1.2, 1.5, 1.7, 2.0, 2.1}) {
      const MotionSample here = motion.at(t), before = motion.at(t - h), after = motion.at(t + h);
      const MotionRates left = motion.rates(t, RigidMotion::Side::before);
      const MotionRates right = motion.rates(t, RigidMotion::Side::after);
      // the second derivative is below 10 everywhere
      EXPECT_LT(((here.translation - before.translation) / h - left.translation).norm(), 10.0 * h) << t;
      EXPECT_LT(((after.translation - here.translation) / h - right.translation).norm(), 10.0 * h) << t;
      EXPECT_LT(((here.turn - before.turn) / h - left.turn).norm(), 10.0 * h) << t;
      EXPECT_LT(((after.turn - here.turn) / h - right.turn).norm(), 10.0 * h) << t;
    }
  }
}

TEST(MotionCourse, counts_whole_turns_and_ways_there_and_back) {
  const MotionCourse turning = course_of(RigidMotion({0, 0, 0}, {0, 0, 0}, {0, 0, 2.0 * pi}), 3.0, 5.0);
  EXPECT_DOUBLE_EQ(turning.turn, 4.0 * pi);
  EXPECT_EQ(turning.spin_change, 0.0);
  const RigidMotion linear({0, 0, 0}, to_and_fro, MotionInterpolation::linear);
  const MotionCourse all = course_of(linear, 0.0, 3.0);
  EXPECT_DOUBLE_EQ(all.way, 0.6);
  EXPECT_DOUBLE_EQ(all.turn, 0.8);
  EXPECT_DOUBLE_EQ(all.way_of(2.0), 2.2);
  EXPECT_DOUBLE_EQ(all.speed_change, 0.6 + 1.2 + 0.6) << "it starts, turns round and stops";
  EXPECT_DOUBLE_EQ(all.hidden_speed, 2.4) << "it rests at both ends";
  const MotionCourse forth = course_of(linear, 1.0, 1.5);
  EXPECT_DOUBLE_EQ(forth.way, 0.3);
  EXPECT_EQ(forth.speed_change, 0.0) << "jumps at both ends do not count";
  const MotionCourse start = course_of(linear, 0.5, 1.25);
  EXPECT_DOUBLE_EQ(start.speed_change, 0.6);
  EXPECT_EQ(start.hidden_speed, 0.0) << "the velocity at the end shows it";
}

TEST(MotionCourse, of_smooth_motion_is_that_of_many_short_stretches) {
  const RigidMotion smooth({0, 0, 0}, to_and_fro, MotionInterpolation::smooth);
  for (const double from : {0.0, 1.1, 1.4})
    for (const double to : {1.3, 1.6, 2.5}) {
      if (to <= from) continue;
      constexpr int n = 20000;
      double way = 0.0, change = 0.0;
      for (int i = 0; i < n; ++i) {
        const auto t = [&](int k) { return from + (to - from) * k / n; };
        const auto rate = [&](double time) { return smooth.rates(time, RigidMotion::Side::after).translation; };
        way += (smooth.at(t(i + 1)).translation - smooth.at(t(i)).translation).norm();
        change += (rate(t(i + 1)) - rate(t(i))).norm();
      }
      const MotionCourse course = course_of(smooth, from, to);
      // a parabola may peak between the five samples of a quarter: at most 1/16 of the change of the rate there
      EXPECT_NEAR(course.way / way, 1.0, 0.02) << from << " " << to;
      EXPECT_NEAR(course.speed_change / change, 1.0, 0.05) << from << " " << to;
    }
}

}  // namespace
}  // namespace freshet
