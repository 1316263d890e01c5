// SPDX-License-Identifier: Apache-2.0
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace freshet {
namespace {

using test::for_each_particle;
using test::make_case;
using test::world;

constexpr double radius = 12.0;  ///< at the start [m], and cells
const Vec3 center(48.0, 48.0, 0.0);

/// Of a body of liquid: half axes along x and y, from its second moments, and energy by mass.
struct Ellipse {
  double a = 0.0;       ///< [m]
  double b = 0.0;       ///< [m]
  double energy = 0.0;  ///< [m^2/s^2]

  explicit Ellipse(const Simulation& simulation) {
    double n = 0.0;
    for_each_particle(simulation, [&](const Vec3& x, const Vec3& u, ParticleId) {
      a += 4.0 * (x - center)[0] * (x - center)[0];
      b += 4.0 * (x - center)[1] * (x - center)[1];
      energy += 0.5 * u.squaredNorm();
      n += 1.0;
    });
    n = world().sum(n);
    a = std::sqrt(world().sum(a) / n);
    b = std::sqrt(world().sum(b) / n);
    energy = world().sum(energy) / n;
  }
};

/// Half axis at `time` of a disc with u = (x, -y) at the start: an ellipse of the same area, whose energy
/// (a'^2 + b'^2) / 8 stays. By the midpoint rule
double exact_axis(double a_0, double time) {
  constexpr int n = 2000;
  const auto rate = [a_0](double a) { return a_0 * std::sqrt(2.0 / (1.0 + std::pow(a_0 / a, 4))); };
  double a = a_0;
  for (int i = 0; i < n; ++i) a += time / n * rate(a + 0.5 * time / n * rate(a));
  return a;
}

/// A disc of liquid stretches without gravity, to three times its width, as it must, and loses hardly any energy.
/// Source: Longuet-Higgins 1972, of ellipses with a free surface
TEST(Ellipse, a_disc_stretches_as_the_exact_solution_and_keeps_its_energy) {
  Simulation simulation(
      world(), make_case(test::case_text({96, 96}, 1.0) +
                         fmt::format("[fluid]\ngravity = [0, 0]\n[labels]\nsurface = \"level_set\"\n[[liquid]]\n"
                                     "shape = \"sphere\"\ncenter = [{}, {}]\nradius = {}\n",
                                     center[0], center[1], radius)));
  simulation.set_particle_velocity([](const Vec3& x) { return Vec3(x[0] - center[0], center[1] - x[1], 0.0); });
  const Ellipse before(simulation);
  constexpr double end = 1.5;  // [s]
  test::run_until(simulation, end);
  const Ellipse after(simulation);
  const double a = exact_axis(before.a, end);
  test::report("half axes / exact, energy / energy at the start",
               {after.a / a, after.b * a / (before.a * before.b), after.energy / before.energy});
  EXPECT_NEAR(after.a / a, 1.0, 0.005);
  EXPECT_NEAR(after.b * a / (before.a * before.b), 1.0, 0.01);
  EXPECT_NEAR(after.energy / before.energy, 1.0, 0.03);
}

}  // namespace
}  // namespace freshet
