// SPDX-License-Identifier: Apache-2.0
// timeout: 600
// nightly: 2 3 4 8
#include "freshet/diagnostics/liquid_volume.hpp"
#include "freshet/fluid/inner_cells.hpp"
#include "freshet/fluid/motion.hpp"
#include "freshet/free_surface/labels.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/transfer/cell_deposit.hpp"
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::at_voxels;
using test::case_text;
using test::make_case;
using test::reproducible;
using test::world;

/// The report of all ranks. Collective.
DensityReport reduced(DensityReport report) {
  Reduction reduction;
  report.add_to(reduction);
  reduction.reduce(world());
  report.finish();
  return report;
}

/// Density corrections of a simulation's particles, without any time step.
class Corrector {
 public:
  Corrector(Simulation& simulation, int per_cell, DensityOptions parameters = {})
      : simulation_(simulation),
        per_cell_(per_cell),
        parameters_(parameters),
        projection_(world(), simulation.parameters().pressure),
        correction_(parameters, per_cell) {}

  /// \param[in] surface  as DensityCorrection takes it
  DensityReport operator()(const SurfacePlace& surface = {}) {
    const BlockLayout& layout = simulation_.layout();
    find_labels();
    FaceField<double> velocity(layout, 0.0);
    velocity.fill(0.0);
    CellField<double> pressure(layout, 0.0);
    pressure.fill(0.0);
    projection_(labels_, simulation_.solids(), velocity, pressure);
    const DensityReport report = reduced(correction_(simulation_.particles(), labels_, simulation_.solids(), inner_,
                                                     surface, projection_, displacement_));
    displace_particles(displacement_, simulation_.solids(), parameters_.max_displacement, simulation_.particles());
    simulation_.redistribute();
    find_labels();
    return report;
  }
  void find_labels() {
    labels_.reset(simulation_.layout(), Label::solid);
    n_liquid_ = world().sum(label_cells(simulation_.particles(), simulation_.solids(), labels_));
    find_inner_cells(labels_, simulation_.solids(), inner_);
  }
  /// In cells.
  double volume() const {
    return world().sum(liquid_volume_here(simulation_.particles(), labels_, simulation_.solids(), inner_, per_cell_));
  }
  GlobalIndex n_liquid() const { return n_liquid_; }
  const LabelField& labels() const { return labels_; }
  /// Ghosts valid to width 1. Collective.
  const CellField<std::uint8_t>& inner() {
    inner_.layout().halo().gather(inner_, 1);
    return inner_;
  }

 private:
  Simulation& simulation_;
  int per_cell_;
  DensityOptions parameters_;
  Projection projection_;
  DensityCorrection correction_;
  LabelField labels_;
  CellField<std::uint8_t> inner_;
  FaceField<double> displacement_;
  GlobalIndex n_liquid_ = 0;
};

const std::string block_in_the_air = case_text({24, 24, 24}, 1, reproducible) + at_voxels + R"(
[[liquid]]
shape = "box"
lower = [8, 8, 8]
upper = [16, 16, 16]
)";

/// 8^3 cells with 8 particles each, where 4 fill a cell: they are to take twice the room.
TEST(Density, compressed_block_expands_to_its_volume) {
  Simulation simulation(world(), make_case(block_in_the_air));
  Corrector correct(simulation, 4);
  correct.find_labels();
  EXPECT_NEAR(correct.volume(), 216.0 + 2.0 * (512.0 - 216.0), 1e-9);  // its 6^3 inner cells count once
  const double first = correct().largest_error;
  DensityReport last;
  for (int n = 0; n < 60; ++n) last = correct();
  EXPECT_GT(first, 0.9);
  EXPECT_LT(last.mean_error, 0.1);
  test::report("compressed block: volume / that of its particles, error left",
               {correct.volume() / 1024.0, last.mean_error});
  EXPECT_NEAR(correct.volume(), 1024.0, 0.01 * 1024.0);  // the aim of the correction
  EXPECT_GT(correct.n_liquid(), 1024);                   // a rough surface has more cells, never fewer
}

/// The same with 16 to a full cell: a block with half its density shrinks, but for its surface.
TEST(Density, thin_block_contracts_to_its_volume) {
  Simulation simulation(world(), make_case(block_in_the_air));
  Corrector correct(simulation, 16);
  DensityReport last;
  for (int n = 0; n < 60; ++n) last = correct();
  test::report("thin block: volume / that of its particles", {correct.volume() / 256.0});
  EXPECT_NEAR(correct.volume(), 256.0, 0.01 * 256.0);
  EXPECT_LT(last.mean_error, 0.1);
}

const std::string rough_pool = case_text({24, 24, 16}, 0.05, reproducible) + R"(
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [2, 0.5, 2]
[[solid]]
shape = "sphere"
center = [0.6, 0.2, 0.4]
radius = 0.15
)";

/// The numbers of a report, from equations (1) to (3) of DensityCorrection, cell by cell.
DensityReport expected_report(const Simulation& simulation, Corrector& corrector, int per_cell,
                              const SurfacePlace& surface) {
  const LabelField& labels = corrector.labels();
  const CellField<std::uint8_t>& inner = corrector.inner();
  const BlockLayout& layout = labels.layout();
  CellField<double> all(layout, 0.0), in_inner(layout, 0.0);
  CellDeposit deposit;
  if (surface.is_between_centres())
    deposit(simulation.particles(), {}, all);
  else
    deposit(simulation.particles(), {}, inner, all, in_inner);
  const TileExtents<BlockShape<3>> extents(1);
  std::vector<double> open(static_cast<std::size_t>(extents.size())), is_inner(open.size()), distance(open.size());
  DensityReport report;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    find_open_parts(layout, simulation.solids(), b, extents, open.data(), nullptr, distance.data());
    fill_tile(inner, b, extents, is_inner.data());
    for (int c = 0; c < layout.cells_per_block(); ++c) {
      if (labels.block(b)[c] != Label::liquid) continue;
      const int i = c % 8, j = c / 8 % 8, k = c / 64;
      const auto self = static_cast<std::size_t>(extents.at(i, j, k));
      const bool is_inside = is_inner[self] != 0.0, leaves_out = is_inside && !surface.is_between_centres();
      double room = 0.0;
      double spread = 0.0;
      bool is_next_to_inner = false;
      const auto distance_at = [&](const Vec3i& to) {
        return distance[static_cast<std::size_t>(extents.at(i + to.x(), j + to.y(), k + to.z()))];
      };
      Vec3 normal;
      for (int d = 0; d < 3; ++d) normal[d] = distance_at(Vec3i::Unit(d)) - distance_at(-Vec3i::Unit(d));
      if (!normal.isZero(0.0)) normal.normalize();
      const double from_body = distance_at(Vec3i::Zero());
      for (int n = 0; n < n_directions; ++n) {
        const Vec3i to = direction_offset(n);
        const auto there = static_cast<std::size_t>(extents.at(i + to.x(), j + to.y(), k + to.z()));
        double weight = 1.0;
        for (int d = 0; d < 3; ++d) weight *= to[d] == 0 ? 0.75 : 0.125;
        room += weight * open[there] * (leaves_out ? is_inner[there] : 1.0);
        spread += weight * std::clamp(0.5 + from_body + normal.dot(to.cast<double>()), 0.0, 1.0);
        is_next_to_inner = is_next_to_inner || open[there] * is_inner[there] > 0.0;
      }
      if (!normal.isZero(0.0) && spread > 0.05) {
        const double cut = std::clamp(from_body, -1.0, 1.0);
        room *= (0.5 + cut - 0.5 * cut * std::abs(cut)) / spread;
      }
      const double count = leaves_out ? in_inner.block(b)[c] : all.block(b)[c];
      double error = room > 0.05 ? count / (per_cell * room) - 1.0 : 0.0;
      if (!is_inside) {
        double least = 0.0;
        if (surface.is_between_centres() && room > 0.05 && open[self] >= 0.5 && is_next_to_inner) {
          const double dry = std::max(0.0, 1.0 + surface.phi().block(b)[c]);
          least = 0.05 * (count / (per_cell * room * (1.0 - 0.5 * dry * dry)) - 1.0);
        }
        error = std::max(error, least);
      }
      if (is_inside) report.squared_errors.add(error * error);
      report.inner_cells += is_inside ? 1 : 0;
      report.overfull_cells += !is_inside && error > 0.0 ? 1 : 0;
      report.largest_error = std::max(report.largest_error, std::abs(error));
    }
  }
  return reduced(report);
}

/// Beside walls, a sphere and the surface, with and without a distance to the surface, and where 8 particles are too
/// many for a cell.
TEST(Density, errors_are_those_of_the_equations_cell_by_cell) {
  constexpr int per_cell = 7;
  for (const bool has_distance : {false, true}) {
    SCOPED_TRACE(has_distance);
    Simulation simulation(world(), make_case(rough_pool));
    Corrector correct(simulation, per_cell);
    correct.find_labels();
    CellField<float> phi(simulation.layout(), 1.0F);
    for (LocalIndex b = 0; b < simulation.layout().n_owned(); ++b)
      for (int c = 0; c < simulation.layout().cells_per_block(); ++c)
        phi.block(b)[c] = correct.labels().block(b)[c] == Label::liquid ? -0.1F * static_cast<float>(c % 16) : 0.5F;
    const SurfacePlace surface = has_distance ? SurfacePlace(phi) : SurfacePlace();
    const DensityReport expected = expected_report(simulation, correct, per_cell, surface);
    const DensityReport found = correct(surface);
    EXPECT_GT(expected.inner_cells, 0);
    EXPECT_GT(expected.overfull_cells, 0);
    EXPECT_EQ(found.inner_cells, expected.inner_cells);
    EXPECT_EQ(found.overfull_cells, expected.overfull_cells);
    constexpr double rounding = 1e-12;  // of sums in another order
    EXPECT_NEAR(found.largest_error, expected.largest_error, rounding);
    EXPECT_NEAR(found.mean_error, expected.mean_error, rounding);
  }
}

/// Errors of random places fall, particle velocities stay, and so does the volume.
TEST(Density, error_of_random_places_falls_and_velocities_stay) {
  Simulation simulation(world(), make_case(rough_pool));
  simulation.set_particle_velocity([](const Vec3& x) { return Vec3(std::sin(9.0 * x[0]), x[1], x[0] * x[2]); });
  const ParticleSums before = simulation.report().sums;
  Corrector correct(simulation, 8);
  const double first = correct().mean_error;
  DensityReport last;
  for (int n = 0; n < 10; ++n) last = correct();
  test::report("rough pool: mean error before, after 10 corrections", {first, last.mean_error});
  EXPECT_LT(last.mean_error, 0.5 * first);
  ParticleSums after = sum_particles(simulation.particles(), simulation.layout(), simulation.particle_mass(),
                                     simulation.parameters().fluid.gravity);
  constexpr double rounding = 1e-12;  // of sums over particles in another order
  EXPECT_NEAR(after.kinetic_energy, before.kinetic_energy, rounding * before.kinetic_energy);
  const double scale = before.momentum.cwiseAbs().maxCoeff();
  for (int d = 0; d < 3; ++d) EXPECT_NEAR(after.momentum[d], before.momentum[d], rounding * scale);
}

/// A lattice has no error anywhere, at walls and at its surface neither.
TEST(Density, lattice_at_rest_stays_at_rest) {
  const std::string common = at_voxels + R"([particles]
jitter = 0
[density]
correction = "implicit"
[[liquid]]
shape = "box"
)";
  const std::string flat = case_text({24, 20}, 0.05) + common + "lower = [0, 0]\nupper = [2, 0.4]\n";
  const std::string deep = case_text({24, 20, 16}, 0.05) + common + "lower = [0, 0, 0]\nupper = [2, 0.4, 2]\n";
  for (const std::string& box : {flat, deep}) {
    Simulation simulation(world(), make_case(box));
    const StepReport start = simulation.report();
    for (int n = 0; n < 5; ++n) simulation.advance(0.01);
    const StepReport& end = simulation.report();
    EXPECT_LT(end.density.largest_error, 1e-4);  // positions are 32-bit, and pressures solved to a relative 1e-5
    EXPECT_EQ(end.liquid_cells, start.liquid_cells);
    EXPECT_NEAR(end.sums.center_of_mass[1], start.sums.center_of_mass[1], 1e-5 * 0.05);  // likewise, of a cell
  }
}

/// Two chambers side by side, the left one with twice the density that the right one has: nothing crosses the plate.
TEST(Density, nothing_goes_through_a_wall_of_one_cell) {
  const std::string chambers = case_text({17, 12, 8}, 1) + R"(
[fluid]
gravity = [0, 0, 0]
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [8, 8, 8]
[[solid]]
shape = "box"
lower = [8, -1, -1]
upper = [9, 20, 20]
)";
  Simulation simulation(world(), make_case(chambers));
  Corrector correct(simulation, 5, {.correction = DensityMethod::implicit, .max_displacement = 0.5});
  for (int n = 0; n < 20; ++n) correct();
  EXPECT_GT(correct.n_liquid(), 8 * 8 * 8);
  test::for_each_particle(simulation, [](const Vec3& x, const Vec3&, ParticleId) {
    EXPECT_TRUE((x.array() >= 0.0).all());
    EXPECT_LE(x[0], 8.0);
    EXPECT_LE(x[2], 8.0);
  });
}

/// A pool of jittered particles, which differ from full cells everywhere, settles without rising or falling.
TEST(Density, resting_pool_does_not_creep) {
  Simulation simulation(world(), make_case(rough_pool + "[density]\ncorrection = \"implicit\"\n"));
  const double height = simulation.report().sums.center_of_mass[1];
  const double volume = simulation.report().volume;
  for (int n = 0; n < 150; ++n) simulation.advance(0.02);
  const StepReport& end = simulation.report();
  test::report("resting pool: rise of its centre [cells], volume / at the start, speed [m/s]",
               {(end.sums.center_of_mass[1] - height) / 0.05, end.volume / volume, end.sums.max_speed});
  EXPECT_NEAR(end.sums.center_of_mass[1], height, 0.05 * 0.05);  // a twentieth of a cell in 150 steps
  EXPECT_NEAR(end.volume, volume, 0.01 * volume);
}

/// Steps in between report what the last correction found.
TEST(Density, is_corrected_every_so_many_steps) {
  Simulation simulation(world(), make_case(rough_pool + "[density]\ncorrection = \"implicit\"\nevery = 3\n"));
  double last = simulation.report().density.mean_error;  // that of the start
  for (int n = 1; n <= 7; ++n) {
    const DensityReport density = simulation.advance(0.02).density;
    EXPECT_EQ(density.iterations > 0, n % 3 == 0) << "step " << n;
    EXPECT_EQ(density.mean_error != last, n % 3 == 0) << "step " << n;
    last = density.mean_error;
  }
}

}  // namespace
}  // namespace freshet
