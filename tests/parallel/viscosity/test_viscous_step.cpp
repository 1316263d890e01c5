// SPDX-License-Identifier: Apache-2.0
// nightly: 1 2 4 8
#include "freshet/core/error.hpp"
#include "freshet/fluid/extrapolate.hpp"
#include "freshet/geometry/rigid_motion.hpp"
#include "freshet/geometry/shape.hpp"
#include "support/alone.hpp"
#include "support/mpi_test.hpp"
#include "support/viscous_case.hpp"
#include "viscosity/multigrid.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numbers>

namespace freshet {
namespace {

using namespace test;

constexpr double pi = std::numbers::pi;

std::shared_ptr<const Shape> cylinder(const Vec3& centre, double radius) {
  ShapeParameters shape;
  shape.kind = ShapeKind::cylinder;
  shape.start = centre - 10.0 * Vec3::UnitZ();
  shape.end = centre + 10.0 * Vec3::UnitZ();
  shape.radius = radius;
  return make_shape(shape);
}

/// All space but a cylinder.
std::shared_ptr<const Shape> around_cylinder(const Vec3& centre, double radius) {
  ShapeParameters all, hole;
  all.lower = Vec3::Constant(-9.0);
  all.upper = Vec3::Constant(9.0);
  hole.kind = ShapeKind::cylinder;
  hole.start = centre - 20.0 * Vec3::UnitZ();
  hole.end = centre + 20.0 * Vec3::UnitZ();
  hole.radius = radius;
  ShapeParameters difference;
  difference.kind = ShapeKind::difference_of;
  difference.parts = {all, hole};
  return make_shape(difference);
}

/// A blob between walls of all kinds, with a ball in it: every kind of weight.
ViscousBox mixed_box(int dimension) {
  ViscousBox box;
  box.dimension = dimension;
  box.cells = {24, 20, dimension == 3 ? 16 : 1};
  box.cell_size = 1.0 / 24;
  box.boundary = {{{no_slip, free_slip}, {no_slip, no_slip}, {periodic, periodic}}};
  ShapeParameters ball;
  ball.kind = ShapeKind::sphere;
  ball.center = {0.31, 0.33, dimension == 3 ? 0.3 : 0.5 / 24};
  ball.radius = 0.14;
  const auto slow = std::make_shared<RigidMotion>(ball.center, Vec3(0.1, 0.2, 0.0), Vec3(0.0, 0.0, 1.0));
  box.bodies.push_back({make_shape(ball), Slip::no_slip, WallCondition::sticky, Surface::fractions, slow});
  ball.center.x() = 0.8;
  box.bodies.push_back({make_shape(ball), Slip::free_slip, WallCondition::sticky, Surface::fractions});
  ShapeParameters step;
  step.lower = {0.5, -1.0, -1.0};
  step.upper = {0.6, 0.2, 2.0};
  box.bodies.push_back({make_shape(step), Slip::no_slip});
  box.distance = [](const Vec3& x) { return x.y() - 0.55 - 0.1 * std::sin(9.0 * x.x()); };
  box.dt = 0.05;
  return box;
}

class Viscous : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, Viscous, testing::Values(2, 3));

TEST_P(Viscous, matrix_is_symmetric_and_positive) {
  for (const bool sharp : {true, false}) {
    ViscousBox box = mixed_box(GetParam());
    box.sharp = sharp;
    ViscousCase scene(world(), box);
    scene.set_velocity(random_velocity);
    const ViscosityReport report = scene.advance(0.3);
    ASSERT_TRUE(report.converged);
    ASSERT_GT(report.unknowns, 300);
    FaceField<double> a(scene.layout, 0.0), b(scene.layout, 0.0), image_a(scene.layout, 0.0),
        image_b(scene.layout, 0.0);
    a.fill(0.0);
    b.fill(0.0);
    scene.for_each_face([&](int d, LocalIndex block, int c, const Vec3& x) {
      if (!scene.is_unknown(d, block, c)) return;
      a[d].block(block)[c] = random_velocity(d, x);
      b[d].block(block)[c] = random_velocity(d + 7, x);
    });
    scene.step.apply(a, image_a);
    scene.step.apply(b, image_b);
    double a_b = 0.0, b_a = 0.0, a_a = 0.0;
    scene.for_each_face([&](int d, LocalIndex block, int c, const Vec3&) {
      b_a += b[d].block(block)[c] * image_a[d].block(block)[c];
      a_b += a[d].block(block)[c] * image_b[d].block(block)[c];
      a_a += a[d].block(block)[c] * image_a[d].block(block)[c];
    });
    a_b = world().sum(a_b);
    b_a = world().sum(b_a);
    a_a = world().sum(a_a);
    EXPECT_NEAR(a_b, b_a, 1e-12 * a_a);  // round-off of some 1e4 terms
    EXPECT_GT(a_a, 0.0);
  }
}

TEST_P(Viscous, preconditioner_is_symmetric_and_positive) {
  ViscousCase scene(world(), mixed_box(GetParam()));
  const ViscousLiquid liquid{scene.labels, scene.solids, scene.phi, 0.3};
  viscous::StressWeights weights;
  weights.rebuild(liquid);
  viscous::ViscousMultigrid multigrid;
  multigrid.reset(weights, 50.0 / 0.3, 0.3, 1.0);
  const auto faces_per_block = static_cast<std::size_t>(GetParam() * scene.layout.cells_per_block());
  const std::size_t n = weights.active().size() * faces_per_block;
  std::vector<double> a(n, 0.0), b(n, 0.0), image_a(n), image_b(n);
  scene.for_each_face([&](int d, LocalIndex block, int c, const Vec3& x) {
    if (!(weights.mass(d, block, c) > 0.0)) return;
    const auto active = std::find(weights.active().begin(), weights.active().end(), block) - weights.active().begin();
    const auto at = static_cast<std::size_t>((active * GetParam() + d) * scene.layout.cells_per_block() + c);
    a[at] = random_velocity(d, x);
    b[at] = random_velocity(d + 7, x);
  });
  multigrid.apply(a.data(), image_a.data(), faces_per_block);
  multigrid.apply(b.data(), image_b.data(), faces_per_block);
  const auto dot = [](const std::vector<double>& left, const std::vector<double>& right) {
    double sum = 0.0;
    for (std::size_t i = 0; i < left.size(); ++i) sum += left[i] * right[i];
    return world().sum(sum);
  };
  const double a_a = dot(a, image_a);
  EXPECT_GT(a_a, 0.0);
  EXPECT_GT(dot(b, image_b), 0.0);
  EXPECT_NEAR(dot(a, image_b), dot(b, image_a), 1e-5 * a_a);  // single precision
}

/// Iterations of a stiff step, and the velocities after it as numbers whose sum any different bit changes.
struct StiffStep {
  int iterations = 0;
  GlobalIndex unknowns = 0;
  std::uint64_t velocities = 0;
  bool operator==(const StiffStep&) const = default;
};

StiffStep stiff_step(const ViscousBox& box) {
  ViscousCase scene(world(), box, {1e-6, 10000});
  scene.set_velocity(random_velocity);
  const ViscosityReport report = scene.advance(1e4 * box.cell_size * box.cell_size / box.dt);
  EXPECT_TRUE(report.converged);
  std::uint64_t sum = 0;  // modulo 2^64
  scene.for_each_face([&](int d, LocalIndex block, int c, const Vec3& x) {
    if (!scene.is_unknown(d, block, c)) return;
    const double weight = 1.0 + random_velocity(d, x);
    sum += std::bit_cast<std::uint64_t>(weight * scene.velocity[d].block(block)[c]);
  });
  const auto low = static_cast<std::uint64_t>(world().sum(static_cast<GlobalIndex>(sum & 0xffffffffU)));
  const auto high = static_cast<std::uint64_t>(world().sum(static_cast<GlobalIndex>(sum >> 32)));
  return {report.iterations, report.unknowns, low + (high << 32)};
}

/// The pool ends a few cells below a plane between coarse blocks. Beyond it coarse faces have an unknown, though the
/// blocks there, which are empty, need not exist. A body without slip reaches into them.
TEST_P(Viscous, blocks_without_liquid_change_no_bit) {
  for (const bool sharp : {true, false}) {
    ViscousBox box = mixed_box(GetParam());
    box.cells = {GetParam() == 3 ? 20 : 44, GetParam() == 3 ? 44 : 124, GetParam() == 3 ? 20 : 1};
    box.boundary[2] = {free_slip, free_slip};
    box.sharp = sharp;
    const double depth = (GetParam() == 3 ? 26.6 : 57.6) * box.cell_size;
    box.distance = [depth](const Vec3& x) { return x.y() - depth + 0.03 * std::sin(9.0 * x.x()); };
    ShapeParameters beam;
    beam.lower = {0.3, depth + 2.9 * box.cell_size, -1.0};
    beam.upper = {0.7, depth + 9.9 * box.cell_size, 2.0};
    box.bodies.push_back({make_shape(beam), Slip::no_slip, WallCondition::sticky, Surface::fractions});
    const StiffStep everywhere = stiff_step(box);
    box.sparse = true;
    const StiffStep near_liquid = stiff_step(box);
    EXPECT_GT(near_liquid.unknowns, 3000);
    EXPECT_EQ(near_liquid.unknowns, everywhere.unknowns);
    EXPECT_EQ(near_liquid.iterations, everywhere.iterations);
    EXPECT_EQ(near_liquid.velocities, everywhere.velocities);
  }
}

/// The velocities, after a step, of a drop that rests against a ball without slip, and of a film beside it that no
/// centre of a cell lies in. All of it is shifted by some cells in a periodic box. By face, without the shift.
std::vector<double> shifted_velocities(const Communicator& comm, int dimension, const Vec3i& shift) {
  ViscousBox box;
  box.dimension = dimension;
  box.cells = {32, 24, dimension == 3 ? 24 : 1};
  box.cell_size = 1.0 / 32;
  const double dx = box.cell_size;
  const Vec3 origin = dx * shift.cast<double>();
  const auto place = [&](double i, double j, double k) -> Vec3 {
    return origin + dx * Vec3(i, j, dimension == 3 ? k : 0.5);
  };
  ShapeParameters ball;
  ball.kind = ShapeKind::sphere;
  ball.center = place(8.3, 6.0, 6.4);
  ball.radius = 2.7 * dx;
  box.bodies.push_back({make_shape(ball), Slip::no_slip, WallCondition::sticky, Surface::fractions});
  box.distance = [=, drop = place(5.6, 8.9, 6.2), film = place(0.0, 11.5, 0.0).y()](const Vec3& x) {
    const bool has_film = x.x() - origin.x() > 3.0 * dx && x.x() - origin.x() < 15.0 * dx;
    return std::min((x - drop).norm() - 1.6 * dx, has_film ? std::abs(x.y() - film) + 0.05 * dx : 9.0 * dx);
  };
  ViscousCase scene(comm, box);
  scene.set_velocity([&](int d, const Vec3& x) {
    return std::sin(30.0 * (x - origin).x() + d) + std::cos(40.0 * (x - origin).y() - 20.0 * (x - origin).z());
  });
  EXPECT_TRUE(scene.advance(0.1 * dx * dx).converged);
  const Vec3i n(17, 17, dimension == 3 ? 17 : 1);
  std::vector<double> velocities(static_cast<std::size_t>(n.prod() * dimension));
  scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
    const Vec3i cell = ((x - origin) / dx).array().floor().cast<int>();
    if ((cell.array() < 0).any() || (cell.array() >= n.array()).any()) return;
    velocities[static_cast<std::size_t>(dimension * (cell.x() + n.x() * (cell.y() + n.y() * cell.z())) + d)] =
        scene.velocity[d].block(b)[c];
  });
  return velocities;
}

TEST_P(Viscous, step_does_not_depend_on_where_blocks_begin) {
  const Communicator self(MPI_COMM_SELF);
  const std::vector<double> expected = shifted_velocities(self, GetParam(), Vec3i::Zero());
  for (int n = 1; n < block_width; ++n) {
    const Vec3i shift(n, 5 * n % block_width, GetParam() == 3 ? 3 * n % block_width : 0);
    const std::vector<double> velocities = shifted_velocities(self, GetParam(), shift);
    double largest = 0.0;
    for (std::size_t m = 0; m < expected.size(); ++m)
      largest = std::max(largest, std::abs(velocities[m] - expected[m]));
    EXPECT_LT(largest, 1e-5) << shift.transpose();  // distances are 32-bit numbers
  }
}

TEST_P(Viscous, solver_follows_petscs_options) {
  std::vector<double> velocities[2];
  int iterations[2] = {};
  for (const int n : {0, 1}) {
    ViscosityOptions options{1e-9, 10000};
    if (n == 1) options.petsc = {{"pc_type", "jacobi"}, {"ksp_type", "minres"}};
    ViscousCase scene(world(), mixed_box(GetParam()), options);
    scene.set_velocity(random_velocity);
    const ViscosityReport report = scene.advance(1.0);
    EXPECT_TRUE(report.converged);
    iterations[n] = report.iterations;
    scene.for_each_face(
        [&](int d, LocalIndex b, int c, const Vec3&) { velocities[n].push_back(scene.velocity[d].block(b)[c]); });
  }
  EXPECT_GT(iterations[1], 2 * iterations[0]);
  for (std::size_t i = 0; i < velocities[0].size(); ++i) EXPECT_NEAR(velocities[1][i], velocities[0][i], 1e-6);
}

TEST(ViscousFlow, refuses_options_that_petsc_cannot_use) {
  for (const auto& [key, value] :
       {std::pair{"ksp_typ", "cg"}, std::pair{"pc_type", "ilu"}, std::pair{"pc_type", "none_such"}}) {
    ViscosityOptions options;
    options.petsc = {{key, value}};
    EXPECT_THROW(ViscousStep(world(), options), InputError) << key << " " << value;
  }
}

TEST_P(Viscous, operator_is_the_laplacian_where_viscosity_is_constant_and_nothing_diverges) {
  ViscousBox box;
  box.dimension = GetParam();
  box.cells = {16, 24, GetParam() == 3 ? 8 : 1};
  ViscousCase scene(world(), box);
  // differences of a potential: free of divergence on the grid
  const auto potential = [](const Vec3& x) { return std::sin(pi / 8 * x.x()) * std::cos(pi / 12 * x.y() + 0.3); };
  const auto flow = [&](int d, const Vec3& x) {
    const Vec3 half = 0.5 * (d == 0 ? Vec3::UnitY() : Vec3::UnitX());
    return d == 2 ? 0.0 : (d == 0 ? 1.0 : -1.0) * (potential(x + half) - potential(x - half));
  };
  scene.set_velocity(flow);
  scene.advance(0.7);
  FaceField<double> u(scene.layout, 0.0), image(scene.layout, 0.0);
  scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) { u[d].block(b)[c] = flow(d, x); });
  scene.step.apply(u, image);
  double worst = 0.0;
  scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
    double laplacian = 0.0;  // equation 22 of the plain form: (1 - nu dt laplacian) u
    for (int e = 0; e < GetParam(); ++e)
      laplacian += flow(d, x + Vec3::Unit(e)) + flow(d, x - Vec3::Unit(e)) - 2.0 * flow(d, x);
    worst = std::max(worst, std::abs(image[d].block(b)[c] - (flow(d, x) - 0.7 * laplacian)));
  });
  EXPECT_LE(world().max(worst), 1e-7);  // the weights are 32-bit numbers
}

TEST_P(Viscous, free_blob_is_not_slowed_down_in_rigid_motion) {
  for (const bool sharp : {true, false}) {
    ViscousBox box;
    box.dimension = GetParam();
    box.cells = {24, 24, GetParam() == 3 ? 24 : 1};
    box.cell_size = 1.0 / 24;
    const Vec3 centre(0.52, 0.47, GetParam() == 3 ? 0.5 : 0.5 / 24);
    box.distance = [=](const Vec3& x) { return (x - centre).norm() - 0.33; };
    box.sharp = sharp;
    ViscousCase blob(world(), box);
    const auto rigid = [=, turn = GetParam() == 3 ? Vec3(1.0, -2.0, 3.0) : Vec3(0.0, 0.0, 3.0)](int d, const Vec3& x) {
      return (Vec3(0.5, -0.25, 0.0) + turn.cross(x - centre))[d];
    };
    blob.set_velocity(rigid);
    const ViscosityReport report = blob.advance(1e3);
    EXPECT_GT(report.unknowns, 100);
    EXPECT_LE(blob.error(rigid).largest, 1e-9);
    if (!sharp) continue;
    Extrapolation extrapolation;  // all that a run knows of faces in the air
    extrapolation(blob.labels, blob.solids, 1, blob.velocity);
    ASSERT_GT(blob.error(rigid).largest, 0.01);
    blob.advance(1e3);
    EXPECT_LE(blob.error(rigid).largest, 1e-9);
  }
}

/// The steady flow under a constant acceleration along x after `n` long steps.
template <class Expected>
ViscousCase::Error settled(ViscousCase& scene, double viscosity, double acceleration, int n, Expected&& expected) {
  for (int step = 0; step < n; ++step) {
    scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3&) {
      if (d == 0) scene.velocity[0].block(b)[c] += acceleration;  // dt is 1 s
    });
    EXPECT_TRUE(scene.advance(viscosity).converged);
  }
  return scene.error(expected);
}

TEST_P(Viscous, poiseuille_flow_between_plane_walls_is_of_second_order) {
  std::vector<double> errors;
  for (const int n : {8, 16, 32}) {
    ViscousBox box;
    box.dimension = GetParam();
    box.cells = {8, n, GetParam() == 3 ? 8 : 1};
    box.cell_size = 1.0 / n;
    box.boundary[1] = {no_slip, no_slip};
    ViscousCase channel(world(), box);
    const auto parabola = [](int d, const Vec3& x) { return d == 0 ? 0.5 * x.y() * (1.0 - x.y()) : 0.0; };
    errors.push_back(settled(channel, 20.0, 20.0, 4, parabola).largest);
  }
  EXPECT_LE(errors[2], 2e-4);  // of 1/8
  EXPECT_GT(errors[0] / errors[1], 3.6);
  EXPECT_GT(errors[1] / errors[2], 3.6);
}

TEST_P(Viscous, couette_flow_is_exact) {
  ViscousBox box;
  box.dimension = GetParam();
  box.cells = {8, 24, GetParam() == 3 ? 8 : 1};
  box.cell_size = 1.0 / 24;
  box.boundary[1] = {no_slip, free_slip};
  ShapeParameters lid;
  lid.lower = {-9.0, 20.0 / 24, -9.0};
  lid.upper = {9.0, 2.0, 9.0};
  box.bodies.push_back({make_shape(lid), Slip::no_slip, WallCondition::sticky, Surface::voxels,
                        std::make_shared<RigidMotion>(Vec3::Zero(), Vec3(0.5, 0.0, 0.0), Vec3::Zero())});
  ViscousCase channel(world(), box);
  const auto line = [](int d, const Vec3& x) { return d == 0 ? 0.5 * x.y() * 24 / 20 : 0.0; };
  EXPECT_LE(settled(channel, 20.0, 0.0, 5, line).largest, 1e-7);
}

/// Two layers of liquid between a wall and a lid that moves: the same stress in both.
TEST_P(Viscous, layered_couette_flow_of_two_viscosities_is_exact) {
  ViscousBox box;
  box.dimension = GetParam();
  box.cells = {8, 24, GetParam() == 3 ? 8 : 1};
  box.cell_size = 1.0 / 24;
  box.boundary[1] = {no_slip, free_slip};
  ShapeParameters lid;
  lid.lower = {-9.0, 20.0 / 24, -9.0};
  lid.upper = {9.0, 2.0, 9.0};
  box.bodies.push_back({make_shape(lid), Slip::no_slip, WallCondition::sticky, Surface::voxels,
                        std::make_shared<RigidMotion>(Vec3::Zero(), Vec3(0.5, 0.0, 0.0), Vec3::Zero())});
  ViscousCase channel(world(), box);
  constexpr double between = 9.0 / 24;
  constexpr double below = 5.0, above = 100.0;  // [Pa s]
  CellField<float> of_layers(channel.layout, 0.0F);
  of_layers.fill(0.0F);
  channel.for_each_cell([&](LocalIndex b, int c, const Vec3& corner) {
    of_layers.block(b)[c] = static_cast<float>(corner.y() < between - 1e-6 ? below : above);
  });
  channel.layout.halo().gather(of_layers, 2);
  const CellViscosities viscosity{of_layers, of_layers};
  channel.of_cells = &viscosity;
  const double stress = 0.5 / (between / below + (20.0 / 24 - between) / above);
  const auto lines = [=](int d, const Vec3& x) {
    if (d != 0) return 0.0;
    return stress * (std::min(x.y(), between) / below + std::max(x.y() - between, 0.0) / above);
  };
  EXPECT_LE(settled(channel, 0.0, 0.0, 12, lines).largest, 1e-7);
}

/// Two layers between walls, driven by an acceleration.
TEST_P(Viscous, layered_poiseuille_flow_of_two_viscosities_is_of_second_order) {
  std::vector<double> errors;
  for (const int n : {8, 16, 32}) {
    ViscousBox box;
    box.dimension = GetParam();
    box.cells = {8, n, GetParam() == 3 ? 8 : 1};
    box.cell_size = 1.0 / n;
    box.boundary[1] = {no_slip, no_slip};
    ViscousCase channel(world(), box);
    constexpr double below = 20.0, above = 100.0, acceleration = 100.0;
    CellField<float> of_layers(channel.layout, 0.0F);
    of_layers.fill(0.0F);
    channel.for_each_cell([&](LocalIndex b, int c, const Vec3& corner) {
      of_layers.block(b)[c] = static_cast<float>(corner.y() < 0.5 - 1e-6 ? below : above);
    });
    channel.layout.halo().gather(of_layers, 2);
    const CellViscosities viscosity{of_layers, of_layers};
    channel.of_cells = &viscosity;
    // mu u'' = -a on each side, u and mu u' continuous at 1/2, u = 0 at the walls: mu u' = s - a y
    constexpr double s = acceleration * (0.125 / below + 0.375 / above) / (0.5 / below + 0.5 / above);
    const auto exact = [=](int d, const Vec3& x) {
      if (d != 0) return 0.0;
      const double y = x.y();
      if (y < 0.5) return (s * y - 0.5 * acceleration * y * y) / below;
      return (0.5 * acceleration * (1.0 - y * y) - s * (1.0 - y)) / above;
    };
    errors.push_back(settled(channel, 0.0, acceleration, 5, exact).largest);
  }
  EXPECT_LE(errors[2], 1.5e-3);  // of 0.23
  EXPECT_GT(errors[0] / errors[1], 3.6);
  EXPECT_GT(errors[1] / errors[2], 3.6);
}

TEST_P(Viscous, flow_feels_a_thin_wall_on_its_own_side_alone) {
  for (const DividingWall& wall : dividing_walls()) {
    ViscousCase thin(world(), divided_box(GetParam(), wall, false)),
        thick(world(), divided_box(GetParam(), wall, true));
    for (ViscousCase* scene : {&thin, &thick}) {
      scene->set_velocity([&](int d, const Vec3& x) { return velocity_beside(wall, d, x); });
      ASSERT_TRUE(scene->advance(5.0).converged) << wall;
    }
    EXPECT_LE(difference_beside(wall, thin, thick), 1e-9) << wall;  // the solves stop at 1e-11
  }
}

TEST_P(Viscous, film_down_a_wall_has_no_traction_at_its_surface) {
  if (world().size() > 2) GTEST_SKIP() << "the bits are those of one rank, as another test shows";
  std::vector<double> errors;
  for (const int n : {16, 32}) {
    errors.push_back(0.0);
    for (const double part : {0.05, 0.3, 0.45, 0.55, 0.8}) {  // of a cell
      ViscousBox box;
      box.dimension = GetParam();
      box.cells = {8, n, GetParam() == 3 ? 8 : 1};
      box.cell_size = 1.0 / n;
      box.boundary[1] = {no_slip, free_slip};
      const double height = 0.625 + part / n;
      box.distance = [=](const Vec3& x) { return x.y() - height; };
      ViscousCase film(world(), box);
      const auto parabola = [=](int d, const Vec3& x) { return d == 0 ? x.y() * (height - 0.5 * x.y()) : 0.0; };
      errors.back() = std::max(errors.back(), settled(film, 20.0, 20.0, 5, parabola).largest);
    }
  }
  EXPECT_LE(errors[1], 4e-4);  // of 0.2
  EXPECT_GT(errors[0] / errors[1], 3.4);
}

/// Slabs across a periodic unit square, that leave channels of half width 0.17 with a slope of 1/2 between them.
std::vector<SolidBody> tilted_slabs(const Vec3& normal) {
  const double spacing = 1.0 / std::sqrt(5.0);
  ShapeParameters slabs;
  slabs.kind = ShapeKind::union_of;
  for (int n = -4; n <= 4; ++n) {
    const Vec3 middle = Vec3(0.503, 0.501, 0.0) + (n + 0.5) * spacing * normal;
    ShapeParameters slab;
    const double half = 0.5 * spacing - 0.17;
    slab.lower = middle - Vec3(9.0, half, 9.0);
    slab.upper = middle + Vec3(9.0, half, 9.0);
    slab.transform.angle = std::atan2(-normal.x(), normal.y()) * 180.0 / pi;
    slab.transform.center = middle;
    slabs.parts.push_back(slab);
  }
  return {{make_shape(slabs), Slip::no_slip, WallCondition::sticky, Surface::fractions}};
}

TEST(ViscousFlow, in_a_tilted_channel_converges_on_cut_cells) {
  if (world().size() > 2) GTEST_SKIP() << "the bits are those of one rank, as another test shows";
  const Vec3 normal = Vec3(-1.0, 2.0, 0.0).normalized();
  const Vec3 along(normal.y(), -normal.x(), 0.0);
  std::vector<ViscousCase::Error> errors;
  for (const int n : {32, 64, 128, 256}) {
    ViscousBox box;
    box.cells = {n, n, 1};
    box.cell_size = 1.0 / n;
    box.bodies = tilted_slabs(normal);
    ViscousCase channel(world(), box);
    const auto parabola = [=](int d, const Vec3& x) {
      const double spacing = 1.0 / std::sqrt(5.0);
      const double s = std::remainder((x - Vec3(0.503, 0.501, 0.0)).dot(normal), spacing);
      return 0.5 * (0.17 * 0.17 - s * s) * along[d];
    };
    for (int step = 0; step < 4; ++step) {
      channel.for_each_face(
          [&](int d, LocalIndex b, int c, const Vec3&) { channel.velocity[d].block(b)[c] += 20.0 * along[d]; });
      EXPECT_TRUE(channel.advance(20.0).converged);
    }
    errors.push_back(channel.error(parabola));
  }
  EXPECT_LE(errors[0].rms, 2.1e-5);               // of 1.4e-2
  EXPECT_GT(errors[0].rms / errors[3].rms, 6.5);  // an order of 0.9 over three halvings; single ones vary
}

TEST(ViscousFlow, between_turning_cylinders_converges_on_cut_cells) {
  if (world().size() > 2) GTEST_SKIP() << "the bits are those of one rank, as another test shows";
  constexpr double r1 = 0.21, r2 = 0.43;
  std::vector<ViscousCase::Error> errors;
  for (const int n : {32, 64, 128, 256}) {
    const Vec3 centre(0.503, 0.497, 0.5 / n);
    ViscousBox box;
    box.cells = {n, n, 1};
    box.cell_size = 1.0 / n;
    box.bodies.push_back({cylinder(centre, r1), Slip::no_slip, WallCondition::sticky, Surface::fractions,
                          std::make_shared<RigidMotion>(centre, Vec3::Zero(), Vec3(0.0, 0.0, 1e-3))});
    box.bodies.push_back({around_cylinder(centre, r2), Slip::no_slip, WallCondition::sticky, Surface::fractions});
    ViscousCase gap(world(), box);
    const auto exact = [=](int d, const Vec3& x) {
      const Vec3 r = x - centre;
      const double radius = std::hypot(r.x(), r.y());
      const double b = 1e-3 / (1.0 / (r1 * r1) - 1.0 / (r2 * r2));
      const double u = b * (1.0 / radius - radius / (r2 * r2));
      return (d == 0 ? -r.y() : r.x()) / radius * u;
    };
    for (int step = 0; step < 4; ++step) EXPECT_TRUE(gap.advance(2.0).converged);
    errors.push_back(gap.error(exact));
  }
  EXPECT_LE(errors[0].rms, 2.2e-6);               // of 2.1e-4
  EXPECT_GT(errors[0].rms / errors[3].rms, 6.5);  // an order of 0.9 over three halvings; single ones vary
}

TEST_P(Viscous, shear_wave_decays_at_its_rate) {
  std::vector<double> errors;
  for (const int n : {16, 32}) {
    ViscousBox box;
    box.dimension = GetParam();
    box.cells = {8, n, GetParam() == 3 ? 8 : 1};
    box.cell_size = 1.0 / n;
    box.dt = 1e-4;
    ViscousCase wave(world(), box);
    const double k = 2.0 * pi;
    wave.set_velocity([=](int d, const Vec3& x) { return d == 0 ? std::sin(k * x.y()) : 0.0; });
    constexpr int n_steps = 20;
    for (int step = 0; step < n_steps; ++step) wave.advance(0.1);
    const double decay = std::exp(-n_steps * std::log1p(0.1 * k * k * 1e-4));  // of the implicit step
    errors.push_back(
        wave.error([=](int d, const Vec3& x) { return d == 0 ? decay * std::sin(k * x.y()) : 0.0; }).largest);
  }
  EXPECT_LE(errors[1], 3e-5);
  EXPECT_GT(errors[0] / errors[1], 3.6);
}

/// A sphere, in 2-D a disc, that floats free of forces and twists about its centre: layers turn about the z axis with a
/// velocity j_1(k r) (2-D: J_1), which leaves no traction at the surface if j_2(k R) = 0. Its rate is nu k^2.
TEST_P(Viscous, twisted_sphere_decays_at_its_rate) {
  if (world().size() > 2) GTEST_SKIP() << "the bits are those of one rank, as another test shows";
  const bool is_sphere = GetParam() == 3;
  const double k_radius = is_sphere ? 5.763459 : 5.135622;
  std::vector<double> errors;
  for (const int n : {32, 64}) {
    ViscousBox box;
    box.dimension = GetParam();
    box.cells = {n, n, is_sphere ? n : 1};
    box.cell_size = 1.0 / n;
    constexpr double radius = 0.4;
    const Vec3 centre(0.503, 0.497, is_sphere ? 0.501 : 0.5 / n);
    box.distance = [=](const Vec3& x) { return (x - centre).norm() - radius; };
    const double k = k_radius / radius;
    box.dt = 0.02 / (k * k);
    ViscousCase sphere(world(), box);
    const auto twist = [=](int d, const Vec3& x) {
      const Vec3 r = x - centre;
      const double kr = k * std::max(r.norm(), 1e-9);
      const double slope = is_sphere ? (std::sin(kr) / kr - std::cos(kr)) / (kr * kr) : std::cyl_bessel_j(1.0, kr) / kr;
      return d == 2 ? 0.0 : (d == 0 ? -r.y() : r.x()) * slope;
    };
    sphere.set_velocity(twist);
    const auto amplitude = [&] {
      double sum = 0.0;
      sphere.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
        if (box.distance(x) < 0.0) sum += twist(d, x) * sphere.velocity[d].block(b)[c];
      });
      return world().sum(sum);
    };
    const double start = amplitude();
    constexpr int n_steps = 8;
    Extrapolation extrapolation;
    for (int step = 0; step < n_steps; ++step) {
      extrapolation(sphere.labels, sphere.solids, 1, sphere.velocity);
      sphere.advance(1.0);
    }
    const double rate = -std::log(amplitude() / start) / (n_steps * std::log1p(0.02));  // of the implicit steps
    errors.push_back(std::abs(rate - 1.0));
  }
  EXPECT_LE(errors[0], 0.022);
  EXPECT_LE(errors[1], 0.007);
  EXPECT_GT(errors[0] / errors[1], 3.0);
}

/// Iterations of a step from rough velocities; measured, with a margin of a tenth.
TEST(ViscousFlow, iterations_stay_within_their_budget_when_the_step_is_stiff) {
  if (world().size() > 2) GTEST_SKIP() << "the bits are those of one rank, as another test shows";
  constexpr int n = 32;
  const auto ball = [](const Vec3& x) { return (x - Vec3(0.5, 0.3, 0.5)).norm() - 0.4; };
  const auto rope = [](const Vec3& x) {  // six cells thick
    const Vec3 along = Vec3(0.3, 1.0, 0.2).normalized();
    const Vec3 from_axis = x - Vec3(0.35, 0.0, 0.4);
    return (from_axis - from_axis.dot(along) * along).norm() - 3.1 / n;
  };
  const auto iterations = [&](double stiffness, std::function<double(const Vec3&)> distance) {  // dt mu / (rho dx^2)
    ViscousBox box;
    box.dimension = 3;
    box.cells = {n, n, n};
    box.cell_size = 1.0 / n;
    box.boundary[1] = {no_slip, free_slip};
    box.distance = std::move(distance);
    ViscousCase scene(world(), box, {1e-6, 10000});
    scene.set_velocity(random_velocity);
    const ViscosityReport report = scene.advance(stiffness / (n * n));
    EXPECT_TRUE(report.converged);
    return report.iterations;
  };
  EXPECT_LE(iterations(1.0, ball), 5);
  EXPECT_LE(iterations(10.0, ball), 7);
  EXPECT_LE(iterations(100.0, ball), 9);
  EXPECT_LE(iterations(1000.0, ball), 11);
  EXPECT_LE(iterations(1.0, rope), 5);
  EXPECT_LE(iterations(100.0, rope), 11);
  EXPECT_LE(iterations(1000.0, rope), 14);
}

TEST(ViscousFlow, has_nothing_to_do_without_liquid) {
  ViscousBox box;
  box.distance = [](const Vec3&) { return 1.0; };
  ViscousCase scene(world(), box);
  scene.set_velocity(random_velocity);
  const ViscosityReport report = scene.advance(1.0);
  EXPECT_EQ(report.unknowns, 0);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_TRUE(report.converged);
  scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
    EXPECT_EQ(scene.velocity[d].block(b)[c], random_velocity(d, x));
  });
}

TEST_P(Viscous, step_says_when_it_has_not_converged) {
  ViscousCase scene(world(), mixed_box(GetParam()), {1e-10, 2});
  scene.set_velocity(random_velocity);
  const ViscosityReport report = scene.advance(10.0);
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.iterations, 2);
  EXPECT_GT(report.relative_residual, 1e-10);
}

/// The velocities that a step leaves on this rank's faces, blocks in key order.
std::vector<double> velocities_after_step(const Communicator& comm, int dimension, GlobalIndex& first) {
  ViscousCase scene(comm, mixed_box(dimension), {1e-6, 1000});
  scene.set_velocity(random_velocity);
  scene.advance(0.3);
  const int cells = scene.layout.cells_per_block();
  first = scene.layout.first_global() * dimension * cells;
  std::vector<double> all;
  for (LocalIndex b = 0; b < scene.layout.n_owned(); ++b)
    for (int d = 0; d < dimension; ++d)
      all.insert(all.end(), scene.velocity[d].block(b), scene.velocity[d].block(b) + cells);
  return all;
}

TEST_P(Viscous, step_has_the_same_bits_on_any_number_of_ranks) {
  GlobalIndex first = 0;
  const std::vector<double> alone =
      computed_alone([&](const Communicator& comm) { return velocities_after_step(comm, GetParam(), first); });
  const std::vector<double> here = velocities_after_step(world(), GetParam(), first);
  for (std::size_t n = 0; n < here.size(); ++n) ASSERT_EQ(here[n], alone[static_cast<std::size_t>(first) + n]);
}

}  // namespace
}  // namespace freshet
