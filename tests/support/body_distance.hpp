// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/case.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

namespace freshet::test {

constexpr double position_rounding = 1e-7;  ///< positions are good to 5e-7 of a cell, and cells are below 0.05 m [m]

/// Smallest signed distance of a particle to the bodies where they are now. [m]
inline double smallest_distance(const Simulation& simulation) {
  double smallest = std::numeric_limits<double>::infinity();
  std::vector<std::shared_ptr<const Shape>> shapes;
  for (const SolidBody& body : simulation.solids().bodies()) shapes.push_back(body.shape_at(simulation.time()));
  for_each_particle(simulation, [&](const Vec3& x, const Vec3&, ParticleId) {
    for (const auto& shape : shapes) smallest = std::min(smallest, shape->signed_distance(x));
  });
  return world().min(smallest);
}

}  // namespace freshet::test
