// SPDX-License-Identifier: Apache-2.0
#include "freshet/turbulence/friction.hpp"
#include "freshet/turbulence/turbulence.hpp"
#include "support/mpi_test.hpp"
#include "support/viscous_case.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

namespace freshet {
namespace {

using test::periodic;
using test::ViscousBox;
using test::ViscousCase;
using test::world;

constexpr double dx = 0.1;          // [m]
constexpr double roughness = 2e-3;  // [m]

DomainOptions options_of_domain() {
  DomainOptions domain;
  domain.cell_size = dx;
  domain.wall_roughness.roughness = roughness;
  return domain;
}

ViscousBox channel(int dimension) {
  ViscousBox box;
  box.dimension = dimension;
  box.cells = {16, 12, dimension == 3 ? 8 : 1};
  box.cell_size = dx;
  box.boundary[1] = {FaceCondition::wall_law, FaceCondition::free_slip};
  return box;
}

/// The velocity after a step of the wall law alone. Collective
FaceField<double> after_step(ViscousCase& scene, double dt, double viscosity = 0.0) {
  Turbulence turbulence(options_of_domain(), {}, viscosity, 1000.0);
  FaceField<double> after = scene.velocity;
  turbulence(scene.velocity, scene.labels, scene.solids, dt, after);
  return after;
}

class WallLawTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, WallLawTest, testing::Values(2, 3));

/// By hand: u_tau^2 / dx is the deceleration of the first layer, half a cell from the wall.
TEST_P(WallLawTest, slows_the_first_layer_down_by_the_stress_of_the_wall) {
  ViscousCase scene(world(), channel(GetParam()));
  scene.set_velocity([](int d, const Vec3&) { return d == 0 ? 3.0 : d == 2 ? -4.0 : 0.0; });
  const double dt = 1e-3, speed = GetParam() == 3 ? 5.0 : 3.0;
  for (const double viscosity : {0.0, 1e-2}) {
    const double friction = friction_velocity(speed, 0.5 * dx, viscosity / 1000.0, roughness);
    const double rate = friction * friction / dx / speed * dt;
    const FaceField<double> after = after_step(scene, dt, viscosity);
    scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
      const double before = scene.velocity[d].block(b)[c];
      const bool is_first = d != 1 && x.y() < dx;
      EXPECT_NEAR(after[d].block(b)[c], is_first ? before / (1.0 + rate) : before, 1e-6) << d << " " << x.y();
    });
  }
}

TEST_P(WallLawTest, never_reverses_the_velocity) {
  ViscousCase scene(world(), channel(GetParam()));
  scene.set_velocity([](int d, const Vec3&) { return d == 0 ? 3.0 : 0.0; });
  const FaceField<double> after = after_step(scene, 1e9);
  scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
    if (d != 0 || x.y() > dx) return;
    EXPECT_GE(after[d].block(b)[c], 0.0);
    EXPECT_LE(after[d].block(b)[c], 1e-4);
  });
}

ViscousBox with_ball(int dimension, Surface surface, const Vec3& velocity) {
  ViscousBox box;
  box.dimension = dimension;
  box.cells = {32, 32, dimension == 3 ? 32 : 1};
  box.cell_size = dx;
  ShapeParameters ball;
  ball.kind = ShapeKind::sphere;
  ball.center = {1.63, 1.57, dimension == 3 ? 1.61 : 0.05};
  ball.radius = 0.83;
  const std::shared_ptr<const RigidMotion> motion =
      velocity.isZero() ? nullptr : std::make_shared<RigidMotion>(Vec3::Zero(), velocity, Vec3::Zero());
  SolidBody body{make_shape(ball), Slip::wall_law, WallCondition::sticky, surface, motion};
  body.roughness = roughness;
  box.bodies.push_back(body);
  return box;
}

/// The faces around a ball stand for its surface, in each component.
TEST_P(WallLawTest, finds_the_area_of_a_ball) {
  const ViscousBox box = with_ball(GetParam(), Surface::fractions, Vec3::Zero());
  ViscousCase scene(world(), box);
  WallFaces walls(roughness, 0.0F);
  walls.update(scene.layout, scene.solids);
  double area[3] = {};
  for (LocalIndex b = 0; b < scene.layout.n_owned(); ++b)
    for (const WallFace& face : walls.of(b)) area[face.axis] += static_cast<double>(face.area) * dx * dx;
  const double exact = GetParam() == 3 ? 4.0 * std::numbers::pi * 0.83 * 0.83 : 2.0 * std::numbers::pi * 0.83 * dx;
  // the layer is one cell thick, outside: its middle has the radius 0.83 + 5/8 dx
  const double outside = std::pow(1.0 + 0.0625 / 0.83, GetParam() - 1);
  for (int d = 0; d < GetParam(); ++d)
    EXPECT_NEAR(world().sum(area[d]) / (exact * outside), 1.0, GetParam() == 3 ? 0.02 : 0.04) << d;
}

/// A body that moves with the liquid feels no stress; one that does not, feels the stress of the difference.
TEST_P(WallLawTest, acts_on_the_velocity_relative_to_a_moving_body) {
  const Vec3 u(0.4, 0.0, 0.0);
  for (const Surface surface : {Surface::fractions, Surface::voxels}) {
    ViscousCase together(world(), with_ball(GetParam(), surface, u));
    ViscousCase apart(world(), with_ball(GetParam(), surface, Vec3::Zero()));
    for (ViscousCase* scene : {&together, &apart}) {
      scene->set_velocity([&](int d, const Vec3&) { return u[d]; });
      const FaceField<double> after = after_step(*scene, 0.01);
      double largest = 0.0;
      scene->for_each_face([&](int d, LocalIndex b, int c, const Vec3&) {
        largest = std::max(largest, std::abs(after[d].block(b)[c] - scene->velocity[d].block(b)[c]));
      });
      largest = world().max(largest);
      if (scene == &together)
        EXPECT_LE(largest, 1e-6);
      else
        EXPECT_GT(largest, 3e-5);  // by hand: u_tau^2 dt / dx = 6e-5 half a cell away
    }
  }
}

/// A plate of open fractions between cells' faces drags as a side of the domain does, whatever part of a cell it cuts.
TEST_P(WallLawTest, drags_alike_wherever_a_body_cuts_the_cells) {
  const double dt = 1e-2;
  const double expected = std::pow(friction_velocity(2.0, 0.5 * dx, 0.0, roughness), 2) * dt / dx;
  for (const double top : {0.3, 0.32, 0.35, 0.38}) {
    ViscousBox box = channel(GetParam());
    box.boundary[1] = {FaceCondition::free_slip, FaceCondition::free_slip};
    ShapeParameters plate;
    plate.lower = {-1.0, -1.0, -1.0};
    plate.upper = {3.0, top, 3.0};
    SolidBody body{make_shape(plate), Slip::wall_law, WallCondition::sticky, Surface::fractions};
    body.roughness = roughness;
    box.bodies.push_back(body);
    ViscousCase scene(world(), box);
    scene.set_velocity([](int d, const Vec3&) { return d == 0 ? 2.0 : 0.0; });
    const FaceField<double> after = after_step(scene, dt);
    double sum = 0.0, n = 0.0;
    scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
      if (d != 0) return;
      sum += scene.velocity[d].block(b)[c] - after[d].block(b)[c];
      n += x.y() < dx ? 1.0 : 0.0;
    });
    // the distance of the velocity, and with it the friction, differs from half a cell: by up to 1/4 of u_tau
    EXPECT_NEAR(world().sum(sum) / world().sum(n) / expected, 1.0, 0.5) << top;
    EXPECT_GT(world().sum(sum), 0.0);
  }
}

/// Liquid at 2 m/s in a narrow gap between a plate at rest, which has the wall law, and one without friction that is
/// nearer to the faces: the stress is that of the first plate, whether the second one moves with the liquid or not.
TEST_P(WallLawTest, takes_the_velocity_of_the_wall_whose_law_it_is) {
  const auto plate = [](double low, double high, Slip slip, double speed) {
    ShapeParameters box;
    box.lower = {-4.0, low, -4.0};
    box.upper = {6.0, high, 6.0};
    const auto motion = std::make_shared<RigidMotion>(Vec3::Zero(), Vec3(speed, 0.0, 0.0), Vec3::Zero());
    SolidBody body{make_shape(box), slip, WallCondition::sticky, Surface::fractions, motion};
    body.roughness = roughness;
    return body;
  };
  const double dt = 1e-2, rate = std::pow(friction_velocity(2.0, 0.09, 0.0, roughness), 2) * dt / (2.0 * dx);
  for (const double speed : {0.0, 2.0}) {
    SCOPED_TRACE(speed);
    ViscousBox box = channel(GetParam());
    box.boundary[1] = {FaceCondition::free_slip, FaceCondition::free_slip};
    box.bodies = {plate(-1.0, 0.26, Slip::wall_law, 0.0), plate(0.42, 1.0, Slip::free_slip, speed)};
    ViscousCase scene(world(), box);
    scene.set_velocity([](int d, const Vec3&) { return d == 0 ? 2.0 : 0.0; });
    const FaceField<double> after = after_step(scene, dt);
    double n = 0.0;
    scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
      if (d != 0 || std::abs(x.y() - 0.35) > 1e-6) return;
      EXPECT_NEAR(after[d].block(b)[c], 2.0 / (1.0 + rate), 1e-6);
      n += 1.0;
    });
    EXPECT_GT(world().sum(n), 0.0);
  }
}

TEST_P(WallLawTest, gives_its_force_to_the_wall) {
  ViscousCase scene(world(), channel(GetParam()));
  scene.set_velocity([](int d, const Vec3&) { return d == 0 ? 3.0 : 0.0; });
  Turbulence turbulence(options_of_domain(), {}, 0.0, 1000.0);
  turbulence.keep_forces();
  FaceField<double> after = scene.velocity;
  constexpr double dt = 1e-2;
  turbulence(scene.velocity, scene.labels, scene.solids, dt, after);
  double force = 0.0, momentum = 0.0;
  for (const HeldForce& held : turbulence.forces({})) {
    EXPECT_EQ(held.cell[1], -1);  // beyond the wall, by which ForceGauge knows it
    force += held.axis == 0 ? held.force : 0.0;
  }
  scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3&) {
    if (d == 0) momentum += 1000.0 * dx * dx * dx * (scene.velocity[d].block(b)[c] - after[d].block(b)[c]);
  });
  EXPECT_GT(world().sum(force), 0.0);
  EXPECT_NEAR(world().sum(force) * dt, world().sum(momentum), 1e-9 * world().sum(momentum));
}

}  // namespace
}  // namespace freshet
