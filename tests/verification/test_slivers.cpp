// SPDX-License-Identifier: Apache-2.0
// The pressure on a body does not depend on where the grid cuts it.
// ranks: 1 2 3 4 8
// nightly: 1 3 4 8
// timeout: 900
#include "support/case.hpp"
#include "support/mpi_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace freshet {
namespace {

using test::make_case;
using test::report;
using test::world;

constexpr double g = 9.81;
constexpr double rho = 1000.0;
constexpr double depth = 0.4;                                   // [m]
constexpr double dx = 0.025;                                    // [m]
constexpr std::array<double, 4> height{0.05, 0.12, 0.2, 0.05};  ///< of the gauges above the floor [m]

/// A tank of 1.6 m with a box on its floor, in a grid that lies `shift` cells to the left of the tank and below it.
/// Three gauges stand on the box's right face and its roof, one in the liquid.
std::string tank(double shift, const std::string& liquid) {
  std::string text = fmt::format(
      "[run]\nend_time = 10\nreproducible = true\n[domain]\ndimension = 2\norigin = [{0}, {0}]\ncells = [66, "
      "34]\ncell_size = {1}\n"
      "boundary.y_high = 'open'\n[fluid]\ngravity = [0, -9.81]\n[labels]\nsurface = 'level_set'\n"
      "[density]\ncorrection = 'implicit'\n[pressure.walls]\ncondition = 'separating'\n"
      "[[liquid]]\nshape = 'box'\nlower = {2}\nupper = [3, {3}]\n"
      "[[solid]]\nsurface = 'fractions'\nshape = 'box'\nlower = [0.5, -0.1]\nupper = [0.7, 0.2]\n",
      -shift * dx, dx, liquid, depth);
  for (const auto* wall : {"point = [0, 0]\nnormal = [1, 0]\n", "point = [1.6, 0]\nnormal = [-1, 0]\n",
                           "point = [0, 0]\nnormal = [0, 1]\n"})
    text += std::string("[[solid]]\nsurface = 'fractions'\nshape = 'half_space'\n") + wall;
  const std::array<std::string, 4> place{"[0.7, 0.05]\nnormal = [1, 0]", "[0.7, 0.12]\nnormal = [1, 0]",
                                         "[0.6, 0.2]\nnormal = [0, 1]", "[0.3, 0.05]"};
  for (std::size_t i = 0; i < place.size(); ++i)
    text += fmt::format("[[gauge]]\nname = 'p{}'\ntype = 'pressure'\npoint = {}\n", i, place[i]);
  return text;
}

/// What the gauges read between two times.
struct Readings {
  std::array<double, 4> mean{};  ///< over time [Pa]
  std::array<double, 4> jump{};  ///< mean |difference| between one step and the next [Pa]
};

Readings read_gauges(double shift, const std::string& liquid, double from, double until) {
  Simulation simulation(world(), make_case(tank(shift, liquid)));
  Readings result;
  std::array<double, 4> last{};
  double length = 0.0;
  int n_jumps = 0;
  while (simulation.time() < until) {
    const double dt = std::min(simulation.largest_dt(), 0.01);
    simulation.advance(dt);
    if (simulation.time() < from) continue;
    for (std::size_t i = 0; i < 4; ++i) {
      const double p = simulation.gauges().values(i)[0];
      result.mean[i] += dt * p;
      if (length > 0.0) result.jump[i] += std::abs(p - last[i]);
      last[i] = p;
    }
    n_jumps += length > 0.0 ? 1 : 0;
    length += dt;
  }
  for (double& mean : result.mean) mean /= length;
  for (double& jump : result.jump) jump /= n_jumps;
  return result;
}

/// Parts of a cell by which the grid is shifted; the last leaves open slivers of 2 % beside the faces.
constexpr std::array<double, 9> shifts{0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 0.98};

TEST(Slivers, of_cells_beside_a_body_leave_still_water_its_pressure) {
  const double level_error = 0.2 * rho * g * dx;  // the particles place the surface to a fifth of a cell
  const double jump_bound = 0.03 * rho * g * dx;  // slivers that the density correction treats as full cells: 0.2
  for (const double shift : shifts) {
    const Readings readings = read_gauges(shift, "[-1, -1]", 0.3, 1.0);
    for (std::size_t i = 0; i < 4; ++i) {
      const double hydrostatic = rho * g * (depth - height[i]);
      report(fmt::format("shift {}, gauge {}: p / (rho g h), jump / (rho g h)", shift, i).c_str(),
             {readings.mean[i] / hydrostatic, readings.jump[i] / hydrostatic});
      EXPECT_NEAR(readings.mean[i], hydrostatic, level_error) << shift;
      EXPECT_LT(readings.jump[i], jump_bound) << shift;
    }
  }
}

TEST(Slivers, of_cells_beside_a_body_leave_a_dam_break_its_pressure) {
  constexpr std::size_t n_gauges = 2;  // the box's right face, which the dam breaks onto
  std::array<double, n_gauges> least{1e9, 1e9}, most{}, jump{};
  for (const double shift : shifts) {
    const Readings readings = read_gauges(shift, "[1.1, -1]", 0.6, 1.2);
    for (std::size_t i = 0; i < n_gauges; ++i) {
      report(fmt::format("shift {}, gauge {}: mean, jump [Pa]", shift, i).c_str(),
             {readings.mean[i], readings.jump[i]});
      least[i] = std::min(least[i], readings.mean[i]);
      most[i] = std::max(most[i], readings.mean[i]);
      jump[i] += readings.jump[i] / shifts.size();
    }
  }
  for (std::size_t i = 0; i < n_gauges; ++i) {
    EXPECT_LT(most[i], 1.1 * least[i]);
    EXPECT_LT(jump[i], 0.4 * rho * g * dx);  // of impacts and splashes; 0.25 without slivers
  }
}

}  // namespace
}  // namespace freshet
