// SPDX-License-Identifier: Apache-2.0
#include "freshet/solids/solids.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <numbers>

namespace freshet {
namespace {

class Block : public Shape {
 public:
  Block(const Vec3& lower, const Vec3& upper) : box_{lower, upper} {}
  double signed_distance(const Vec3& x) const override {
    return ((x - 0.5 * (box_.lower + box_.upper)).cwiseAbs() - 0.5 * (box_.upper - box_.lower)).maxCoeff();
  }
  Box bounds() const override { return box_; }

 private:
  Box box_;
};

SolidBody body(const Vec3& lower, const Vec3& upper, const Vec3& pivot, const Vec3& velocity, const Vec3& angular) {
  SolidBody body;
  body.shape = std::make_shared<Block>(lower, upper);
  body.motion = std::make_shared<RigidMotion>(pivot, velocity, angular);
  return body;
}

const Domain& tank() {  // 1 m wide
  static const Domain domain = test::make_domain(3, {16, 16, 16}, FaceCondition::free_slip, 1.0 / 16.0);
  return domain;
}

TEST(LargestWay, is_that_of_bodies_in_the_domain) {
  const SolidBody slow = body({0.2, 0.2, 0.2}, {0.3, 0.3, 0.3}, Vec3::Zero(), {0, 3, 0}, Vec3::Zero());
  const SolidBody fast = body({0.4, 0.4, 0.4}, {0.6, 0.6, 0.6}, Vec3::Zero(), {200, 0, 0}, Vec3::Zero());
  SolidBody resting = slow;
  resting.motion = nullptr;
  EXPECT_EQ(largest_way({resting}, tank(), 0.0, 1e-3), 0.0);
  EXPECT_DOUBLE_EQ(largest_way({resting, slow, fast}, tank(), 0.0, 1e-3), 0.2);
}

TEST(LargestWay, leaves_out_bodies_that_have_left_the_domain) {
  const SolidBody fast = body({0.4, 0.4, 0.4}, {0.6, 0.6, 0.6}, Vec3::Zero(), {200, 0, 0}, Vec3::Zero());
  // 0.4 m + 0.58 m: the rear is still inside; in a quarter of the step it moves by 0.05 m, half of which may be back
  EXPECT_DOUBLE_EQ(largest_way({fast}, tank(), 0.0029, 1e-3), 0.2);
  EXPECT_EQ(largest_way({fast}, tank(), 0.0032, 1e-3), 0.0);
  EXPECT_EQ(largest_way({fast}, tank(), 5.0, 1.0), 0.0);
}

TEST(LargestWay, counts_bodies_that_come_within_the_step) {
  const SolidBody coming = body({-10.2, 0.4, 0.4}, {-10.0, 0.6, 0.6}, Vec3::Zero(), {200, 0, 0}, Vec3::Zero());
  EXPECT_EQ(largest_way({coming}, tank(), 0.0, 0.04), 0.0);
  EXPECT_DOUBLE_EQ(largest_way({coming}, tank(), 0.0, 0.06), 12.0);
}

/// At both ends of the step the arm points away from the domain; in the middle of it its tip is at (0.01, 0.5, 0.5).
TEST(LargestWay, counts_arms_that_sweep_through_the_domain_within_the_step) {
  const Vec3 pivot(-0.5, 0.5, 0.5);
  const SolidBody arm = body({-0.55, 0.5, 0.45}, {-0.45, 1.01, 0.55}, pivot, Vec3::Zero(), {0, 0, -std::numbers::pi});
  EXPECT_EQ(largest_way({arm}, tank(), 0.0, 0.01), 0.0);
  EXPECT_GT(largest_way({arm}, tank(), 0.0, 1.0), 0.5 * std::numbers::pi);  // the tip's
}

TEST(LargestWay, of_a_turning_body_is_that_of_its_farthest_point_in_the_domain) {
  const SolidBody disk = body({-2.0, -2.0, 0.0}, {3.0, 3.0, 1.0}, {0, 0, 0}, Vec3::Zero(), {0, 0, 2.0});
  EXPECT_NEAR(largest_way({disk}, tank(), 0.0, 1e-3), 2e-3 * std::sqrt(3.0), 1e-12);  // of the corner (1, 1, 1)
}

TEST(LargestWay, of_a_body_that_comes_back_to_its_place_is_the_length_of_its_path) {
  const SolidBody turning = body({0.4, 0.4, 0.4}, {0.6, 0.6, 0.6}, {0.5, 0.5, 0.5}, Vec3::Zero(), {0, 0, 200.0});
  const double reach = 0.1 * std::sqrt(3.0);
  EXPECT_NEAR(largest_way({turning}, tank(), 0.0, 2.0 * std::numbers::pi / 200.0), 2.0 * std::numbers::pi * reach,
              1e-9);
  SolidBody shaken = turning;
  shaken.motion = std::make_shared<RigidMotion>(
      Vec3::Zero(),
      std::vector<MotionSample>{
          {1.0, {0, 0, 0}, {0, 0, 0}}, {1.1, {0.2, 0, 0}, {0, 0, 0}}, {1.2, {0, 0, 0}, {0, 0, 0}}},
      MotionInterpolation::linear);
  EXPECT_DOUBLE_EQ(largest_way({shaken}, tank(), 0.0, 2.0), 0.4);
}

}  // namespace
}  // namespace freshet
