// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace freshet {
namespace {

using test::make_case;
using test::world;

constexpr double g = 9.81;
constexpr double length = 1.0;  ///< half a wavelength [m]
constexpr double k = std::numbers::pi / length;
constexpr double depth = 1.5;  ///< [m]

/// Mode amplitude of the horizontal momentum of the grid: sum u_x sin(k x) over the faces of liquid cells.
double mode(const Simulation& simulation) {
  const BlockLayout& layout = simulation.layout();
  double sum = 0.0;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int c = 0; c < layout.cells_per_block(); ++c)
      if (simulation.labels().block(b)[c] == Label::liquid)
        sum += simulation.velocity()[0].block(b)[c] *
               std::sin(k * layout.domain().dx() * (layout.first_cell(b).x() + c % block_width));
  return world().sum(sum);
}

/// A standing wave in a deep pool of 32 x 48 cells, over 2.5 periods.
struct Wave {
  double frequency = 0.0;     ///< over that of linear theory
  double growth = 0.0;        ///< the fourth peak of the horizontal momentum over the first
  double volume_drift = 0.0;  ///< largest magnitude
  GlobalIndex particles = 0;  ///< at the end
};

Wave measure_wave(int seed, const std::string& more) {
  constexpr double amplitude = 0.03;
  const Parameters parameters = make_case(
      test::case_text({32, 56}, length / 32, fmt::format("seed = {}\n", seed).c_str()) +
      fmt::format("[fluid]\ngravity = [0, -9.81]\n[[liquid]]\nshape = \"box\"\nlower = [-1, -1]\nupper = [2, {}]\n{}",
                  depth, more));
  Simulation simulation(world(), parameters);
  const double omega = std::sqrt(g * k * std::tanh(k * depth));
  const double scale = amplitude * g * k / (omega * std::cosh(k * depth));
  simulation.set_particle_velocity([&](const Vec3& x) {
    return Vec3(-scale * std::cosh(k * x[1]) * std::sin(k * x[0]), scale * std::sinh(k * x[1]) * std::cos(k * x[0]),
                0.0);
  });
  Wave wave;
  std::vector<double> times, peaks;
  double peak = 0.0, before = 0.0, t_before = 0.0;
  while (simulation.time() < 2.6 * 2.0 * std::numbers::pi / omega) {
    simulation.advance(std::min(simulation.largest_dt(), 0.01));
    const double now = mode(simulation);
    peak = std::max(peak, std::abs(now));
    if (before * now < 0.0) {
      times.push_back(t_before + (simulation.time() - t_before) * before / (before - now));
      peaks.push_back(std::exchange(peak, 0.0));
    }
    before = now;
    t_before = simulation.time();
    wave.volume_drift = std::max(wave.volume_drift, std::abs(simulation.report().volume_drift));
  }
  EXPECT_GE(times.size(), 5U);
  if (times.size() < 5) return wave;
  wave.frequency = std::numbers::pi * static_cast<double>(times.size() - 1) / (times.back() - times.front()) / omega;
  wave.growth = peaks[3] / peaks[0];
  wave.particles = simulation.report().particles;
  return wave;
}

/// Mean over seeds and its standard error.
struct Mean {
  double value, error;
};
Mean mean_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (n * (n - 1.0)))};
}

struct Means {
  Mean frequency, growth;
  double volume_drift = 0.0;
  GlobalIndex particles = 0;
};

/// The wave in eight pools whose particles lie elsewhere: one wave alone is too uncertain.
Means measure_waves(const std::string& more) {
  Means means;
  std::vector<double> frequencies, growths;
  for (int seed = 1; seed <= 8; ++seed) {
    const Wave wave = measure_wave(seed, more);
    frequencies.push_back(wave.frequency);
    growths.push_back(wave.growth);
    means.volume_drift = std::max(means.volume_drift, wave.volume_drift);
    means.particles = wave.particles;
  }
  means.frequency = mean_of(frequencies);
  means.growth = mean_of(growths);
  return means;
}

TEST(NarrowBand, carries_a_deep_wave_as_particles_everywhere_do) {
  const Means full = measure_waves("");
  const Means band = measure_waves("[particles]\nband = 4\n");
  for (const Means& found : {full, band})
    test::report(
        "frequency, growth, their standard errors, volume drift",
        {found.frequency.value, found.growth.value, found.frequency.error, found.growth.error, found.volume_drift});
  EXPECT_LT(std::abs(band.frequency.value - 1.0),
            1.2 * std::abs(full.frequency.value - 1.0) + 2.0 * (band.frequency.error + full.frequency.error));
  EXPECT_LT(1.0 - band.growth.value, 1.2 * (1.0 - full.growth.value) + 2.0 * (band.growth.error + full.growth.error));
  EXPECT_LT(band.growth.value, 1.02);  // no energy comes in
  EXPECT_LT(band.volume_drift, 0.005);
  EXPECT_LT(5 * band.particles, full.particles);
}

}  // namespace
}  // namespace freshet
