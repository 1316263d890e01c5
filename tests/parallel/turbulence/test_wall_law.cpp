// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/sampled_shape.hpp"
#include "freshet/turbulence/friction.hpp"
#include "freshet/turbulence/turbulence.hpp"
#include "support/case.hpp"
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
      EXPECT_NEAR(after[d].block(b)[c], is_first ? before * (1.0 - rate) : before, 1e-9) << d << " " << x.y();
    });
  }
}

/// Gravity that the pressure will balance, along the wall and across the flow: the stress is that of u^n, at any dt.
TEST_P(WallLawTest, drags_on_the_velocity_before_other_forces) {
  const Vec3 added(0.7, -0.3, 0.5);
  for (const double dt : {1e-3, 0.1, 10.0}) {
    ViscousCase scene(world(), channel(GetParam()));
    scene.set_velocity([](int d, const Vec3&) { return d == 0 ? 3.0 : 0.0; });
    const FaceField<double> without = after_step(scene, dt);
    Turbulence turbulence(options_of_domain(), {}, 0.0, 1000.0);
    FaceField<double> after = scene.velocity;
    scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3&) { after[d].block(b)[c] += added[d]; });
    turbulence(scene.velocity, scene.labels, scene.solids, dt, after);
    scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3&) {
      EXPECT_NEAR(after[d].block(b)[c], without[d].block(b)[c] + added[d], 1e-14) << d << " " << dt;
    });
  }
}

/// A uniform flow of which gravity along the wall adds as much as the stress takes stays as it is, whatever dt, as long
/// as a step takes no more than half of the velocity.
TEST_P(WallLawTest, keeps_a_channel_steady_at_any_dt) {
  const double rate = std::pow(friction_velocity(3.0, 0.5 * dx, 0.0, roughness), 2) / dx / 3.0;
  for (const double part : {1e-3, 0.1, 0.5}) {
    ViscousCase scene(world(), channel(GetParam()));
    scene.set_velocity([](int d, const Vec3&) { return d == 0 ? 3.0 : 0.0; });
    const double dt = part / rate;
    Turbulence turbulence(options_of_domain(), {}, 0.0, 1000.0);
    FaceField<double> after = scene.velocity;
    scene.for_each_face(
        [&](int d, LocalIndex b, int c, const Vec3&) { after[d].block(b)[c] += d == 0 ? 3.0 * part : 0.0; });
    turbulence(scene.velocity, scene.labels, scene.solids, dt, after);
    scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
      if (d != 0 || x.y() > dx) return;
      EXPECT_NEAR(after[d].block(b)[c], 3.0, 1e-6) << part;  // roughness is a float
    });
  }
}

/// In an edge each of two walls takes its part; together they take no more than the velocity.
TEST_P(WallLawTest, never_reverses_the_velocity_between_two_walls) {
  if (GetParam() == 2) return;
  ViscousBox box = channel(3);
  box.boundary[2] = {FaceCondition::wall_law, FaceCondition::free_slip};
  ViscousCase scene(world(), box);
  scene.set_velocity([](int d, const Vec3&) { return d == 0 ? 3.0 : 0.0; });
  const double rate = std::pow(friction_velocity(3.0, 0.5 * dx, 0.0, roughness), 2) / dx / 3.0;
  for (const double dt : {1e-3, 1e9}) {
    const FaceField<double> after = after_step(scene, dt);
    scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
      if (d != 0 || x.y() > dx || x.z() > dx) return;
      EXPECT_GE(after[d].block(b)[c], 0.0);
      EXPECT_NEAR(after[d].block(b)[c], dt < 1.0 ? 3.0 * (1.0 - 2.0 * rate * dt) : 0.0, dt < 1.0 ? 1e-9 : 1e-4);
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

/// The faces around a ball stand for its own surface, in each component, also where its distance is interpolated
/// between the grid's corners, as those of meshes are.
TEST_P(WallLawTest, finds_the_area_of_a_ball) {
  for (const double radius : {0.4, 0.83})
    for (const bool is_sampled : {false, true}) {
      ViscousBox box = with_ball(GetParam(), Surface::fractions, Vec3::Zero());
      std::shared_ptr<const Shape>& shape = box.bodies.front().shape;
      shape = make_ball({1.63, 1.57, GetParam() == 3 ? 1.61 : 0.05}, radius);
      if (is_sampled)
        shape = std::make_shared<SampledShape>(shape,
                                               SampleLattice{{0.0, 0.0, GetParam() == 3 ? 0.0 : 0.05}, dx, GetParam()});
      ViscousCase scene(world(), box);
      WallFaces walls(roughness, 0.0F);
      walls.update(scene.layout, scene.solids);
      double area[3] = {};
      for (LocalIndex b = 0; b < scene.layout.n_owned(); ++b)
        for (const WallFace& face : walls.of(b)) area[face.axis] += static_cast<double>(face.area) * dx * dx;
      const double exact = 2.0 * std::numbers::pi * radius * (GetParam() == 3 ? 2.0 * radius : dx);
      for (int d = 0; d < GetParam(); ++d) {
        const double ratio = world().sum(area[d]) / exact;
        test::report("area of a ball's faces over its own: radius [cells], whether it is sampled",
                     {radius / dx, is_sampled ? 1.0 : 0.0, ratio});
        EXPECT_NEAR(ratio, 1.0, GetParam() == 3 ? 0.02 : 0.04) << d << " " << radius << " " << is_sampled;
      }
    }
}

/// A box has no area beside its edges, where the layer around it goes round them, and a plate has that of its faces.
TEST_P(WallLawTest, finds_the_area_of_a_box) {
  ViscousBox box = with_ball(GetParam(), Surface::fractions, Vec3::Zero());
  ShapeParameters shape;
  shape.lower = {1.03, 0.97, GetParam() == 3 ? 1.11 : -1.0};
  shape.upper = {2.03, 1.77, GetParam() == 3 ? 1.71 : 1.0};
  box.bodies.front().shape = make_shape(shape);
  ViscousCase scene(world(), box);
  WallFaces walls(roughness, 0.0F);
  walls.update(scene.layout, scene.solids);
  double area[3] = {};
  for (LocalIndex b = 0; b < scene.layout.n_owned(); ++b)
    for (const WallFace& face : walls.of(b)) area[face.axis] += static_cast<double>(face.area) * dx * dx;
  const double exact = GetParam() == 3 ? 2.0 * (1.0 * 0.8 + 0.8 * 0.6 + 0.6 * 1.0) : 2.0 * (1.0 + 0.8) * dx;
  for (int d = 0; d < GetParam(); ++d) {
    test::report("area of a box over that of its faces", {world().sum(area[d]) / exact});
    // faces stand one cell apart, and curvatures are differences over a quarter of one
    EXPECT_NEAR(world().sum(area[d]) / exact, 1.0, 0.02) << d;
  }
}

/// The stress of the law at faces at the distances of the layer, in the mean that their areas make, times a power of
/// the sine and a factor, over a ball. \param[in] speed  at the equator
template <class Speed>
double over_a_ball(double radius, int power, double density, Speed&& speed) {
  double sum = 0.0;
  constexpr int n = 200;
  for (int i = 0; i < n; ++i) {
    const double s = 1.25 * (i + 0.5) / n, weight = 1.25 / n * std::min({1.0, 4.0 * s, 4.0 * (1.25 - s)});
    for (int j = 0; j < n; ++j) {
      const double sine = std::sin(std::numbers::pi * (j + 0.5) / n);
      const double friction = friction_velocity(speed(sine), std::max(s, 0.25) * dx, 0.0, roughness);
      sum += weight * density * friction * friction * std::pow(sine, power) * 2.0 * std::numbers::pi * sine * radius *
             radius * std::numbers::pi / n;
    }
  }
  return sum;
}

/// A ball at rest in a uniform flow feels the law's stress on its own area, and one that spins the law's moment.
TEST(WallLaw, drags_on_the_area_of_a_ball_of_few_cells) {
  constexpr double speed = 2.0, spin = 3.0;
  for (const double cells : {4.0, 8.0})
    for (const bool spins : {false, true}) {
      ViscousBox box = with_ball(3, Surface::fractions, Vec3::Zero());
      ShapeParameters ball;
      ball.kind = ShapeKind::sphere;
      ball.center = {1.63, 1.57, 1.61};
      ball.radius = cells * dx;
      const Vec3 turn(0.0, 0.0, spins ? spin : 0.0);
      box.bodies.front().shape = make_shape(ball);
      if (spins) box.bodies.front().motion = std::make_shared<RigidMotion>(ball.center, Vec3::Zero(), turn);
      ViscousCase scene(world(), box);
      scene.set_velocity([&](int d, const Vec3&) { return d == 0 && !spins ? speed : 0.0; });
      Turbulence turbulence(options_of_domain(), {}, 0.0, 1000.0);
      turbulence.keep_forces();
      FaceField<double> after = scene.velocity;
      turbulence(scene.velocity, scene.labels, scene.solids, 1e-4, after);
      Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
      for (const HeldForce& held : turbulence.forces({})) {
        force[held.axis] += held.force;
        moment += (held.at - ball.center).cross(held.force * Vec3::Unit(held.axis));
      }
      const double found = world().sum(spins ? -moment.z() : force.x());
      const double expected = spins ? ball.radius * over_a_ball(ball.radius, 1, 1000.0,
                                                                [&](double sine) { return spin * ball.radius * sine; })
                                    : over_a_ball(ball.radius, 1, 1000.0, [&](double sine) { return speed * sine; });
      test::report("ball of a wall law: radius [cells], whether it spins, force or moment over the law's",
                   {cells, spins ? 1.0 : 0.0, found / expected});
      EXPECT_NEAR(found / expected, 1.0, 0.05) << cells << " " << spins;  // of a sum over faces one cell apart
    }
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
      EXPECT_NEAR(after[d].block(b)[c], 2.0 * (1.0 - rate), 1e-6);
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
