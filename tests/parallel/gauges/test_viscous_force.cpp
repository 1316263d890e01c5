// SPDX-License-Identifier: Apache-2.0
// Forces of viscous stress on walls and bodies: what the liquid loses, and those of flows that are known.
#include "freshet/gauges/gauge.hpp"
#include "freshet/geometry/rigid_motion.hpp"
#include "freshet/geometry/shape.hpp"
#include "freshet/parallel/reduction.hpp"
#include "freshet/particles/sort.hpp"
#include "support/mpi_test.hpp"
#include "support/viscous_case.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace freshet {
namespace {

using namespace test;

constexpr double pi = std::numbers::pi;
constexpr double viscosity = 2.0;
const ViscosityOptions exact{1e-12, 100000};

enum Column { force_x, moment_z = 5, viscous_x = 7, viscous_y, viscous_z, viscous_moment_z = 12 };

/// The row of a force gauge after a step.
std::vector<double> row_of(const ViscousCase& flow, const GaugeParameters& parameters) {
  CellField<double> pressure(flow.layout, 0.0);
  pressure.fill(0.0);
  CellField<std::uint8_t> inner(flow.layout, 0);
  ParticleStore none;
  SortWorkspace workspace;
  sort_particles(none, flow.layout, CellOrder::by_id, workspace);
  Gauges gauges({parameters}, {flow.layout.domain(), 4, 1.0, Vec3::Zero()});
  gauges.begin_step(1, 0.0, 1.0);
  gauges.measure_flow({flow.velocity, pressure, flow.labels, inner, flow.solids, none, flow.step.forces()});
  Reduction reduction;
  gauges.add_to(reduction);
  reduction.reduce(world());
  return gauges.values(0);
}

GaugeParameters on_side(GaugeSide side) {
  GaugeParameters parameters;
  parameters.type = gauge_type_named("force");
  parameters.side = side;
  return parameters;
}

GaugeParameters on_solid(int solid, const Vec3& center = Vec3::Zero()) {
  GaugeParameters parameters;
  parameters.type = gauge_type_named("force");
  parameters.solid = solid;
  parameters.center = center;
  return parameters;
}

std::shared_ptr<const Shape> box(const Vec3& lower, const Vec3& upper) {
  ShapeParameters shape;
  shape.lower = lower;
  shape.upper = upper;
  return make_shape(shape);
}

std::shared_ptr<const Shape> cylinder(const Vec3& center, double radius) {
  ShapeParameters shape;
  shape.kind = ShapeKind::cylinder;
  shape.start = center - 10.0 * Vec3::UnitZ();
  shape.end = center + 10.0 * Vec3::UnitZ();
  shape.radius = radius;
  return make_shape(shape);
}

/// Liquid with a curved surface between walls of all kinds, with bodies of all kinds in it, that moves at random.
ViscousBox mixed_box(int dimension) {
  ViscousBox result;
  result.dimension = dimension;
  result.cells = {24, 20, dimension == 3 ? 16 : 1};
  result.cell_size = 1.0 / 24;
  result.boundary = {{{no_slip, free_slip}, {no_slip, no_slip}, {periodic, periodic}}};
  ShapeParameters ball;
  ball.kind = ShapeKind::sphere;
  ball.center = {0.31, 0.33, dimension == 3 ? 0.3 : 0.5 / 24};
  ball.radius = 0.14;
  const auto slow = std::make_shared<RigidMotion>(ball.center, Vec3(0.1, 0.2, 0.0), Vec3(0.0, 0.0, 1.0));
  result.bodies.push_back({make_shape(ball), Slip::no_slip, WallCondition::sticky, Surface::fractions, slow});
  result.bodies.push_back({box({0.5, -1.0, -1.0}, {0.6, 0.2, 2.0}), Slip::no_slip});
  result.distance = [](const Vec3& x) { return x.y() - 0.55 - 0.1 * std::sin(9.0 * x.x()); };
  result.dt = 0.05;
  return result;
}

class ViscousForce : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, ViscousForce, testing::Values(2, 3));

TEST_P(ViscousForce, is_what_the_liquid_loses) {
  const ViscousBox scene = mixed_box(GetParam());
  constexpr double density = 3.0;
  ViscousCase flow(world(), scene, exact);
  flow.set_velocity([](int d, const Vec3& x) { return std::sin(37.0 * x.x() + 91.0 * x.y() + 53.0 * x.z() + d); });
  const FaceField<double> before = flow.start_of_step(viscosity);
  flow.step.keep_forces();
  ASSERT_TRUE(flow.advance(viscosity, density).converged);
  const FaceField<float>& open = flow.solids.open_fraction();
  for (int d = 0; d < GetParam(); ++d) {
    double lost = 0.0;
    flow.for_each_face([&](int axis, LocalIndex b, int c, const Vec3&) {
      const double loss = before[d].block(b)[c] - flow.velocity[d].block(b)[c];
      if (axis == d && flow.is_unknown(d, b, c)) lost += flow.step.mass(d, b, c) * loss;
      if (axis == d && flow.step.is_held_by_body(d, b, c)) lost += static_cast<double>(open[d].block(b)[c]) * loss;
    });
    lost = world().sum(lost) * density * std::pow(scene.cell_size, 3) / scene.dt;
    double gained = 0.0;
    for (const HeldForce& force : flow.step.forces())
      if (force.axis == d) gained += force.force;
    gained = world().sum(gained);
    double of_gauges = 0.0;
    for (const GaugeParameters& gauge :
         {on_side(GaugeSide::x_low), on_side(GaugeSide::x_high), on_side(GaugeSide::y_low), on_side(GaugeSide::y_high),
          on_solid(0), on_solid(1)}) {
      const std::vector<double> row = row_of(flow, gauge);
      of_gauges += row[static_cast<std::size_t>(force_x + d)] + row[static_cast<std::size_t>(viscous_x + d)];
    }
    EXPECT_GT(std::abs(lost), 1e-5);
    EXPECT_NEAR(gained, lost, 1e-6 * std::abs(lost));  // masses and coefficients are float32
    EXPECT_NEAR(of_gauges, gained, 1e-12 * std::abs(lost));
  }
}

TEST_P(ViscousForce, of_a_channel_is_half_of_what_drives_it_on_each_wall) {
  constexpr int n = 24;
  ViscousBox scene;
  scene.dimension = GetParam();
  scene.cells = {8, n, GetParam() == 3 ? 8 : 1};
  scene.cell_size = 1.0 / n;
  scene.boundary[1] = {no_slip, no_slip};
  ViscousCase channel(world(), scene, exact);
  channel.step.keep_forces();
  const double drive = 20.0;  // [N/m^3]
  for (int step = 0; step < 6; ++step) {
    channel.for_each_face([&](int d, LocalIndex b, int c, const Vec3&) {
      if (d == 0) channel.velocity[d].block(b)[c] += drive;
    });
    ASSERT_TRUE(channel.advance(20.0).converged);
  }
  const double volume = 8.0 / n * 1.0 * (GetParam() == 3 ? 8.0 / n : 1.0 / n);
  for (const GaugeSide side : {GaugeSide::y_low, GaugeSide::y_high}) {
    const std::vector<double> row = row_of(channel, on_side(side));
    EXPECT_NEAR(row[viscous_x], 0.5 * drive * volume, 1e-4 * drive * volume);
    EXPECT_NEAR(row[viscous_y], 0.0, 1e-9 * drive * volume);
    const double arm = side == GaugeSide::y_low ? 0.0 : 1.0;
    EXPECT_NEAR(row[viscous_moment_z], -arm * row[viscous_x], 1e-9 * drive * volume);
  }
}

TEST_P(ViscousForce, of_couette_flow_is_viscosity_times_shear) {
  ViscousBox scene;
  scene.dimension = GetParam();
  scene.cells = {8, 24, GetParam() == 3 ? 8 : 1};
  scene.cell_size = 1.0 / 24;
  scene.boundary[1] = {no_slip, free_slip};
  scene.bodies.push_back({box({-9.0, 20.0 / 24, -9.0}, {9.0, 2.0, 9.0}), Slip::no_slip, WallCondition::sticky,
                          Surface::voxels,
                          std::make_shared<RigidMotion>(Vec3::Zero(), Vec3(0.5, 0.0, 0.0), Vec3::Zero())});
  ViscousCase channel(world(), scene, exact);
  channel.step.keep_forces();
  for (int step = 0; step < 6; ++step) ASSERT_TRUE(channel.advance(20.0).converged);
  const double area = 8.0 / 24 * (GetParam() == 3 ? 8.0 / 24 : 1.0 / 24);
  const double push = 20.0 * 0.5 / (20.0 / 24) * area;
  EXPECT_NEAR(row_of(channel, on_side(GaugeSide::y_low))[viscous_x], push, 1e-5 * push);
  EXPECT_NEAR(row_of(channel, on_solid(0))[viscous_x], -push, 1e-5 * push);
  EXPECT_EQ(row_of(channel, on_side(GaugeSide::y_high))[viscous_x], 0.0);
}

TEST(ViscousForceOnCutCells, turns_cylinders_by_the_torque_of_couette) {
  if (world().size() > 2) GTEST_SKIP() << "the bits are those of one rank, as another test shows";
  constexpr double r1 = 0.21, r2 = 0.43;
  std::vector<double> errors;
  for (const int n : {32, 64, 128, 256}) {
    const Vec3 center(0.503, 0.497, 0.5 / n);
    ShapeParameters all, hole;
    all.lower = Vec3::Constant(-9.0);
    all.upper = Vec3::Constant(9.0);
    hole.kind = ShapeKind::cylinder;
    hole.start = center - 20.0 * Vec3::UnitZ();
    hole.end = center + 20.0 * Vec3::UnitZ();
    hole.radius = r2;
    ShapeParameters outside;
    outside.kind = ShapeKind::difference_of;
    outside.parts = {all, hole};
    ViscousBox scene;
    scene.cells = {n, n, 1};
    scene.cell_size = 1.0 / n;
    scene.bodies.push_back({cylinder(center, r1), Slip::no_slip, WallCondition::sticky, Surface::fractions,
                            std::make_shared<RigidMotion>(center, Vec3::Zero(), Vec3(0.0, 0.0, 1e-3))});
    scene.bodies.push_back({make_shape(outside), Slip::no_slip, WallCondition::sticky, Surface::fractions});
    ViscousCase gap(world(), scene, exact);
    gap.step.keep_forces();
    for (int step = 0; step < 4; ++step) ASSERT_TRUE(gap.advance(viscosity).converged);
    const double torque =
        4.0 * pi * viscosity * 1e-3 / (1.0 / (r1 * r1) - 1.0 / (r2 * r2)) / n;  // of a layer of one cell
    const double inner = row_of(gap, on_solid(0, center))[viscous_moment_z];
    const double outer = row_of(gap, on_solid(1, center))[viscous_moment_z];
    errors.push_back(std::max(std::abs(inner / torque + 1.0), std::abs(outer / torque - 1.0)));
  }
  EXPECT_LT(errors[0], 0.015);  // the gap is 7 cells wide
  EXPECT_LT(errors[1], 0.015);
  EXPECT_LT(errors[3], 0.3 * errors[0]);
}

}  // namespace
}  // namespace freshet
