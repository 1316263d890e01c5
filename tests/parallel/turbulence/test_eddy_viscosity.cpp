// SPDX-License-Identifier: Apache-2.0
#include "freshet/turbulence/turbulence.hpp"
#include "support/mpi_test.hpp"
#include "support/viscous_case.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace freshet {
namespace {

using test::free_slip;
using test::periodic;
using test::ViscousBox;
using test::ViscousCase;
using test::world;

constexpr double dx = 0.1;  // [m]

/// Liquid between walls across y, periodic along other axes.
ViscousBox layer(int dimension, FaceCondition walls = free_slip) {
  ViscousBox box;
  box.dimension = dimension;
  box.cells = {16, 12, dimension == 3 ? 8 : 1};
  box.cell_size = dx;
  box.boundary[1] = {walls, walls};
  return box;
}

/// Shear of 2 / s along x, and a drift. [m/s]
double sheared(int d, const Vec3& x, double drift = 0.0) {
  return (d == 0 ? 2.0 * x.y() : 0.0) + (d == 1 ? 0.0 : drift);
}

struct Acted {
  FaceField<double> change;  ///< of the velocity [m/s]
  CellField<float> viscosity;
};

/// Let a model act on a scene for dt. [s] Collective
Acted act(ViscousCase& scene, const TurbulenceOptions& options, double dt, double viscosity = 0.0) {
  DomainOptions domain;
  domain.cell_size = dx;
  domain.wall_roughness.roughness = 1e-3;
  Turbulence turbulence(domain, options, viscosity, 1.0);
  Acted acted{scene.velocity, {}};
  turbulence(scene.velocity, scene.labels, scene.solids, dt, acted.change);
  for (int d = 0; d < acted.change.dimension(); ++d)
    for (LocalIndex b = 0; b < scene.layout.n_owned(); ++b)
      for (int c = 0; c < scene.layout.cells_per_block(); ++c)
        acted.change[d].block(b)[c] -= scene.velocity[d].block(b)[c];
  acted.viscosity = *turbulence.eddy_viscosity();
  return acted;
}

constexpr double expected = 0.17 * 0.17 * dx * dx * 2.0;  ///< (C dx)^2 |S| [m^2/s]

class EddyViscosityTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, EddyViscosityTest, testing::Values(2, 3));

TEST_P(EddyViscosityTest, of_smagorinsky_is_exact_in_a_linear_shear) {
  ViscousCase scene(world(), layer(GetParam()));
  scene.set_velocity([](int d, const Vec3& x) { return sheared(d, x); });
  const Acted acted = act(scene, {TurbulenceModel::smagorinsky, {}}, 0.01);
  scene.for_each_cell(
      [&](LocalIndex b, int c, const Vec3&) { EXPECT_NEAR(acted.viscosity.block(b)[c], expected, 1e-5 * expected); });
}

TEST_P(EddyViscosityTest, of_wale_vanishes_in_a_linear_shear) {
  ViscousCase scene(world(), layer(GetParam()));
  scene.set_velocity([](int d, const Vec3& x) { return sheared(d, x); });
  const Acted acted = act(scene, {TurbulenceModel::wale, {}}, 0.01);
  scene.for_each_cell(
      [&](LocalIndex b, int c, const Vec3&) { EXPECT_NEAR(acted.viscosity.block(b)[c], 0.0, 1e-5 * expected); });
}

/// (0.4 d)^2 |S| with the distance from the nearer one of two walls.
TEST_P(EddyViscosityTest, of_the_mixing_length_grows_with_the_distance_from_walls) {
  ViscousCase scene(world(), layer(GetParam(), FaceCondition::wall_law));
  scene.set_velocity([](int d, const Vec3& x) { return sheared(d, x); });
  const Acted acted = act(scene, {TurbulenceModel::mixing_length, {}}, 0.001);
  scene.for_each_cell([&](LocalIndex b, int c, const Vec3& corner) {
    const double y = corner.y() + 0.5 * dx;
    const double length = 0.4 * std::min(y, 1.2 - y);
    EXPECT_NEAR(acted.viscosity.block(b)[c], length * length * 2.0, 1e-5 * length * length) << y;
  });
}

/// A layer with d+ = d sqrt((nu + nu_t) |S|) / nu, from the formula of the header.
TEST_P(EddyViscosityTest, is_damped_by_van_driest_towards_walls) {
  ViscousCase scene(world(), layer(GetParam(), FaceCondition::wall_law));
  scene.set_velocity([](int d, const Vec3& x) { return sheared(d, x); });
  constexpr double nu = 1e-3;
  const Acted acted = act(scene, {TurbulenceModel::smagorinsky, {}}, 0.01, nu);
  scene.for_each_cell([&](LocalIndex b, int c, const Vec3& corner) {
    const double y = corner.y() + 0.5 * dx;
    const double distance = std::min(y, 1.2 - y);
    const double damping = 1.0 - std::exp(-distance * std::sqrt((nu + expected) * 2.0) / nu / 26.0);
    if (distance > 4.0 * dx) return;  // beyond, the damping is left out
    EXPECT_NEAR(acted.viscosity.block(b)[c], expected * damping * damping, 1e-4 * expected) << y;
  });
}

/// The stress nu_t G is the same everywhere but at the walls, where eddies have none.
TEST_P(EddyViscosityTest, passes_a_linear_shears_momentum_from_one_wall_to_the_other) {
  ViscousCase scene(world(), layer(GetParam()));
  scene.set_velocity([](int d, const Vec3& x) { return sheared(d, x); });
  constexpr double dt = 0.01;
  const Acted acted = act(scene, {TurbulenceModel::smagorinsky, {}}, dt);
  const double of_layer = expected * 2.0 * dt / dx;
  scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
    const double sign = x.y() < dx ? 1.0 : x.y() > 1.1 ? -1.0 : 0.0;
    EXPECT_NEAR(acted.change[d].block(b)[c], d == 0 ? sign * of_layer : 0.0, 1e-4 * of_layer) << d << " " << x.y();
  });
}

TEST_P(EddyViscosityTest, does_not_change_with_the_speed_of_the_frame) {
  ViscousCase rest(world(), layer(GetParam())), drift(world(), layer(GetParam()));
  const auto rough = [](int d, const Vec3& x) { return test::random_velocity(d, x); };
  rest.set_velocity(rough);
  drift.set_velocity([&](int d, const Vec3& x) { return rough(d, x) + (d == 1 ? 0.0 : 3.0); });
  for (const TurbulenceModel model : {TurbulenceModel::smagorinsky, TurbulenceModel::wale}) {
    const Acted one = act(rest, {model, {}}, 0.01), other = act(drift, {model, {}}, 0.01);
    double largest = 0.0, difference = 0.0;
    rest.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
      if (d == 1 && x.y() < 0.5 * dx) return;  // held by the wall
      largest = std::max(largest, std::abs(one.change[d].block(b)[c]));
      difference = std::max(difference, std::abs(one.change[d].block(b)[c] - other.change[d].block(b)[c]));
    });
    EXPECT_GT(world().max(largest), 1e-3);
    EXPECT_LE(world().max(difference), 1e-5 * world().max(largest));  // single precision
  }
}

TEST_P(EddyViscosityTest, takes_energy_and_keeps_momentum) {
  ViscousBox box = layer(GetParam());
  box.boundary[1] = {periodic, periodic};
  box.cells[1] = 8;
  ViscousCase scene(world(), box);
  scene.set_velocity(test::random_velocity);
  for (const TurbulenceModel model : {TurbulenceModel::smagorinsky, TurbulenceModel::wale}) {
    DomainOptions domain;
    domain.cell_size = dx;
    Turbulence turbulence(domain, {model, {}}, 0.0, 1000.0);
    FaceField<double> after = scene.velocity;
    turbulence(scene.velocity, scene.labels, scene.solids, 0.02, after);
    double energy = 0.0;
    double momentum[3] = {};
    scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3&) {
      const double u = scene.velocity[d].block(b)[c], v = after[d].block(b)[c];
      energy += 500.0 * dx * dx * dx * (u * u - v * v);
      momentum[d] += v - u;
    });
    energy = world().sum(energy);
    Reduction reduction;
    turbulence.add_to(reduction);
    reduction.reduce(world());
    EXPECT_GT(energy, 0.0);
    EXPECT_NEAR(turbulence.energy_lost(), energy, 1e-10 * energy);
    for (const double sum : momentum) EXPECT_NEAR(world().sum(sum), 0.0, 1e-4);  // single precision, of 10^3 faces
  }
}

TEST_P(EddyViscosityTest, vanishes_beside_air) {
  ViscousBox box = layer(GetParam());
  box.distance = [](const Vec3& x) { return x.y() - 0.8; };  // the surface
  box.sharp = false;
  ViscousCase scene(world(), box);
  scene.set_velocity([](int d, const Vec3& x) { return sheared(d, x); });
  const Acted acted = act(scene, {TurbulenceModel::smagorinsky, {}}, 0.01);
  scene.for_each_cell([&](LocalIndex b, int c, const Vec3& corner) {
    const bool is_inside = corner.y() + 0.5 * dx < 0.7;  // the next cell's centre is at 0.75
    EXPECT_NEAR(acted.viscosity.block(b)[c], is_inside ? expected : 0.0, 1e-5 * expected) << corner.y();
  });
  scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
    if (x.y() < 0.8) return;
    EXPECT_EQ(acted.change[d].block(b)[c], 0.0);
  });
}

/// A wave in shear that lifts a surface and lets it sink: normal stresses in its cells would do work there, more than
/// the eddies take below.
TEST_P(EddyViscosityTest, takes_energy_below_a_surface_that_moves) {
  ViscousBox box = layer(GetParam());
  box.boundary[1] = {FaceCondition::wall_law, FaceCondition::open};
  box.cells[0] = 64;
  box.distance = [](const Vec3& x) { return x.y() - 0.8; };
  box.sharp = false;
  ViscousCase scene(world(), box);
  const double k = 2.0 * std::numbers::pi / 6.4, lift = 6.0;  // [1/m], [1/s]
  scene.set_velocity([&](int d, const Vec3& x) {
    if (d == 1) return lift * x.y() * std::cos(k * x.x());
    return d == 0 ? -lift / k * std::sin(k * x.x()) : 0.0;
  });
  for (const TurbulenceModel model :
       {TurbulenceModel::smagorinsky, TurbulenceModel::wale, TurbulenceModel::mixing_length}) {
    const Acted acted = act(scene, {model, {}}, 1e-3);
    double energy = 0.0;
    scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3&) {
      const double u = scene.velocity[d].block(b)[c], change = acted.change[d].block(b)[c];
      energy -= change * (u + 0.5 * change);
    });
    EXPECT_GT(world().sum(energy), 0.0) << static_cast<int>(model);
  }
}

/// The stress of a mixing length in sub-steps, against the exact decay: a sine along y decays with nu_t k^2 where nu_t
/// does not vary. So a constant large enough meets the limit, in the middle between walls far away.
TEST_P(EddyViscosityTest, of_the_mixing_length_stays_stable_where_one_step_would_not) {
  ViscousCase scene(world(), layer(GetParam(), FaceCondition::wall_law));
  scene.set_velocity([](int d, const Vec3& x) { return sheared(d, x) + 0.2 * test::random_velocity(d, x); });
  double before = 0.0, after = 0.0;
  const Acted acted = act(scene, {TurbulenceModel::mixing_length, 1.0}, 0.05);
  double largest = 0.0;
  scene.for_each_cell([&](LocalIndex b, int c, const Vec3&) {
    largest = std::max(largest, static_cast<double>(acted.viscosity.block(b)[c]) * 0.05 / (dx * dx));
  });
  EXPECT_GT(world().max(largest), 4.0 * EddyViscosity::largest_viscosity);
  scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
    if (d == 1 && x.y() < 0.5 * dx) return;
    const double u = scene.velocity[d].block(b)[c];
    before += u * u;
    after += std::pow(u + acted.change[d].block(b)[c], 2);
  });
  EXPECT_LT(world().sum(after), world().sum(before));
}

}  // namespace
}  // namespace freshet
