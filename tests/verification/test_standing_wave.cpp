// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 8
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace freshet {
namespace {

using test::for_each_particle;
using test::make_case;
using test::world;

constexpr double g = 9.81;
constexpr double length = 1.0;  ///< half a wavelength [m]
constexpr double k = std::numbers::pi / length;

/// Mode amplitude of the horizontal momentum: sum u_x sin(k x), proportional to cos(omega t) in linear theory.
double mode(const Simulation& simulation) {
  double sum = 0.0;
  for_each_particle(simulation, [&](const Vec3& x, const Vec3& u, ParticleId) { sum += u[0] * std::sin(k * x[0]); });
  return world().sum(sum);
}

/// What the mode does from one change of its sign to the next.
struct Swings {
  std::vector<double> times;  ///< of the changes, by linear interpolation between steps [s]
  std::vector<double> peaks;  ///< the largest magnitude before each of them
};

Swings find_swings(Simulation& simulation, double until) {
  Swings swings;
  double peak = 0.0;
  double before = mode(simulation);
  double t_before = simulation.time();
  while (simulation.time() < until) {
    simulation.advance(std::min(simulation.largest_dt(), 0.01));
    const double now = mode(simulation);
    peak = std::max(peak, std::abs(now));
    if (before * now < 0.0) {
      swings.times.push_back(t_before + (simulation.time() - t_before) * before / (before - now));
      swings.peaks.push_back(std::exchange(peak, 0.0));
    }
    before = now;
    t_before = simulation.time();
  }
  return swings;
}

/// A wave of the length of two boxes, measured.
struct Wave {
  double frequency = 0.0;  ///< over that of linear theory
  double growth = 0.0;     ///< the third peak of the horizontal momentum over the first
};

/// \param[in] n          cells a wavelength, of 2 m
/// \param[in] amplitude  [m]
/// \param[in] method, run  more of the case, and of its [run]
Wave measure_wave(int n, double amplitude, double depth, const std::string& method, const std::string& run = "") {
  const double cell_size = 2.0 * length / n;
  const Parameters parameters =
      make_case(test::case_text({n / 2, n / 2}, cell_size, run) +
                fmt::format("[fluid]\ngravity = [0, -9.81]\n[[liquid]]\nshape = \"box\"\nlower = [-1, -1]\n"
                            "upper = [2, {}]\n[time]\ncfl = 0.5\n{}",
                            depth, method));
  Simulation simulation(world(), parameters);
  const double omega = std::sqrt(g * k * std::tanh(k * depth));
  const double scale = amplitude * g * k / (omega * std::cosh(k * depth));
  simulation.set_particle_velocity([&](const Vec3& x) {
    return Vec3(-scale * std::cosh(k * x[1]) * std::sin(k * x[0]), scale * std::sinh(k * x[1]) * std::cos(k * x[0]),
                0.0);
  });
  const double period = 2.0 * std::numbers::pi / omega;
  const auto [times, peaks] = find_swings(simulation, 3.3 * period);
  EXPECT_GE(times.size(), 5U);
  if (times.size() < 5) return {};
  return {std::numbers::pi * static_cast<double>(times.size() - 1) / (times.back() - times.front()) / omega,
          peaks[2] / peaks[0]};
}

double relative_frequency(int n, double amplitude, double depth, const std::string& method) {
  return measure_wave(n, amplitude, depth, method).frequency;
}

TEST(StandingWave, frequency_is_within_5_percent_of_linear_theory_at_64_cells_a_wavelength) {
  const double amplitude = 0.06;  // two cells: the voxel surface does not see less than one
  const double ratio = relative_frequency(
      64, amplitude, 0.5,
      test::at_voxels + test::uncorrected + "[particles]\nper_axis = 3\n[transfer]\nflip_fraction = 0.98\n");
  test::report("frequency / linear theory", {ratio});
  EXPECT_NEAR(ratio, 1.0, 0.05);
}

/// The mean of waves with particles at different random places, whose frequencies differ by 0.8, 0.2 and 0.1 %.
TEST(StandingWave, frequency_at_a_level_set_converges_to_linear_theory) {
  constexpr int n_seeds = 4;
  const double amplitude = 0.02;  // [m]; terms of higher order are less than 0.05 %
  for (const auto& [n, bound] : {std::pair{32, 0.01}, {64, 0.003}, {128, 0.002}}) {
    double ratio = 0.0;
    for (int seed = 0; seed < n_seeds; ++seed)
      ratio += measure_wave(n, amplitude, 0.5, test::uncorrected + "[labels]\nsurface = \"level_set\"\n",
                            fmt::format("seed = {}\n", seed))
                   .frequency /
               n_seeds;
    test::report("cells a wavelength, frequency / linear theory", {static_cast<double>(n), ratio});
    EXPECT_NEAR(ratio, 1.0, bound) << n;
  }
}

/// The affine velocities of APIC reach the faces at the surface by themselves. The shift to faces beside them would
/// blow the wave up.
TEST(StandingWave, of_apic_decays_at_a_level_set) {
  const Wave wave = measure_wave(
      32, 0.02, 0.5,
      "[density]\ncorrection = \"implicit\"\n[transfer]\nmethod = \"apic\"\n[labels]\nsurface = \"level_set\"\n");
  test::report("frequency / linear theory, third peak / first", {wave.frequency, wave.growth});
  EXPECT_NEAR(wave.frequency, 1.0, 0.03);
  EXPECT_LT(wave.growth, 1.0);
  EXPECT_GT(wave.growth, 0.5);
}

/// The first step of a pair gives particles a pressure in advance, that of the surface of its own time. If the second
/// step did not take it back, it would act a step late, and the wave would grow by 4 % in its first period, in which it
/// decays by 5 %. Bounds: half of that, and the scatter of the frequency between seeds.
TEST(StandingWave, of_reflection_decays_as_that_of_strang) {
  const std::string method = "[density]\ncorrection = \"implicit\"\n[labels]\nsurface = \"level_set\"\n";
  const Wave strang = measure_wave(32, 0.02, 0.5, "splitting = \"strang\"\n" + method);
  const Wave reflection = measure_wave(32, 0.02, 0.5, "splitting = \"reflection\"\n" + method);
  test::report("frequency / linear theory, third peak / first, with strang and reflection",
               {strang.frequency, strang.growth, reflection.frequency, reflection.growth});
  EXPECT_NEAR(reflection.frequency, strang.frequency, 0.01);
  EXPECT_NEAR(reflection.growth, strang.growth, 0.05);
}

/// Particles in rows rise and sink with the surface; a correction that sees too many of them in a crest slows the wave.
TEST(StandingWave, keeps_its_frequency_while_the_density_is_corrected) {
  const double ratio = relative_frequency(
      32, 0.01, 0.5,
      "[particles]\njitter = 0\n[density]\ncorrection = \"implicit\"\n[labels]\nsurface = \"level_set\"\n");
  test::report("frequency / linear theory", {ratio});
  EXPECT_NEAR(ratio, 1.0, 0.03);
}

/// The mean of waves with particles at different random places, each of which adds a small wave of its own.
TEST(StandingWave, does_not_grow_while_the_density_is_corrected) {
  constexpr int n_seeds = 6;
  Wave mean;
  for (int seed = 0; seed < n_seeds; ++seed) {
    const Wave wave =
        measure_wave(32, 0.02, 0.5, "[density]\ncorrection = \"implicit\"\n[labels]\nsurface = \"level_set\"\n",
                     fmt::format("seed = {}\n", seed));
    mean.frequency += wave.frequency / n_seeds;
    mean.growth += wave.growth / n_seeds;
  }
  test::report("frequency / linear theory, third peak / first", {mean.frequency, mean.growth});
  EXPECT_NEAR(mean.frequency, 1.0, 0.02);
  EXPECT_LT(mean.growth, 1.02);  // 0.97 without the correction; 1.10 if the liquid at the surface becomes loose
}

/// Waves are irrotational and no turbulence; with |S| in place of shear_rate() the decay is 1.04 times as fast.
TEST(StandingWave, does_not_decay_faster_with_an_eddy_viscosity) {
  constexpr int n_seeds = 4;
  const auto third_peak = [](const std::string& turbulence) {
    double growth = 0.0;
    for (int seed = 0; seed < n_seeds; ++seed)
      growth += measure_wave(32, 0.04, 0.5, turbulence, test::reproducible + fmt::format("seed = {}\n", seed)).growth /
                n_seeds;
    return growth;
  };
  const std::string plain = test::uncorrected + test::sticky_walls;
  const double without = third_peak(plain);
  for (const std::string model : {"smagorinsky", "wale"}) {
    const double with = third_peak(plain + "[turbulence]\nmodel = \"" + model + "\"\n");
    test::report(("third peak / first without and with " + model).c_str(), {without, with});
    // the logarithm is the decay in a period
    EXPECT_LE(-std::log(with), 1.02 * -std::log(without)) << model;
  }
}

}  // namespace
}  // namespace freshet
