// SPDX-License-Identifier: Apache-2.0
// ranks: 1 3
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

/// The corrections of faces beside the surface and inside bodies, as the phases of a step make them: each test fails
/// where a phase leaves its correction out.
namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::world;

/// Call f(cell, block, number in the block) for the owned cells inside the domain.
template <class Function>
void for_each_cell(const Simulation& simulation, Function&& f) {
  const BlockLayout& layout = simulation.layout();
  const Vec3i n = simulation.domain().block_cells();
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int c = 0; c < layout.cells_per_block(); ++c) {
      const Vec3i cell = layout.first_cell(b) + Vec3i(c % n.x(), c / n.x() % n.y(), c / (n.x() * n.y()));
      if ((cell.array() < simulation.domain().cells().array()).all()) f(cell, b, c);
    }
}

/// A box of 32 x 24 cells of 1 m, periodic along x, without gravity; liquid without jitter.
std::string box_with_liquid(double from, double to, const std::string& more = "") {
  return case_text({32, 24}, 1.0) + test::uncorrected + test::sticky_walls +
         fmt::format(R"(
[domain.boundary]
x_low = "periodic"
x_high = "periodic"
[fluid]
gravity = [0, 0]
[particles]
jitter = 0.0
[[liquid]]
shape = "box"
lower = [-1, {}]
upper = [33, {}]
{})",
                     from, to, more);
}

/// A floor ends a little above the centres of its topmost cells, which have no particles and are liquid as the cells
/// above them are. Their faces are as fast as the liquid.
TEST(SurfaceCorrections, label_gives_the_liquid_s_velocity_to_faces_that_no_particle_reaches) {
  Simulation simulation(world(), make_case(box_with_liquid(5.6, 16.0, R"(velocity = [2, 0]
[labels]
surface = "voxels"
[[solid]]
shape = "box"
lower = [-1, -1, -1]
upper = [33, 4.6, 2]
)")));
  simulation.deposit_velocity();
  simulation.label();
  GlobalIndex n_unreached = 0;
  for_each_cell(simulation, [&](const Vec3i& cell, LocalIndex b, int c) {
    if (simulation.labels().block(b)[c] != Label::liquid) return;
    EXPECT_DOUBLE_EQ(simulation.fields().velocity_old[0].block(b)[c], 2.0) << cell.transpose();
    n_unreached += simulation.fields().weight[0].block(b)[c] == 0.0 ? 1 : 0;
  });
  EXPECT_EQ(world().sum(n_unreached), 32);
}

/// In a shear flow the particles around a face at the surface are slower than liquid at the face's centre.
TEST(SurfaceCorrections, label_shifts_velocities_at_the_surface_to_their_faces) {
  constexpr double shear = 0.5;  // [1/s]
  Simulation simulation(world(), make_case(box_with_liquid(0.0, 13.0)));
  simulation.set_particle_velocity([](const Vec3& x) { return Vec3(shear * x.y(), 0.0, 0.0); });
  simulation.deposit_velocity();
  simulation.label();
  double largest = 0.0;
  GlobalIndex n_topmost = 0;
  for_each_cell(simulation, [&](const Vec3i& cell, LocalIndex b, int c) {
    if (cell.y() < 3 || simulation.labels().block(b)[c] != Label::liquid) return;
    n_topmost += cell.y() == 12 ? 1 : 0;
    largest = std::max(largest, std::abs(simulation.fields().velocity_old[0].block(b)[c] / shear - cell.y() - 0.5));
  });
  largest = world().max(largest);
  test::report("shear flow: largest error of a face [shear times a cell]", {largest});
  EXPECT_EQ(world().sum(n_topmost), 32);
  EXPECT_LT(largest, 0.05);  // the mean place of the topmost faces' particles lies 0.1 cells deeper
}

/// Liquid that is pressed together along its surface rises, and the air on it rises as fast as particles in it need.
TEST(SurfaceCorrections, extrapolate_leaves_no_divergence_in_air_on_the_liquid) {
  Simulation simulation(world(), make_case(box_with_liquid(0.0, 12.0)));
  const double wave = 2.0 * std::acos(-1.0) / 32.0;  // [1/m]
  simulation.set_particle_velocity([wave](const Vec3& x) { return Vec3(std::sin(wave * x.x()), 0.0, 0.0); });
  test::find_velocity(simulation, 0.1);
  simulation.refresh_for_move(1.0);
  const FaceField<double>& velocity = simulation.velocity();
  const Vec3i n = simulation.domain().block_cells();
  double largest = 0.0, fastest = 0.0;
  for_each_cell(simulation, [&](const Vec3i& cell, LocalIndex b, int c) {
    if (cell.y() != 12) return;
    EXPECT_EQ(simulation.labels().block(b)[c], Label::air);
    const bool is_last = c % n.x() == n.x() - 1;
    const LocalIndex next = is_last ? simulation.layout().neighbours(b)[direction_index(1, 0, 0)] : b;
    const double right = velocity[0].block(next)[is_last ? c - n.x() + 1 : c + 1];
    const double divergence =
        right - velocity[0].block(b)[c] + velocity[1].block(b)[c + n.x()] - velocity[1].block(b)[c];
    largest = std::max(largest, std::abs(divergence));
    fastest = std::max(fastest, std::abs(right - velocity[0].block(b)[c]));
  });
  EXPECT_GT(world().max(fastest), 0.02);  // [1/s]
  EXPECT_LT(world().max(largest), 1e-12);
}

/// Liquid flows along x past a slope of 45 degrees. Faces inside it get the part of the velocity along the slope.
TEST(SurfaceCorrections, extrapolate_takes_the_velocity_into_a_slope_from_its_faces) {
  Simulation simulation(world(), make_case(box_with_liquid(0.0, 16.0, R"(velocity = [2, 0]
[[solid]]
shape = "box"
lower = [-8, -8, -8]
upper = [8, 8, 8]
rotate.angle = 45.0
translate = [16.0, 0.0, 0.0]
)")));
  simulation.deposit_velocity();
  simulation.label();
  simulation.apply_forces(0.1);
  simulation.extrapolate(0.1);  // of the velocity before the projection, which is uniform
  GlobalIndex n = 0;
  for (LocalIndex b = 0; b < simulation.layout().n_owned(); ++b)
    for (const CoveredFace& face : simulation.solids().covered_faces(b)) {
      if (std::abs(std::abs(face.normal[0]) - std::sqrt(0.5)) > 1e-3) continue;  // at the top
      const double expected = face.axis == 0 ? 1.0 : -2.0 * face.normal[0] * face.normal[1];
      EXPECT_NEAR(simulation.velocity()[face.axis].block(b)[face.face], expected, 1e-5) << int{face.axis};
      ++n;
    }
  EXPECT_GT(world().sum(n), 20);
}

/// Particles that swing against each other leave the grid at rest. With FLIP they go on, but for those at a surface
/// with tension: a step of a tenth of a cell's capillary time, sqrt(rho dx^3 / sigma) = 1 s, takes exp(-0.3) of it.
TEST(SurfaceCorrections, blend_relaxes_particles_at_a_surface_with_tension) {
  Simulation simulation(world(), make_case(case_text({32, 24}, 1.0) + test::uncorrected + test::sticky_walls + R"(
[domain.boundary]
x_low = "periodic"
x_high = "periodic"
[fluid]
gravity = [0, 0]
surface_tension = 1000.0
[transfer]
flip_fraction = 1.0
[particles]
jitter = 0.0
[[liquid]]
shape = "box"
lower = [-1, 0]
upper = [33, 13]
)"));
  constexpr double speed = 0.01;  // [m/s]
  simulation.set_particle_velocity(
      [](const Vec3& x) { return Vec3(speed * std::sin(2.0 * std::numbers::pi * x.x()), 0.0, 0.0); });
  simulation.advance(0.1);
  const ParticleStore& particles = simulation.particles();
  for (LocalIndex b = 0; b < simulation.layout().n_owned(); ++b)
    for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p) {
      const double y = simulation.layout().first_cell(b).y() + particles.position()[3 * p + 1];
      const double share = std::abs(particles.velocity()[3 * p]) / speed;
      if (y > 11.0 && y < 12.0) continue;  // farther from the surface than 1.4 cells, or nearer
      EXPECT_NEAR(share, y >= 12.0 ? std::exp(-0.3) : 1.0, 1e-3) << y;
    }
}

}  // namespace
}  // namespace freshet
