// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace freshet {
namespace {

using test::make_case;
using test::world;

constexpr int n = 16;                       // cells across the film
constexpr double height = 0.2;              // of the film [m]
constexpr double between = 0.525 * height;  // of the lower layer: the interface lies at 0.4 of a cell [m]
constexpr double density = 1000.0;          // [kg/m^3]
constexpr double slope = std::numbers::pi / 18;
const double along = 9.81 * std::sin(slope);  // [m/s^2]

/// The steady film: stress density along (height - y) in both layers. [m/s]
double steady(double y, double below, double above) {
  const auto integral = [](double from, double to) { return 0.5 * (to - from) * (2.0 * height - to - from); };
  const double low = integral(0.0, std::min(y, between)) / below;
  return density * along * (low + (y > between ? integral(between, y) / above : 0.0));
}

/// Root mean square error of the velocity of the particles, when the start has decayed to 1e-5 of it, as part of the
/// surface's velocity.
double error_of_film(double below, double above) {
  const double cell_size = height / n;
  const Parameters parameters = make_case(
      test::case_text({16, 24}, cell_size) +
      fmt::format("boundary.x_low = \"periodic\"\nboundary.x_high = \"periodic\"\nboundary.y_low = \"no_slip\"\n"
                  "[fluid]\ngravity = [{}, {}]\ndensity = {}\n[density]\ncorrection = \"implicit\"\n"
                  "[[liquid]]\nshape = \"box\"\nlower = [0, 0]\nupper = [1, {}]\nviscosity = {}\ntag = 0\n"
                  "[[liquid]]\nshape = \"box\"\nlower = [0, {}]\nupper = [1, {}]\nviscosity = {}\ntag = 1\n",
                  along, -9.81 * std::cos(slope), density, between, below, between, height, above));
  Simulation simulation(world(), parameters);
  test::run_until(simulation, 2.5);
  double sum = 0.0;
  double n_particles = 0.0;
  test::for_each_particle(simulation, [&](const Vec3& x, const Vec3& u, ParticleId) {
    const double difference = u[0] - steady(x[1], below, above);
    sum += difference * difference;
    n_particles += 1.0;
  });
  return std::sqrt(world().sum(sum) / world().sum(n_particles)) / steady(height, below, above);
}

/// Liquid of one viscosity has an error of 0.013.
TEST(LayeredFilm, has_the_error_of_one_liquid_where_the_interface_lies_in_a_cell) {
  for (const double below : {100.0, 400.0}) {
    const double error = error_of_film(below, 20.0);
    test::report("viscosities' ratio, and error of the film", {below / 20.0, error});
    EXPECT_LE(error, 0.018);  // with arithmetic means 0.027 and 0.069
  }
}

}  // namespace
}  // namespace freshet
