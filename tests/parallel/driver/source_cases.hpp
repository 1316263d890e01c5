// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/case.hpp"
#include "support/case_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

/// What the tests of sources and sinks have in common.
namespace freshet::test {

constexpr double dx = 0.05;  ///< of tank() [m]

/// A closed box of 32 x 24 x 16 cells: 1.6 m x 1.2 m x 0.8 m.
inline std::string tank(const std::string& more, const std::string& gravity = "[0, 0, 0]") {
  return case_text({32, 24, 16}, dx, reproducible) + "[fluid]\ngravity = " + gravity + "\n" + more;
}

/// A source from x to 0.3 m that blows along x with 2 m/s.
inline std::string jet_from(double x) {
  return fmt::format(R"(
[[source]]
shape = "box"
lower = [{}, 0.5, 0.3]
upper = [0.3, 0.7, 0.5]
velocity = [2, 0, 0]
tag = 3
)",
                     x);
}

/// Of tank(). [m^3]
inline double particle_volume(const Simulation& simulation) {
  return std::pow(dx, 3) / simulation.particles_per_cell();
}

}  // namespace freshet::test
