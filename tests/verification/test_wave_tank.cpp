// SPDX-License-Identifier: Apache-2.0
// ranks: 2
// nightly: none
#include "freshet/geometry/wave_maker.hpp"
#include "support/case.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

/// A piston or a flap makes waves, and an absorbing zone takes them in.
namespace freshet::test {
namespace {

constexpr double depth = 0.5;                         // [m]
constexpr double period = 1.5;                        // [s]
constexpr double height = 0.08;                       // [m]
const std::vector<double> gauges = {4.0, 4.35, 4.9};  // [m]

const std::string zone =
    "[[absorber]]\nlower = [6.5, 0.0]\nupper = [12.0, 1.0]\ndirection = [1.0, 0.0]\nstrength = 6.0\n";
const std::string piston = "wave.type = \"stokes2\"\n";
const std::string flap = "wave.type = \"linear\"\nwave.paddle = \"flap\"\npivot = [0.5, 0.0]\n";

/// \param[in] absorber  its table; empty: the tank ends at a wall
std::string tank(const std::string& paddle, const std::string& absorber) {
  std::string text = R"(
[run]
end_time = 18.0
[time]
splitting = "strang"
[domain]
dimension = 2
cells = [480, 32]
cell_size = 0.025
[labels]
surface = "level_set"
[density]
correction = "implicit"
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [12.0, 0.5]
[[solid]]
shape = "box"
lower = [-1.0, -1.0]
upper = [0.5, 2.0]
wave.height = 0.08
wave.period = 1.5
wave.depth = 0.5
)" + paddle + absorber;
  for (std::size_t i = 0; i < gauges.size(); ++i) {
    const std::string x = std::to_string(gauges[i]);
    text += "[[gauge]]\nname = \"h" + std::to_string(i) + "\"\ntype = \"height\"\nstart = [" + x + ", 0.0]\nend = [" +
            x + ", 0.8]\n";
  }
  return text;
}

struct Waves {
  double there;  ///< height of the first harmonic of the waves that leave the paddle [m]
  double back;   ///< of those that come back [m]
};

constexpr int n_terms = 7;  ///< a mean, and cosine and sine of three harmonics

/// Coefficients of a mean and three harmonics that fit the levels best, by the normal equations.
std::array<double, n_terms> harmonics(double omega, const std::vector<double>& times,
                                      const std::vector<double>& levels) {
  double equations[n_terms][n_terms + 1] = {};  // symmetric and positive: no pivoting
  for (std::size_t m = 0; m < times.size(); ++m) {
    double row[n_terms + 1] = {1.0};
    for (int h = 1; h <= 3; ++h) {
      row[2 * h - 1] = std::cos(h * omega * times[m]);
      row[2 * h] = std::sin(h * omega * times[m]);
    }
    row[n_terms] = levels[m];
    for (int i = 0; i < n_terms; ++i)
      for (int j = 0; j <= n_terms; ++j) equations[i][j] += row[i] * row[j];
  }
  for (int i = 0; i < n_terms; ++i)
    for (int other = 0; other < n_terms; ++other) {
      const double factor = other == i ? 0.0 : equations[other][i] / equations[i][i];
      for (int j = i; j <= n_terms; ++j) equations[other][j] -= factor * equations[i][j];
    }
  std::array<double, n_terms> fit{};
  for (int i = 0; i < n_terms; ++i) fit[static_cast<std::size_t>(i)] = equations[i][n_terms] / equations[i][i];
  return fit;
}

/// Splits what the gauges see over the last whole periods into waves that go and waves that come back, by least
/// squares. Source: Mansard & Funke 1980, Coastal Engineering 1980, 154-172
Waves waves_of(const std::string& paddle, const std::string& absorber) {
  Simulation simulation(world(), make_case(tank(paddle, absorber)));
  std::vector<double> times;
  std::vector<std::vector<double>> levels(gauges.size());
  while (simulation.time() < 18.0) {
    simulation.advance(simulation.largest_dt());
    if (simulation.time() < 12.0 || simulation.time() >= 18.0) continue;
    times.push_back(simulation.time());
    for (std::size_t i = 0; i < gauges.size(); ++i) levels[i].push_back(simulation.gauges().values(i)[0]);
  }
  const double omega = 2.0 * std::numbers::pi / period;
  const double k = wave_number(omega, 9.81, depth);
  // normal equations of seen = there exp(-i k x) + back exp(i k x)
  std::complex<double> both = 0.0, from_there = 0.0, from_back = 0.0;
  for (std::size_t i = 0; i < gauges.size(); ++i) {
    const std::array<double, n_terms> fit = harmonics(omega, times, levels[i]);
    const std::complex<double> seen(fit[1], -fit[2]);
    const std::complex<double> turned = std::polar(1.0, k * gauges[i]);
    both += turned * turned;
    from_there += turned * seen;
    from_back += std::conj(turned) * seen;
  }
  const auto n_gauges = static_cast<double>(gauges.size());
  const double determinant = n_gauges * n_gauges - std::norm(both);
  return {2.0 * std::abs(n_gauges * from_there - both * from_back) / determinant,
          2.0 * std::abs(n_gauges * from_back - std::conj(both) * from_there) / determinant};
}

TEST(WaveTank, waves_have_the_height_asked_for_and_do_not_come_back) {
  const Waves waves = waves_of(piston, zone);
  report("height [m], reflected part", {waves.there, waves.back / waves.there});
  EXPECT_NEAR(waves.there / height, 1.0, 0.05);  // 20 cells of depth, 3.2 cells of height
  EXPECT_LT(waves.back, 0.05 * waves.there);     // 1 to 3 % measured
  const Waves closed = waves_of(piston, "");
  report("the same with a wall at the end", {closed.there, closed.back / closed.there});
  EXPECT_GT(closed.back, 0.3 * closed.there);  // what the zone takes away
}

/// A flap turns, so that its face lies across the cells. In steps of first order whose length follows the waves they
/// would be 9 % too high, and 5 % would come back.
TEST(WaveTank, a_flap_makes_waves_as_well) {
  const Waves waves = waves_of(flap, zone);
  report("height [m], reflected part", {waves.there, waves.back / waves.there});
  EXPECT_NEAR(waves.there / height, 1.0, 0.025);
  EXPECT_LT(waves.back, 0.02 * waves.there);
}

}  // namespace
}  // namespace freshet::test
