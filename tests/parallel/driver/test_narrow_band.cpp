// SPDX-License-Identifier: Apache-2.0
// nightly: 1 2 4 8
#include "support/alone.hpp"
#include "support/case.hpp"
#include "support/case_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::case_text;
using test::computed_alone;
using test::make_case;
using test::reproducible;
using test::world;

/// A deep pool with a step in its surface, which runs as a wave.
std::string pool(const Vec3i& cells, const std::string& more) {
  const double dx = 0.05;
  const bool is_flat = cells.z() == 1;
  std::string text = is_flat ? case_text({cells.x(), cells.y()}, dx, reproducible)
                             : case_text({cells.x(), cells.y(), cells.z()}, dx, reproducible);
  const double width = cells.x() * dx, depth = (cells.y() - 8) * dx;
  const char* z = is_flat ? "" : ", 9";
  text += fmt::format("[[liquid]]\nshape = \"box\"\nlower = [-1, -1{}]\nupper = [9, {}{}]\n", is_flat ? "" : ", -1",
                      depth, z);
  text += fmt::format("[[liquid]]\nshape = \"box\"\nlower = [-1, -1{}]\nupper = [{}, {}{}]\n", is_flat ? "" : ", -1",
                      0.4 * width, depth + 3 * dx, z);
  return text + more;
}

const std::string uncorrected_band_of_4 = "[particles]\nband = 4\n";
const std::string band_of_4 = "[density]\ncorrection = \"implicit\"\n" + uncorrected_band_of_4;

/// Position and velocity of every particle by id, how often the id occurs, and the numbers of the run.
std::vector<std::array<double, 7>> particles_of(const Communicator& comm, Simulation& simulation) {
  const RunNumbers& numbers = simulation.numbers();
  std::vector<double> all(7 * static_cast<std::size_t>(numbers.next_id), 0.0);
  test::for_each_particle(simulation, [&](const Vec3& x, const Vec3& u, ParticleId id) {
    for (std::size_t d = 0; d < 3; ++d) {
      all[7 * id + d] = x[static_cast<int>(d)];
      all[7 * id + 3 + d] = u[static_cast<int>(d)];
    }
    all[7 * id + 6] += 1.0;
  });
  comm.sum_in_place(all);
  std::vector<std::array<double, 7>> result;
  for (std::size_t n = 0; n < all.size(); n += 7)
    result.push_back({all[n], all[n + 1], all[n + 2], all[n + 3], all[n + 4], all[n + 5], all[n + 6]});
  const StepReport& report = simulation.report();
  result.push_back({static_cast<double>(numbers.band_seeded), static_cast<double>(numbers.band_removed), report.volume,
                    report.sums.kinetic_energy, report.sums.potential_energy, report.sums.center_of_mass.y(), 0.0});
  return result;
}

std::vector<std::array<double, 7>> outcome(const Communicator& comm, const Parameters& parameters, int n_steps) {
  Simulation simulation(comm, parameters);
  for (int n = 0; n < n_steps; ++n) simulation.advance(simulation.largest_dt());
  return particles_of(comm, simulation);
}

void expect_the_same_on_any_number_of_ranks(const std::string& text, int n_steps) {
  const Parameters parameters = make_case(text);
  const auto expected = computed_alone([&](const Communicator& alone) { return outcome(alone, parameters, n_steps); });
  const auto found = outcome(world(), parameters, n_steps);
  ASSERT_FALSE(expected.empty());
  test::report("seeded, removed", {expected.back()[0], expected.back()[1]});
  EXPECT_GT(expected.back()[0], 100);
  EXPECT_GT(expected.back()[1], 1000);
  ASSERT_EQ(expected.size(), found.size());
  const auto differs = std::mismatch(expected.begin(), expected.end(), found.begin());
  if (differs.first == expected.end()) return;
  EXPECT_EQ(*differs.first, *differs.second) << "id " << differs.first - expected.begin();  // bit by bit
}

TEST(NarrowBand, gives_the_same_bits_on_any_number_of_ranks) {
  expect_the_same_on_any_number_of_ranks(pool({40, 40, 1}, band_of_4), 25);
  expect_the_same_on_any_number_of_ranks(
      pool({24, 32, 16}, "[particles]\nband = 5\n[time]\ncfl = 2\n[balance]\nthreshold = 1.02\n"), 10);
}

TEST(NarrowBand, gives_the_same_bits_with_bodies_and_affine_particles) {
  expect_the_same_on_any_number_of_ranks(pool({40, 40, 1}, band_of_4 + R"(
[transfer]
method = "apic"
[[solid]]
shape = "sphere"
center = [1, 0.8]
radius = 0.15
velocity = [0.6, 0.2]
)"),
                                         25);
}

TEST(NarrowBand, goes_on_from_a_restart_with_the_same_bits) {
  const Parameters parameters = make_case(pool({40, 40, 1}, band_of_4));
  Simulation whole(world(), parameters);
  for (int n = 0; n < 8; ++n) whole.advance(whole.largest_dt());
  Simulation second(world(), parameters, whole.restart_state());
  for (Simulation* run : {&whole, &second})
    for (int n = 0; n < 8; ++n) run->advance(run->largest_dt());
  EXPECT_EQ(particles_of(world(), whole), particles_of(world(), second));
}

TEST(NarrowBand, ranks_without_blocks_go_on_from_a_restart) {
  const Parameters parameters = make_case(pool({8, 16, 1}, band_of_4));  // two blocks
  Simulation whole(world(), parameters);
  for (int n = 0; n < 3; ++n) whole.advance(whole.largest_dt());
  RestoredState state = whole.restart_state();
  Simulation second(world(), parameters, std::move(state));
  for (Simulation* run : {&whole, &second})
    for (int n = 0; n < 3; ++n) run->advance(run->largest_dt());
  EXPECT_EQ(particles_of(world(), whole), particles_of(world(), second));
}

/// Largest deviation of the liquid's mass from that of the seeding over the steps, as a share of it.
double largest_drift(Simulation& simulation, int n_steps) {
  double largest = 0.0;
  const auto seeded = static_cast<double>(simulation.numbers().seeded);
  for (int n = 0; n < n_steps; ++n) {
    simulation.advance(simulation.largest_dt());
    const ParticleSums& sums = simulation.report().sums;
    largest = std::max(largest, std::abs(static_cast<double>(sums.count + sums.represented) / seeded - 1.0));
  }
  return largest;
}

TEST(NarrowBand, keeps_the_mass_with_a_quarter_of_the_particles) {
  Simulation simulation(world(), make_case(pool({48, 56, 1}, band_of_4)));
  EXPECT_LT(3 * simulation.report().particles, simulation.numbers().seeded);  // from the start
  const double drift = largest_drift(simulation, 150);
  const auto share =
      static_cast<double>(simulation.report().particles) / static_cast<double>(simulation.numbers().seeded);
  test::report("drift of the mass, share of the particles", {drift, share});
  EXPECT_LT(drift, 0.003);  // 0.02 and growing, if cells at the rim neither gain nor lose particles
  EXPECT_LT(share, 0.25);
  EXPECT_LT(std::abs(simulation.report().volume_drift), 0.005);
}

std::string region(const char* name, const char* box) {
  return fmt::format("[[gauge]]\nname = \"{}\"\ntype = \"region\"\n{}\n", name, box);
}

TEST(NarrowBand, regions_hold_the_liquid_that_has_no_particles) {
  Simulation simulation(
      world(), make_case(pool({40, 40, 1}, band_of_4 + region("all", "lower = [0, 0, 0]\nupper = [2, 2, 0.05]") +
                                               region("left", "lower = [0, 0, 0]\nupper = [0.8, 2, 0.05]") +
                                               region("deep", "lower = [0.42, 0.31, 0]\nupper = [0.8, 0.8, 0.05]") +
                                               region("right", "lower = [0.8, 0, 0]\nupper = [2, 2, 0.05]"))));
  for (int n = 0; n < 5; ++n) simulation.advance(simulation.largest_dt());
  const StepReport& report = simulation.report();
  ASSERT_GT(report.sums.represented, report.sums.count);
  const auto values = [&](std::size_t gauge) { return simulation.gauges().values(gauge); };
  const std::vector<double> all = values(0), left = values(1), deep = values(2), right = values(3);
  EXPECT_NEAR(all[0], report.volume, 1e-12 * report.volume);
  EXPECT_DOUBLE_EQ(all[1], static_cast<double>(report.sums.count + report.sums.represented));
  EXPECT_NEAR(all[2], report.sums.kinetic_energy, 1e-12 * report.sums.kinetic_energy);
  EXPECT_NEAR(all[3], report.sums.potential_energy, 1e-12 * report.sums.potential_energy);
  for (std::size_t n = 0; n < all.size(); ++n) EXPECT_NEAR(left[n] + right[n], all[n], 1e-9 * all[n]) << n;
  EXPECT_NEAR(deep[0], 0.38 * 0.49 * 0.05, 1e-12);
  EXPECT_NEAR(deep[1], 4 * 0.38 * 0.49 / (0.05 * 0.05), 1e-9) << "particles of a full cell in 2-D: 4";
}

/// A wave of a fraction of a cell: the density correction, which is off by default, would turn the number of particles
/// that pass the rim by chance into noise at the surface.
TEST(NarrowBand, keeps_waves_of_a_quarter_of_a_cell) {
  constexpr double pi = 3.14159265358979;
  constexpr int cells = 32;
  const auto lost = [&](const std::string& more) {
    const std::string text = case_text({cells, 40}, 1.0 / cells, reproducible) +
                             "[[liquid]]\nshape = \"box\"\nlower = [-1, -1]\nupper = [9, 1.0]\n" + more;
    Simulation simulation(world(), make_case(text));
    const double omega = std::sqrt(9.80665 * pi * std::tanh(pi)), amplitude = 0.25 / cells;
    const double speed = amplitude * omega / std::sinh(pi);
    simulation.set_particle_velocity([&](const Vec3& x) {
      return Vec3(speed * std::cosh(pi * x.y()) * std::sin(pi * x.x()),
                  -speed * std::sinh(pi * x.y()) * std::cos(pi * x.x()), 0.0);
    });
    double first = 0.0, last = 0.0;
    while (simulation.time() * omega < 6.0 * pi) {
      simulation.advance(std::min(simulation.largest_dt(), 0.01));
      const double energy = simulation.report().sums.kinetic_energy;
      if (simulation.time() * omega < 2.0 * pi) first = std::max(first, energy);
      if (simulation.time() * omega > 4.0 * pi) last = std::max(last, energy);
    }
    return 1.0 - std::sqrt(last / first);
  };
  const double everywhere = lost(""), in_band = lost(uncorrected_band_of_4);
  test::report("amplitude lost in two periods, with particles everywhere and in a band", {everywhere, in_band});
  EXPECT_LT(in_band, everywhere + 0.03);
}

TEST(NarrowBand, is_refused_where_no_particle_would_be_left) {
  const std::string text =
      case_text({24, 24}, 0.05) + "[[liquid]]\nshape = \"box\"\nlower = [-1, -1]\nupper = [9, 9]\n";
  EXPECT_THROW(Simulation(world(), make_case(text + band_of_4)), InputError);
}

TEST(NarrowBand, leaves_water_at_rest_at_rest) {
  const std::string text = case_text({24, 32}, 0.05, reproducible) +
                           "[[liquid]]\nshape = \"box\"\nlower = [-1, -1]\nupper = [9, 1.2]\n" + band_of_4;
  Simulation simulation(world(), make_case(text));
  for (int n = 0; n < 60; ++n) simulation.advance(std::min(simulation.largest_dt(), 0.01));
  EXPECT_LT(simulation.report().sums.max_speed, 0.02);
  EXPECT_LT(std::abs(simulation.report().volume_drift), 0.002);
}

}  // namespace
}  // namespace freshet
