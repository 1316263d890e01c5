// SPDX-License-Identifier: Apache-2.0
#include "freshet/forces/absorber.hpp"
#include "freshet/forces/force_options.hpp"
#include "freshet/forces/forces.hpp"
#include "freshet/grid/halo.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

namespace freshet {
namespace {

using test::make_domain;
using test::world;

/// Steps that fit no keyframe but those at 0.25 and 1, where some end.
const std::vector<double> ends = {0.07, 0.1, 0.25, 0.3, 0.52, 0.55, 0.8, 1.0, 1.3};

enum class VelocityOf { end_of_step, middle_of_step };

/// What a moving frame has given to liquid at rest in it after those steps.
class Impulse {
 public:
  Impulse(const Vec3& gravity, const Vec3& pivot, std::vector<MotionSample> samples, MotionInterpolation interpolation,
          VelocityOf is_of = VelocityOf::end_of_step)
      : domain_(make_domain(3, {8, 8, 8}, FaceCondition::periodic, 0.5)),
        layout_(world(), domain_, uniform_splitters(domain_, world().size()), test::all_blocks(domain_)),
        velocity_(layout_, 0.0) {
    const auto motion = std::make_shared<RigidMotion>(pivot, std::move(samples), interpolation);
    const ForceTerms forces = make_forces(domain_, {.gravity = gravity}, {}, motion);
    FaceField<double> at_rest(layout_, 0.0);
    at_rest.fill(0.0);
    velocity_.fill(0.0);
    const LabelField labels(layout_, Label::liquid);
    double time = 0.0;
    double last = 0.0;
    for (const double end : ends) {
      const double dt = end - time;
      ForceInput input{at_rest, labels, time};
      if (is_of == VelocityOf::middle_of_step) {
        input.last_step = last;
        input.step = dt;
      }
      for (const auto& force : forces)
        force->apply(input, is_of == VelocityOf::middle_of_step ? 0.5 * (last + dt) : dt, velocity_);
      for (int d = 0; d < 3; ++d) displacement_[d] += dt * at(d, 3, 4, 5);
      last = dt;
      time = end;  // rounded otherwise than time + (end - time)
    }
  }
  /// Of the low face of a cell along an axis. [m/s]
  double at(int axis, int i, int j, int k) const { return velocity_[axis].block(0)[i + 8 * (j + 8 * k)]; }
  /// What liquid in the cell (3, 4, 5) is displaced by if each step moves it with the velocity after its forces. [m]
  const Vec3& displacement() const { return displacement_; }

 private:
  Domain domain_;
  BlockLayout layout_;
  FaceField<double> velocity_;
  Vec3 displacement_ = Vec3::Zero();
};

constexpr double rounding = 1e-9;  ///< of velocities that are differences over 1e-5 s

TEST(MovingFrame, the_kicks_of_linear_keyframes_add_up_to_the_change_of_the_tank_s_velocity) {
  const std::vector<MotionSample> samples = {{0.0, {0, 0, 0}, Vec3::Zero()},
                                             {0.25, {0.5, 0, 0}, Vec3::Zero()},
                                             {0.7, {0.5, -0.9, 0}, Vec3::Zero()},
                                             {1.0, {0.5, -0.9, 0.6}, Vec3::Zero()},
                                             {2.0, {0.8, -0.9, 0.6}, Vec3::Zero()}};
  const Vec3 gravity(0.0, -9.81, 1.0);
  const Impulse impulse(gravity, Vec3::Zero(), samples, MotionInterpolation::linear);
  // at rest before 0, in the end at 0.3 m along x in 1 s
  const Vec3 expected = 1.3 * gravity - Vec3(0.3, 0.0, 0.0);
  for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(impulse.at(axis, 3, 4, 5), expected[axis], rounding) << axis;
}

TEST(MovingFrame, smooth_keyframes_give_the_change_of_the_tank_s_velocity) {
  const std::vector<MotionSample> samples = {{-0.4, {0, 0, 0}, Vec3::Zero()},
                                             {0.25, {0.5, 0.1, 0}, Vec3::Zero()},
                                             {0.7, {0.2, -0.9, 0.3}, Vec3::Zero()},
                                             {1.6, {0.8, -0.4, 0.6}, Vec3::Zero()}};
  const Impulse impulse({0, 0, 0}, Vec3::Zero(), samples, MotionInterpolation::smooth);
  const RigidMotion motion(Vec3::Zero(), samples, MotionInterpolation::smooth);
  constexpr double h = 1e-5;
  const auto speed = [&](double t) -> Vec3 {
    return (motion.at(t + h).translation - motion.at(t - h).translation) / (2.0 * h);
  };
  const Vec3 expected = speed(0.0) - speed(1.3);
  EXPECT_GT(expected.norm(), 0.1);
  for (int axis = 0; axis < 3; ++axis)
    EXPECT_NEAR(impulse.at(axis, 3, 4, 5), expected[axis], 2e-4) << axis;  // that differences over 1e-5 s lag behind
}

TEST(MovingFrame, displaces_liquid_by_as_much_as_the_tank_where_velocities_are_those_of_the_middle_of_a_step) {
  const std::vector<MotionSample> samples = {{0.01, {0, 0, 0}, Vec3::Zero()},
                                             {0.29, {0.5, 0.1, 0}, Vec3::Zero()},
                                             {0.7, {0.2, -0.9, 0.3}, Vec3::Zero()},
                                             {1.6, {0.8, -0.4, 0.6}, Vec3::Zero()}};
  for (const MotionInterpolation interpolation : {MotionInterpolation::linear, MotionInterpolation::smooth}) {
    const Impulse impulse({0, 0, 0}, Vec3::Zero(), samples, interpolation, VelocityOf::middle_of_step);
    const Vec3 expected = -RigidMotion(Vec3::Zero(), samples, interpolation).at(ends.back()).translation;
    EXPECT_GT(expected.norm(), 0.1);
    for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(impulse.displacement()[axis], expected[axis], rounding) << axis;
  }
}

TEST(MovingFrame, a_turn_that_sets_in_turns_the_liquid_back_by_all_of_its_rate) {
  const std::vector<MotionSample> samples = {
      {0.1, Vec3::Zero(), {0, 0, 0}}, {0.9, Vec3::Zero(), {0, 0, 1.6}}, {2.0, Vec3::Zero(), {0, 0, 1.6}}};
  // the face along x of cell (4, j, k) has its centre at x = 2
  const Vec3 pivot(2.0, 1.25, 0.0);
  const Impulse impulse({0, 0, 0}, pivot, samples, MotionInterpolation::linear);
  EXPECT_NEAR(impulse.at(0, 4, 6, 1), 0.0, rounding) << "2 rad/s from 0.1 to 0.9, then at rest again";
  const Impulse halfway({0, 0, 0}, pivot, {{0.1, Vec3::Zero(), {0, 0, 0}}, {2.0, Vec3::Zero(), {0, 0, 3.8}}},
                        MotionInterpolation::linear);
  EXPECT_NEAR(halfway.at(0, 4, 6, 1), 2.0 * (3.25 - 1.25), rounding);  // -w x r, centrifugal force lies along y
  EXPECT_NEAR(halfway.at(2, 4, 6, 1), 0.0, rounding);
}

TEST(Gravity, in_a_tank_that_is_upside_down_points_the_other_way) {
  const std::vector<MotionSample> samples = {{0.0, Vec3::Zero(), {0, 0, M_PI}}};
  const Impulse impulse({0.0, -9.81, 0.0}, Vec3::Zero(), samples, MotionInterpolation::linear);
  EXPECT_NEAR(impulse.at(1, 3, 4, 5), 9.81 * ends.back(), rounding);
  EXPECT_NEAR(impulse.at(0, 3, 4, 5), 0.0, rounding);
}

/// A uniform velocity, and what a Coriolis force makes of it in one step.
Vec3 turned(const Vec3& rotation, const Vec3& u, double dt) {
  const Domain domain = make_domain(3, {8, 8, 8}, FaceCondition::periodic, 0.5);
  const BlockLayout layout(world(), domain, uniform_splitters(domain, world().size()), test::all_blocks(domain));
  FaceField<double> before(layout, 0.0);
  FaceField<double> after(layout, 0.0);
  for (int d = 0; d < 3; ++d) {
    before[d].fill(u[d]);
    after[d].fill(u[d]);
  }
  const LabelField labels(layout, Label::liquid);
  Coriolis(rotation).apply({before, labels, 0.0}, dt, after);
  return {after[0].block(0)[200], after[1].block(0)[200], after[2].block(0)[200]};
}

TEST(Coriolis, turns_a_velocity_by_twice_the_rotation_and_keeps_its_speed_at_any_dt) {
  const Vec3 rotation(0.3, -0.2, 0.6);  // 0.7 rad/s
  const Vec3 u(1.0, 2.0, -0.5);
  for (const double dt : {1e-3, 0.1, 2.0}) {
    const Vec3 exact = Eigen::AngleAxisd(-1.4 * dt, rotation.normalized()) * u;
    EXPECT_LT((turned(rotation, u, dt) - exact).norm(), 1e-14 * u.norm() * 10) << dt;  // some roundings
  }
  EXPECT_LT((turned({0, 0, 1e-4}, {1, 0, 0}, 10.0) - Vec3(std::cos(2e-3), -std::sin(2e-3), 0)).norm(), 1e-14)
      << "to the right, as in the northern hemisphere";
  EXPECT_DOUBLE_EQ(Coriolis(rotation).largest_acceleration(0.0, 3.0), 2.0 * 0.7 * 3.0);
}

TEST(MakeForces, gives_the_terms_that_are_asked_for_and_the_widest_ghosts_that_they_read) {
  const Domain domain = make_domain(3, {8, 8, 8}, FaceCondition::periodic, 0.5);
  const ForceTerms plain = make_forces(domain, {}, {});
  ASSERT_EQ(plain.size(), 1U);
  EXPECT_EQ(reach_of(plain), 0);
  const auto motion = std::make_shared<RigidMotion>(Vec3::Zero(), Vec3::UnitX(), Vec3::Zero());
  const ForceTerms all = make_forces(domain, {.gravity = {0, -1, 0}, .rotation = {0, 0, 1}},
                                     {VortexOptions{0.5, VortexMethod::confinement}, {}, {}, {}}, motion);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(reach_of(all), 3);
  EXPECT_TRUE(all.front()->reports_energy());
  for (std::size_t n = 1; n < all.size(); ++n) EXPECT_FALSE(all[n]->reports_energy());
  EXPECT_NEAR(all[1]->largest_acceleration(0.0, 1.0) + all[3]->largest_acceleration(0.0, 2.0), 1.0 + 4.0, 1e-12);
}

/// What zones make of a uniform velocity along x in one step.
double absorbed(const std::vector<AbsorberParameters>& zones, double u, double dt) {
  const Domain domain = make_domain(3, {8, 8, 8}, FaceCondition::periodic, 0.5);
  const BlockLayout layout(world(), domain, uniform_splitters(domain, world().size()), test::all_blocks(domain));
  FaceField<double> before(layout, 0.0);
  FaceField<double> after(layout, 0.0);
  before.fill(u);
  after.fill(u);
  const LabelField labels(layout, Label::liquid);
  AbsorbingZones(domain, zones).apply({before, labels, 0.0}, dt, after);
  return after[0].block(0)[200];
}

TEST(AbsorbingZones, that_overlap_are_one_zone_of_all_their_strength) {
  AbsorberParameters zone;
  zone.lower = {-1.0, -1.0, -1.0};
  zone.upper = {5.0, 5.0, 5.0};
  zone.strength = 2.0;
  AbsorberParameters strong = zone;
  strong.strength = 6.0;
  for (const double dt : {1e-3, 0.3, 100.0})
    EXPECT_NEAR(absorbed({zone, zone, zone}, 1.5, dt), absorbed({strong}, 1.5, dt), 1e-14) << dt;
  AbsorberParameters stream = zone;
  stream.strength = 6.0;
  stream.velocity = {1.0, 0.0, 0.0};
  EXPECT_NEAR(absorbed({zone, stream}, 7.0, 1e6), 0.75, 1e-12) << "the mean of 0 and 1 m/s by their rates, 1 to 3";
}

}  // namespace
}  // namespace freshet
