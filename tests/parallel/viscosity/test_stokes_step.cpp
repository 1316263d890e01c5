// SPDX-License-Identifier: Apache-2.0
// nightly: 1 2 4 8
#include "freshet/fluid/extrapolate.hpp"
#include "freshet/geometry/rigid_motion.hpp"
#include "freshet/geometry/shape.hpp"
#include "freshet/pressure/projection.hpp"
#include "support/alone.hpp"
#include "support/case.hpp"
#include "support/mpi_test.hpp"
#include "support/viscous_case.hpp"
#include "viscosity/multigrid.hpp"
#include "viscosity/volume_constraint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace freshet {
namespace {

using namespace test;

/// Liquid that a pressure has made free of divergence, and on which viscosity acts with a pressure of its own.
struct StokesCase {
  StokesCase(const Communicator& comm, const ViscousBox& box, double tolerance = 1e-6, int max_iterations = 2000)
      : scene(comm, box, {tolerance, max_iterations}),
        projection(comm, pressure_options()),
        pressure(scene.layout, 0.0) {
    scene.layout.halo().gather(scene.phi, 1);
  }
  static PressureOptions pressure_options() {
    PressureOptions options;
    options.tolerance = 1e-12;
    return options;
  }
  /// u* -> free of divergence, and continued into the air.
  void project() {
    pressure.fill(0.0);
    projection(scene.labels, scene.solids, scene.velocity, pressure, nullptr, scene.phi);
    Extrapolation extrapolation;
    extrapolation(scene.labels, scene.solids, 1, scene.velocity);
  }
  /// What flows out of cells of liquid through open faces, those that bodies hold among them. Collective
  CellField<double> outflow(FaceField<double>& u) const {
    CellField<double> result(scene.layout, 0.0);
    scene.layout.halo().gather(u, 1);
    outflow_right_hand_side(u, scene.solids.open_fraction(), scene.solids.velocity(), projection.coefficients(),
                            result);
    return result;
  }
  ViscosityReport advance(double viscosity) {
    const ViscousPressure coupled{projection.coefficients().unknown, pressure};
    return scene.advance(viscosity, 1.0, &coupled);
  }

  ViscousCase scene;
  Projection projection;
  CellField<double> pressure;
};

/// A blob between walls of all kinds, with a body that cuts cells and one of whole cells.
ViscousBox mixed_box(int dimension) {
  ViscousBox box;
  box.dimension = dimension;
  box.cells = {24, 20, dimension == 3 ? 16 : 1};
  box.cell_size = 1.0 / 24;
  box.boundary = {{{no_slip, free_slip}, {no_slip, no_slip}, {FaceCondition::periodic, FaceCondition::periodic}}};
  ShapeParameters ball;
  ball.kind = ShapeKind::sphere;
  ball.center = {0.31, 0.33, dimension == 3 ? 0.3 : 0.5 / 24};
  ball.radius = 0.14;
  box.bodies.push_back({make_shape(ball), Slip::no_slip, WallCondition::sticky, Surface::fractions});
  ShapeParameters step;
  step.lower = {0.5, -1.0, -1.0};
  step.upper = {0.6, 0.2, 2.0};
  box.bodies.push_back({make_shape(step), Slip::no_slip});
  box.distance = [](const Vec3& x) { return x.y() - 0.55 - 0.1 * std::sin(9.0 * x.x()); };
  box.dt = 0.05;
  return box;
}

/// A ball far from the walls, in blocks that cover its surroundings only.
ViscousBox ball_in_air(int dimension) {
  ViscousBox box;
  box.dimension = dimension;
  box.cells = {64, 64, dimension == 3 ? 64 : 1};
  box.cell_size = 1.0;
  box.boundary = {{{free_slip, free_slip}, {free_slip, free_slip}, {free_slip, free_slip}}};
  box.distance = [dimension](const Vec3& x) {
    return (x - Vec3(36.0, 29.0, dimension == 3 ? 31.0 : x.z())).norm() - 9.3;
  };
  box.sparse = true;
  return box;
}

/// A quarter (in 2-D half) of a block whose sides are free, on a floor with free slip in the corner of a box.
constexpr double width_of_block = 0.73;
constexpr double height_of_block = 1.36;
ViscousBox block_in_corner(int dimension, int n) {
  ViscousBox box;
  box.dimension = dimension;
  box.cells = {2 * n, 2 * n, dimension == 3 ? 2 * n : 1};
  box.cell_size = 1.0 / n;
  box.boundary = {{{free_slip, free_slip}, {free_slip, free_slip}, {free_slip, free_slip}}};
  box.distance = [dimension](const Vec3& x) {
    const double d = std::max(x.x() - width_of_block, x.y() - height_of_block);
    return dimension == 3 ? std::max(d, x.z() - width_of_block) : d;
  };
  box.dt = 200.0;
  return box;
}

class Stokes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, Stokes, testing::Values(2, 3));

/// Parts of B and B^T on a scene, for all its blocks.
struct Constraint {
  Constraint(ViscousCase& viscous_scene, const CellField<std::uint8_t>& unknown) : scene(viscous_scene) {
    weights.rebuild({scene.labels, scene.solids, scene.phi, 0.3});
    viscous::StrainOperator strain;
    strain.reset(weights, 50.0);
    constraint.reset(weights, unknown, scene.solids.open_fraction(), strain);
  }
  bool is_kept(LocalIndex block, int c) const {
    return weights.kind(block) != viscous::Kind::none && constraint.stiffness(block)[c] >= 0.0F;
  }
  bool is_unknown(int d, LocalIndex block, int c) const { return weights.mass(d, block, c) > 0.0; }
  /// B u, for u that is 0 on faces without an unknown. Collective
  CellField<double> inflow(FaceField<double>& u) const {
    CellField<double> result(scene.layout, 0.0);
    result.fill(0.0);
    scene.layout.halo().gather(u, 1);
    with_shape(u.dimension(), [&](auto shape) {
      for (const LocalIndex block : weights.active()) constraint.inflow<decltype(shape)>(u, block, result.block(block));
    });
    return result;
  }
  /// B^T q. Collective
  FaceField<double> gradient(CellField<double>& q) const {
    FaceField<double> result(scene.layout, 0.0);
    result.fill(0.0);
    scene.layout.halo().gather(q, 1);
    with_shape(result.dimension(), [&](auto shape) {
      for (const LocalIndex block : weights.active()) {
        double* target[3] = {};
        for (int d = 0; d < result.dimension(); ++d) target[d] = result[d].block(block);
        constraint.add_gradient<decltype(shape)>(q, block, target);
      }
    });
    return result;
  }

  ViscousCase& scene;
  viscous::StressWeights weights;
  viscous::VolumeConstraint constraint;
};

TEST_P(Stokes, flow_into_cells_and_gradient_are_each_others_transpose) {
  ViscousCase scene(world(), mixed_box(GetParam()));
  PoissonCoefficients coefficients;
  build_coefficients(scene.labels, scene.solids.open_fraction(), coefficients, {scene.phi});
  const Constraint constraint(scene, coefficients.unknown);
  FaceField<double> u(scene.layout, 0.0);
  CellField<double> q(scene.layout, 0.0);
  u.fill(0.0);
  q.fill(0.0);
  scene.for_each_face([&](int d, LocalIndex block, int c, const Vec3& x) {
    if (constraint.is_unknown(d, block, c)) u[d].block(block)[c] = random_velocity(d, x);
  });
  scene.for_each_cell([&](LocalIndex block, int c, const Vec3& x) {
    if (constraint.is_kept(block, c)) q.block(block)[c] = random_velocity(4, x);
  });
  const CellField<double> inflow = constraint.inflow(u);
  const FaceField<double> gradient = constraint.gradient(q);
  double of_faces = 0.0, of_cells = 0.0, size = 0.0;
  scene.for_each_face([&](int d, LocalIndex block, int c, const Vec3&) {
    of_faces += u[d].block(block)[c] * gradient[d].block(block)[c];
  });
  scene.for_each_cell([&](LocalIndex block, int c, const Vec3&) {
    of_cells += q.block(block)[c] * inflow.block(block)[c];
    size += std::abs(q.block(block)[c] * inflow.block(block)[c]);
  });
  EXPECT_NEAR(world().sum(of_faces), world().sum(of_cells), 1e-13 * world().sum(size));
  EXPECT_GT(world().sum(size), 1.0);
}

/// u' meets the equations: A u' + B^T q = W u*, B u' = B u*.
TEST_P(Stokes, step_changes_no_cells_volume_and_balances_the_forces) {
  StokesCase stokes(world(), mixed_box(GetParam()), 1e-8);
  ViscousCase& scene = stokes.scene;
  scene.set_velocity(random_velocity);
  stokes.project();
  FaceField<double> before = scene.start_of_step(0.3);
  const ViscosityReport report = stokes.advance(0.3);
  ASSERT_TRUE(report.converged);
  ASSERT_TRUE(report.is_coupled);
  const Constraint constraint(scene, stokes.projection.coefficients().unknown);
  FaceField<double> change(scene.layout, 0.0), image(scene.layout, 0.0);
  for (FaceField<double>* field : {&change, &image}) field->fill(0.0);
  scene.for_each_face([&](int d, LocalIndex block, int c, const Vec3&) {
    if (constraint.is_unknown(d, block, c))
      change[d].block(block)[c] = scene.velocity[d].block(block)[c] - before[d].block(block)[c];
  });
  const CellField<double> outflow_before = stokes.outflow(before);
  const CellField<double> outflow_after = stokes.outflow(scene.velocity);
  double largest = 0.0, largest_change = 0.0;
  scene.for_each_cell([&](LocalIndex block, int c, const Vec3&) {
    if (!constraint.is_kept(block, c)) return;
    largest = std::max(largest, std::abs(outflow_after.block(block)[c] - outflow_before.block(block)[c]));
  });
  const FaceField<double> gradient = constraint.gradient(stokes.pressure);
  FaceField<double> after(scene.layout, 0.0);  // bodies and walls are at rest
  after.fill(0.0);
  scene.for_each_face([&](int d, LocalIndex block, int c, const Vec3&) {
    if (constraint.is_unknown(d, block, c)) after[d].block(block)[c] = scene.velocity[d].block(block)[c];
  });
  scene.step.apply(after, image);
  double unbalanced = 0.0;
  scene.for_each_face([&](int d, LocalIndex block, int c, const Vec3&) {
    if (!constraint.is_unknown(d, block, c)) return;
    const double momentum = scene.step.mass(d, block, c) * before[d].block(block)[c];
    unbalanced = std::max(unbalanced, std::abs(image[d].block(block)[c] + gradient[d].block(block)[c] - momentum));
    largest_change = std::max(largest_change, std::abs(change[d].block(block)[c]));
  });
  EXPECT_GT(world().max(largest_change), 0.1);
  EXPECT_LE(world().max(largest), 1e-6);
  EXPECT_LE(world().max(unbalanced), 1e-4);
}

/// Images of two vectors under the faces' preconditioner, by turns: the second image of the first one is the same.
TEST_P(Stokes, preconditioner_of_stiff_liquid_in_few_blocks_is_one_symmetric_matrix) {
  ViscousCase scene(world(), ball_in_air(GetParam()));
  viscous::StressWeights weights;
  weights.rebuild({scene.labels, scene.solids, scene.phi, 1.0});
  viscous::ViscousMultigrid multigrid;
  multigrid.reset(weights, 1e4, 1.0, 1.0);
  const auto faces_per_block = static_cast<std::size_t>(GetParam() * scene.layout.cells_per_block());
  const std::size_t n = weights.active().size() * faces_per_block;
  std::vector<double> a(n, 0.0), b(n, 0.0), image_a(n), image_b(n), again(n);
  std::vector<std::size_t> place(static_cast<std::size_t>(scene.layout.n_owned()), 0);
  for (std::size_t i = 0; i < weights.active().size(); ++i)
    place[static_cast<std::size_t>(weights.active()[i])] = i * faces_per_block;
  scene.for_each_face([&](int d, LocalIndex block, int c, const Vec3& x) {
    if (!(weights.mass(d, block, c) > 0.0)) return;
    const std::size_t at =
        place[static_cast<std::size_t>(block)] + static_cast<std::size_t>(d * scene.layout.cells_per_block() + c);
    a[at] = random_velocity(d, 0.01 * x);
    b[at] = random_velocity(d + 7, 0.01 * x);
  });
  multigrid.apply(a.data(), image_a.data(), faces_per_block);
  multigrid.apply(b.data(), image_b.data(), faces_per_block);
  multigrid.apply(a.data(), again.data(), faces_per_block);
  const auto dot = [](const std::vector<double>& left, const std::vector<double>& right) {
    double sum = 0.0;
    for (std::size_t i = 0; i < left.size(); ++i) sum += left[i] * right[i];
    return world().sum(sum);
  };
  EXPECT_EQ(image_a, again);
  const double size = dot(a, image_a);
  EXPECT_GT(size, 0.0);
  EXPECT_NEAR(dot(a, image_b), dot(b, image_a), 1e-5 * size);  // it works in single precision
}

/// Rate at which the block's top sinks / exact, once the body has stopped to fall. The mean over the block of the
/// stress along y is -rho g h / 2, of the stresses across it 0: the top sinks at rho g h^2 / (8 mu) in 2-D, and at
/// rho g h^2 / (6 mu) in 3-D, as Trouton's 4 mu and 3 mu have it.
double rate_of_sinking(int dimension, int n, int& iterations) {
  const ViscousBox box = block_in_corner(dimension, n);
  StokesCase stokes(world(), box);
  ViscousCase& scene = stokes.scene;
  scene.set_velocity([&](int d, const Vec3&) { return d == 1 ? -box.dt : 0.0; });  // mu = rho = g = 1
  stokes.project();
  const ViscosityReport report = stokes.advance(1.0);
  EXPECT_TRUE(report.converged);
  iterations = report.iterations;
  double sum = 0.0, weight = 0.0;
  scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
    const bool is_inside = x.x() < width_of_block && (dimension == 2 || x.z() < width_of_block);
    if (d != 1 || !is_inside || std::abs(x.y() - height_of_block) > 0.5 / n) return;
    sum += scene.velocity[d].block(b)[c];
    weight += 1.0;
  });
  return world().sum(sum) / world().sum(weight) / (-height_of_block * height_of_block / (dimension == 3 ? 6.0 : 8.0));
}

TEST_P(Stokes, block_sinks_as_troutons_viscosity_says) {
  int iterations[2] = {};
  const double coarse = rate_of_sinking(GetParam(), 8, iterations[0]);
  const double fine = rate_of_sinking(GetParam(), 16, iterations[1]);
  report("rate at which a block sinks / exact and iterations, 8 and 16 cells a metre",
         {coarse, fine, double(iterations[0]), double(iterations[1])});
  EXPECT_NEAR(coarse, 1.0, 0.02);
  EXPECT_NEAR(fine, 1.0, 0.01);
  EXPECT_LE(iterations[1], 50);
}

TEST_P(Stokes, step_whose_solve_fails_is_taken_without_its_pressure) {
  StokesCase stokes(world(), block_in_corner(GetParam(), 8), 1e-6, 12);
  stokes.scene.set_velocity([](int d, const Vec3&) { return d == 1 ? -1.0 : 0.0; });
  stokes.project();
  const ViscosityReport report = stokes.advance(1e-3);
  EXPECT_TRUE(report.converged);
  EXPECT_TRUE(report.was_coupled_in_vain);
  EXPECT_FALSE(report.is_coupled);
  EXPECT_GT(report.iterations, 12);
}

/// The liquid has no momentum that the tolerance could be relative to.
TEST_P(Stokes, body_sets_liquid_at_rest_in_motion) {
  ViscousBox box = mixed_box(GetParam());
  box.bodies[0].motion = std::make_shared<RigidMotion>(Vec3::Zero(), Vec3(0.1, 0.0, 0.0), Vec3::Zero());
  StokesCase stokes(world(), box);
  stokes.scene.set_velocity([](int, const Vec3&) { return 0.0; });
  stokes.project();
  stokes.scene.set_velocity([](int, const Vec3&) { return 0.0; });
  const ViscosityReport report = stokes.advance(1.0);
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.iterations, 300);
  double largest = 0.0;
  stokes.scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3&) {
    if (stokes.scene.is_unknown(d, b, c)) largest = std::max(largest, std::abs(stokes.scene.velocity[d].block(b)[c]));
  });
  EXPECT_GT(world().max(largest), 0.01);
}

/// A sphere that cuts cells holds up liquid which falls; iterations, measured with a margin of a quarter.
TEST_P(Stokes, iterations_stay_within_their_budget_at_bodies_that_cut_cells) {
  if (world().size() > 2) GTEST_SKIP() << "the bits are those of one rank, as another test shows";
  std::vector<double> iterations;
  for (const Slip slip : {Slip::no_slip, Slip::free_slip}) {
    ViscousBox box = block_in_corner(GetParam(), 16);
    box.boundary[1][0] = no_slip;
    ShapeParameters ball;
    ball.kind = ShapeKind::sphere;
    ball.center = {0.37, 0.71, GetParam() == 3 ? 0.33 : 1.0 / 32};
    ball.radius = 0.21;
    box.bodies.push_back({make_shape(ball), slip, WallCondition::sticky, Surface::fractions});
    StokesCase stokes(world(), box);
    stokes.scene.set_velocity([&](int d, const Vec3&) { return d == 1 ? -box.dt : 0.0; });
    stokes.project();
    const ViscosityReport report = stokes.advance(1.0);
    EXPECT_TRUE(report.converged);
    iterations.push_back(report.iterations);
  }
  report("iterations at a sphere without slip, with free slip", {iterations[0], iterations[1]});
  EXPECT_LE(iterations[0], 45);
  EXPECT_LE(iterations[1], 68);
}

/// Velocity of a beam near its tip / that of Euler, Bernoulli and Timoshenko. The beam is fixed to a wall, 16 times as
/// long as high, and creeps: what it falls in a step of dt is 100 or 10^4 times more.
double rate_of_bending(double dt, int& iterations) {
  constexpr int n = 8;
  constexpr double length = 16.0;  // height, density, viscosity and weight are 1
  ViscousBox box;
  box.dimension = 2;
  box.cells = {18 * n, 3 * n, 1};
  box.cell_size = 1.0 / n;
  box.boundary = {{{no_slip, free_slip}, {free_slip, free_slip}, {free_slip, free_slip}}};
  box.distance = [](const Vec3& x) { return std::max({x.x() - length, x.y() - 2.0, 1.0 - x.y()}); };
  box.dt = dt;
  StokesCase stokes(world(), box);
  stokes.scene.set_velocity([&](int d, const Vec3&) { return d == 1 ? -dt : 0.0; });
  stokes.project();
  const ViscosityReport step = stokes.advance(1.0);
  EXPECT_TRUE(step.is_coupled);
  iterations = step.iterations;
  double sum = 0.0, faces = 0.0;
  stokes.scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
    if (d != 1 || std::abs(x.x() - (length - 1.0)) > 0.6 / n || std::abs(x.y() - 1.5) > 0.1 / n) return;
    sum += stokes.scene.velocity[d].block(b)[c];
    faces += 1.0;
  });
  const double x = length - 1.0;
  const double bending = (std::pow(x, 4) - 4.0 * length * std::pow(x, 3) + 6.0 * length * length * x * x) / 8.0;
  const double shear = 1.2 * (length * x - 0.5 * x * x);
  return -world().sum(sum) / world().sum(faces) / (bending + shear);
}

/// Single precision within the preconditioner must not end the solve too early.
TEST(StokesFlow, slender_beam_bends_as_theory_says) {
  int iterations[2] = {};
  const double shorter = rate_of_bending(1e6, iterations[0]);
  const double longer = rate_of_bending(1e8, iterations[1]);
  report("velocity / theory and iterations with steps of 10^6 and 10^8 height^2 / nu",
         {shorter, longer, double(iterations[0]), double(iterations[1])});
  EXPECT_NEAR(shorter, 1.0, 0.02);
  EXPECT_NEAR(longer, 1.0, 0.02);
}

/// Liquid of next to no viscosity is left to the plain step, and has no pressure of viscosity.
TEST_P(Stokes, thin_liquid_is_not_coupled) {
  StokesCase stokes(world(), mixed_box(GetParam()));
  stokes.scene.set_velocity(random_velocity);
  stokes.project();
  const ViscosityReport report = stokes.advance(1e-6);
  EXPECT_TRUE(report.converged);
  EXPECT_FALSE(report.is_coupled);
}

/// \param[out] first  number of the first one of this rank's faces
std::vector<double> velocities_after_step(const Communicator& comm, int dimension, GlobalIndex& first) {
  StokesCase stokes(comm, mixed_box(dimension), 1e-7);
  stokes.scene.set_velocity(random_velocity);
  stokes.project();
  stokes.advance(0.3);
  std::vector<double> values;
  const BlockLayout& layout = stokes.scene.layout;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    for (int d = 0; d < dimension; ++d)
      values.insert(values.end(), stokes.scene.velocity[d].block(b),
                    stokes.scene.velocity[d].block(b) + layout.cells_per_block());
    values.insert(values.end(), stokes.pressure.block(b), stokes.pressure.block(b) + layout.cells_per_block());
  }
  first = comm.exclusive_sum(static_cast<GlobalIndex>(values.size()));
  return values;
}

TEST_P(Stokes, step_has_the_same_bits_on_any_number_of_ranks) {
  GlobalIndex first = 0;
  const std::vector<double> alone =
      computed_alone([&](const Communicator& comm) { return velocities_after_step(comm, GetParam(), first); });
  const std::vector<double> here = velocities_after_step(world(), GetParam(), first);
  for (std::size_t n = 0; n < here.size(); ++n) ASSERT_EQ(here[n], alone[static_cast<std::size_t>(first) + n]);
}

}  // namespace
}  // namespace freshet
