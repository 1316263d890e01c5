// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/motion.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"
#include "support/scattered_particles.hpp"
#include "support/transfer_reference.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace freshet {
namespace {

using test::make_domain;
using test::random_velocity;
using test::Scatter;
using test::scatter_particles;
using test::world;

constexpr double real_epsilon = std::numeric_limits<ParticleReal>::epsilon();
constexpr MotionScheme schemes[] = {MotionScheme::rk1, MotionScheme::rk2, MotionScheme::rk3, MotionScheme::rk4};

class Ball : public Shape {
 public:
  Ball(const Vec3& center, double radius) : center_(center), radius_(radius) {}
  double signed_distance(const Vec3& x) const override { return (x - center_).norm() - radius_; }
  Box bounds() const override { return {center_ - Vec3::Constant(radius_), center_ + Vec3::Constant(radius_)}; }

 private:
  Vec3 center_;
  double radius_;
};

struct Bench {
  Domain domain;
  BlockLayout layout;
  FaceField<double> velocity;
  SolidFields solids;
  ParticleStore particles;

  Bench(int dimension, const Vec3i& cells, FaceCondition condition, double cell_size = 1.0,
        const std::vector<SolidBody>& bodies = {})
      : domain(make_domain(dimension, cells, condition, cell_size)),
        layout(world(), domain, uniform_splitters(domain, world().size()), test::all_blocks(domain)),
        velocity(layout),
        particles(scatter_particles(layout, Scatter{1.0, 4, 9}, random_velocity)) {
    solids.reset(layout, bodies);
  }
  std::vector<Vec3> places() const {
    std::vector<Vec3> all;
    for (ParticleIndex p = 0; p < particles.size(); ++p) all.push_back(test::place_of(layout, particles, p));
    return all;
  }
  MotionReport move(double dt, int reach, MotionScheme scheme) {
    return move_particles(velocity, solids, dt, reach, scheme, particles);
  }
};

Vec3i box(int dimension) {
  return {24, 24, dimension == 3 ? 24 : 1};
}

/// Largest error of one step by angle theta of a rotation about the box's middle, of particles near the middle. [cells]
double rotation_error(int dimension, MotionScheme scheme, double theta) {
  Bench bench(dimension, box(dimension), FaceCondition::open);
  Vec3 axis(0.0, 0.0, 1.0);
  if (dimension == 3) axis = Vec3(1.0, -2.0, 2.0) / 3.0;
  const Vec3 center(12.0, 12.0, dimension == 3 ? 12.0 : 0.5);
  test::set_faces(bench.velocity, [&](const Vec3& x) -> Vec3 { return axis.cross(x - center); });
  const std::vector<Vec3> before = bench.places();
  bench.move(theta, 8, scheme);
  const std::vector<Vec3> after = bench.places();
  const Eigen::AngleAxisd rotation(theta, axis);
  double error = 0.0;
  for (std::size_t p = 0; p < before.size(); ++p) {
    if ((before[p] - center).norm() > 5.0) continue;
    error = std::max(error, (after[p] - (center + rotation * (before[p] - center))).norm());
  }
  return error;
}

TEST(Motion, has_the_order_of_its_scheme_in_a_rotation) {
  for (const int dimension : {2, 3})
    for (const MotionScheme scheme : schemes) {
      // One step of a scheme of order n errs by theta^(n+1) + O(theta^(n+2)); the least error here is 50 times the
      // rounding of positions.
      const double coarse = rotation_error(dimension, scheme, 0.6);
      const double fine = rotation_error(dimension, scheme, 0.3);
      const double order = std::log2(coarse / fine) - 1.0;
      EXPECT_NEAR(order, static_cast<int>(scheme) + 1, 0.1) << dimension << "-D";
    }
}

TEST(Motion, in_a_constant_velocity_is_exact) {
  const Vec3 constant(1.5, -2.25, 0.75);
  const double dx = 0.125, dt = 0.1;
  for (const int dimension : {2, 3})
    for (const MotionScheme scheme : schemes) {
      Bench bench(dimension, box(dimension), FaceCondition::periodic, dx);
      test::set_faces(bench.velocity, [&](const Vec3&) { return constant; });
      const std::vector<Vec3> before = bench.places();
      EXPECT_EQ(bench.move(dt, 3, scheme).pushed_out, 0);
      const std::vector<Vec3> after = bench.places();
      for (std::size_t p = 0; p < before.size(); ++p)
        for (int axis = 0; axis < dimension; ++axis)  // positions below 16 in a block rounded once; here below 32
          ASSERT_NEAR(after[p][axis], before[p][axis] + constant[axis] * dt / dx, 8.0 * real_epsilon + 1e-14);
      if (dimension == 2) {
        ASSERT_EQ(after[0].z(), 0.5);
      }
    }
}

TEST(Motion, does_not_depend_on_a_longer_reach) {
  for (const FaceCondition condition : {FaceCondition::no_slip, FaceCondition::open, FaceCondition::periodic})
    for (const int dimension : {2, 3}) {
      std::vector<Vec3> first;
      for (int reach = 3; reach <= 8; ++reach) {
        Bench bench(dimension, {16, 24, dimension == 3 ? 8 : 1}, condition);
        test::set_faces(bench.velocity, random_velocity);
        bench.move(2.0, reach, MotionScheme::rk3);
        const std::vector<Vec3> places = bench.places();
        if (reach == 3) first = places;
        double difference = 0.0;
        for (std::size_t p = 0; p < places.size(); ++p)
          difference = std::max(difference, (places[p] - first[p]).norm());
        // places in the padded array are rounded (2e-15), which the gradients (up to 2 a cell) amplify; then once more
        EXPECT_LT(difference, 1e-13 + 16.0 * real_epsilon) << "reach " << reach;
      }
    }
}

TEST(Motion, gives_the_same_bits_for_any_number_of_threads) {
  const int threads_before = omp_get_max_threads();
  for (const int dimension : {2, 3}) {
    std::uint64_t first = 0;
    for (const int n_threads : {1, 2, 4}) {
      omp_set_num_threads(n_threads);
      Bench bench(dimension, box(dimension), FaceCondition::no_slip);
      test::set_faces(bench.velocity, random_velocity);
      bench.move(2.0, 3, MotionScheme::rk3);
      const std::uint64_t hash = test::particle_hash(bench.layout, bench.particles);
      if (n_threads == 1) first = hash;
      EXPECT_EQ(hash, first) << n_threads << " threads";
    }
  }
  omp_set_num_threads(threads_before);
}

TEST(Motion, of_the_greatest_length_stays_in_the_neighbouring_blocks) {
  for (const int dimension : {2, 3})
    for (const MotionScheme scheme : schemes) {
      Bench bench(dimension, {16, 16, dimension == 3 ? 16 : 1}, FaceCondition::periodic);
      test::set_faces(bench.velocity, [](const Vec3& x) -> Vec3 { return random_velocity(x).array().sign(); });
      bench.move(longest_substep, 7, scheme);
      for (ParticleIndex n = 0; n < 3 * bench.particles.size(); ++n) {
        ASSERT_GT(bench.particles.position()[n], -7.0);
        ASSERT_LT(bench.particles.position()[n], 15.0);
      }
    }
}

TEST(Motion, keeps_particles_inside_the_walls) {
  for (const int dimension : {2, 3})
    for (const MotionScheme scheme : schemes)
      for (const FaceCondition condition : {FaceCondition::free_slip, FaceCondition::no_slip}) {
        const Vec3i cells(19, 16, dimension == 3 ? 9 : 1);
        Bench bench(dimension, cells, condition);
        test::set_faces(bench.velocity, [](const Vec3& x) -> Vec3 { return 4.0 * random_velocity(x); });
        const MotionReport report = bench.move(1.0, 5, scheme);
        if (scheme == MotionScheme::rk1) {
          EXPECT_GT(report.pushed_out, 0);  // a straight step of four cells overshoots
        }
        for (const Vec3& x : bench.places())
          for (int axis = 0; axis < dimension; ++axis) {
            ASSERT_GT(x[axis], 0.99e-4);  // 1e-4 less the rounding of a position below 16
            ASSERT_LT(x[axis], cells[axis] - 0.98e-4);
          }
        bench.velocity.fill(0.0);
        EXPECT_EQ(bench.move(1.0, 5, scheme).pushed_out, 0) << "particles at rest on the wall";
      }
}

TEST(Motion, pushes_particles_out_of_a_ball) {
  const double dx = 0.25;
  for (const int dimension : {2, 3}) {
    const Vec3 center = dx * Vec3(9.3, 11.2, dimension == 3 ? 12.7 : 0.5);
    const double radius = 5.1 * dx;
    const Ball ball(center, radius);
    Bench bench(dimension, box(dimension), FaceCondition::open, dx,
                {{std::make_shared<Ball>(center, radius), Slip::free_slip}});
    bench.velocity.fill(0.0);
    const std::vector<Vec3> before = bench.places();
    const MotionReport report = bench.move(0.1, 2, MotionScheme::rk3);
    const std::vector<Vec3> after = bench.places();
    ParticleIndex n_inside = 0;
    for (std::size_t p = 0; p < before.size(); ++p) {
      const double distance = ball.signed_distance(dx * before[p]) / dx;
      if (distance >= 0.0) {
        ASSERT_EQ(after[p], before[p]);
        continue;
      }
      ++n_inside;
      // 1e-3 cells outside, by differences of step 1e-3 cells and positions rounded to 1e-6
      ASSERT_NEAR(ball.signed_distance(dx * after[p]) / dx, 1e-3, 1e-5);
      ASSERT_NEAR((after[p] - before[p]).norm(), 1e-3 - distance, 1e-5) << "not the shortest way out";
    }
    EXPECT_GT(n_inside, 50);
    EXPECT_EQ(report.pushed_out, n_inside);
  }
}

TEST(Motion, pushes_particles_out_of_a_ball_they_have_flown_into) {
  const double dx = 0.5;
  const Vec3 center = dx * Vec3(12.0, 12.0, 12.0);
  for (const int reach : {3, 7}) {
    Bench bench(3, box(3), FaceCondition::periodic, dx, {{std::make_shared<Ball>(center, 3.0 * dx), Slip::free_slip}});
    const double u = (reach - 1) * dx;
    test::set_faces(bench.velocity, [&](const Vec3&) { return Vec3(u, u, -u); });
    EXPECT_GT(bench.move(1.0, reach, MotionScheme::rk2).pushed_out, 0);
    for (const Vec3& x : bench.places()) ASSERT_GT((x - center / dx).norm(), 3.0);
  }
}

TEST(Motion, of_a_particle_into_a_body_leaves_it_no_velocity_into_it_nor_more_than_it_went) {
  const double dx = 0.5;
  const Vec3 center = dx * Vec3(12.0, 12.0, 12.0);
  Bench bench(3, box(3), FaceCondition::periodic, dx, {{std::make_shared<Ball>(center, 3.0 * dx), Slip::free_slip}});
  const Vec3 flow(1.0, 0.4, -0.3);
  test::set_faces(bench.velocity, [&](const Vec3&) { return flow; });
  const std::vector<Vec3> starts = bench.places();
  const ParticleReal* u = bench.particles.velocity();
  std::vector<Vec3> before;
  for (ParticleIndex p = 0; p < bench.particles.size(); ++p) before.emplace_back(u[3 * p], u[3 * p + 1], u[3 * p + 2]);
  ASSERT_GT(bench.move(1.0, 4, MotionScheme::rk2).pushed_out, 10);
  const std::vector<Vec3> places = bench.places();
  int n_stopped = 0;
  for (std::size_t p = 0; p < places.size(); ++p) {
    const Vec3 after(u[3 * p], u[3 * p + 1], u[3 * p + 2]);
    if (after == before[p]) continue;
    ++n_stopped;
    const Vec3 normal = (dx * places[p] - center).normalized();
    const double speed = before[p].norm();
    Vec3 expected = before[p] - std::min(before[p].dot(normal), 0.0) * normal;
    const double went = dx * (places[p] - starts[p]).norm();
    const bool began_inside = (dx * starts[p] - center).norm() <= 3.0 * dx;
    if (!began_inside && expected.norm() > went) expected *= went / expected.norm();
    // normals are good to the differences' error in single precision
    ASSERT_NEAR((after - expected).norm(), 0.0, 1e-5 * (speed + went));
    const Vec3 to_center = center / dx - starts[p];
    const double along = std::clamp(to_center.dot(flow) / flow.squaredNorm(), 0.0, 1.0 / dx);
    ASSERT_LT((to_center - along * flow).norm(), 3.0 + 1e-3) << "it went past the ball";
  }
  EXPECT_GT(n_stopped, 10);
}

TEST(Motion, of_a_body_into_particles_gives_them_its_velocity) {
  const double dx = 0.5;
  const Vec3 center = dx * Vec3(8.0, 12.0, 12.0);
  const Vec3 speed(1.5, 0.0, 0.0);
  const auto motion = std::make_shared<RigidMotion>(center, speed, Vec3::Zero());
  SolidBody body{std::make_shared<Ball>(center, 3.0 * dx), Slip::free_slip};
  body.motion = motion;
  Bench bench(3, box(3), FaceCondition::periodic, dx, {body});
  bench.velocity.fill(0.0);
  std::fill_n(bench.particles.velocity(), 3 * bench.particles.size(), ParticleReal{0});
  ASSERT_GT(bench.move(1.0, 3, MotionScheme::rk2).pushed_out, 10);
  const std::vector<Vec3> places = bench.places();
  int n_met = 0;
  for (std::size_t p = 0; p < places.size(); ++p) {
    const ParticleReal* u = bench.particles.velocity() + 3 * p;
    const Vec3 after(u[0], u[1], u[2]);
    const Vec3 normal = (dx * places[p] - center - speed).normalized();
    if (after.isZero(0.0) || normal.x() <= 0.0) continue;  // not met, or gone by
    ++n_met;
    ASSERT_NEAR((after - speed).dot(normal), 0.0, 1e-5 * speed.norm());
    ASSERT_GT(after.dot(normal), 0.0);
  }
  EXPECT_GT(n_met, 10);
}

}  // namespace
}  // namespace freshet
