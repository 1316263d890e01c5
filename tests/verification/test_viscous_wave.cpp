// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace freshet {
namespace {

using test::for_each_particle;
using test::make_case;
using test::world;

constexpr double k = std::numbers::pi;  ///< half a wavelength in a box of 1 m
constexpr double depth = 1.0;           ///< [m]; gravity is 1 m/s^2

struct Point {
  double time = 0.0;       ///< [s]
  double elevation = 0.0;  ///< of that at the start
  double plotted = 0.0;
};

/// A wave that starts at rest, for Re = depth sqrt(g depth) / nu = 20, in theory: Prosperetti 1981, Phys. Fluids 24,
/// 1217-1223, evaluated for one liquid with the frequency of this depth; and as a curve of Wu, Eatock Taylor & Greaves
/// 2001, J. Eng. Math. 40, 77-90, plotted by Carrica et al. 2007, IJNMF 53, 229-256, was read.
const Point theory[] = {{0.3268, 0.86268, 0.83539},   {0.65, 0.55886, 0.53643},     {1.034, 0.15479, 0.1374},
                        {1.2616, -0.04929, -0.05578}, {1.519, -0.22077, -0.235},    {1.8137, -0.32942, -0.33271},
                        {2.13, -0.34953, -0.34778},   {2.5153, -0.27617, -0.28246}, {2.9083, -0.14905, -0.15069},
                        {3.5522, 0.03502, 0.04261},   {3.9722, 0.09049, 0.09185},   {4.4879, 0.08911, 0.08728}};

struct Error {
  double theory = 0.0;
  double plot = 0.0;
};

/// A wave that starts with a flat surface moves as the rate at which the surface moves of one that starts at rest. So
/// the integral of its elevation is compared, and the surface needs no shape at the start.
/// \return the largest differences. \param[in] n  cells a wavelength
Error largest_error(int n, double max_dt) {
  const double cell_size = 2.0 / n;
  const Parameters parameters = make_case(
      test::case_text({n / 2, n / 2 + 8}, cell_size) + test::uncorrected + test::sticky_walls +
      fmt::format("[fluid]\ngravity = [0, -1]\ndensity = 1\nviscosity = 0.05\n[labels]\nsurface = \"level_set\"\n"
                  "[particles]\njitter = 0\n[[liquid]]\nshape = \"box\"\nlower = [-1, -1]\nupper = [2, "
                  "{}]\n[time]\nmax_dt = {}\n",
                  depth, max_dt));
  Simulation simulation(world(), parameters);
  const double omega_squared = k * std::tanh(k * depth);
  const double rate = 0.02 * std::sqrt(omega_squared);  // of the surface, at the wall [m/s]
  simulation.set_particle_velocity([&](const Vec3& x) {
    const double scale = rate / std::sinh(k * depth);
    return Vec3(-scale * std::cosh(k * x[1]) * std::sin(k * x[0]), scale * std::sinh(k * x[1]) * std::cos(k * x[0]),
                0.0);
  });
  const auto elevation = [&] {  // amplitude of cos(k x): particles carry volume
    double sum = 0.0;
    for_each_particle(simulation, [&](const Vec3& x, const Vec3&, ParticleId) { sum += std::cos(k * x[0]); });
    return 2.0 * world().sum(sum) * cell_size * cell_size / 4.0;
  };
  const double start = elevation();
  double here = 0.0;
  double integral = 0.0;
  Error worst;
  for (const auto& [time, expected, plotted] : theory) {
    while (simulation.time() < time - 1e-9) {
      const double before = here;
      const double t = simulation.time();
      simulation.advance(std::min(simulation.largest_dt(), time - t));
      here = elevation() - start;
      integral += 0.5 * (simulation.time() - t) * (before + here);
    }
    const double found = 1.0 - omega_squared / rate * integral;
    worst.theory = std::max(worst.theory, std::abs(found - expected));
    worst.plot = std::max(worst.plot, std::abs(found - plotted));
  }
  return worst;
}

TEST(ViscousWave, is_damped_as_linear_theory_says_at_reynolds_20) {
  const Error coarse = largest_error(32, 0.02);
  const Error fine = largest_error(64, 0.01);
  test::report("error of the elevation with 32 and 64 cells a wavelength, from the plot",
               {coarse.theory, fine.theory, fine.plot});
  EXPECT_LE(fine.theory, 0.0125);
  EXPECT_LE(fine.plot, 0.03);  // the theory is 0.027 off the plot in the first fifth of a period
  EXPECT_GT(coarse.theory / fine.theory, 3.0);
}

}  // namespace
}  // namespace freshet
