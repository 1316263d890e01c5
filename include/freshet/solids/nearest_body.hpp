// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/solids/solids.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

/// The body nearest to a point, among all bodies or some of them.
namespace freshet {

using Shapes = std::vector<std::shared_ptr<const Shape>>;

/// Nearest body of a point, and its signed distance [m].
struct Nearest {
  double distance = std::numeric_limits<double>::infinity();
  std::size_t body = 0;
};

/// Points closer than this to a surface lie on it. Otherwise rounding of a body's sizes would decide on which side they
/// lie, and not alike at both ends of an axis. [cells]
constexpr double rounding_of_distances = 1e-9;
/// A distance in cells, 0 if it is rounding.
inline double without_rounding(double distance) {
  return std::abs(distance) < rounding_of_distances ? 0.0 : distance;
}
/// Whether a body covers a place, its surface included.
inline bool covers(const Shape& shape, const Vec3& x, double dx) {
  return without_rounding(shape.signed_distance(x) / dx) <= 0.0;
}

/// The direction from the centre of a cell [m] to the nearest surface of a body there; in the middle of a thin wall, to
/// one of its two.
inline Vec3 side_of_center(const Shape& shape, const Vec3& center, double dx) {
  const double step = 1e-2 * dx;
  const Vec3 normal = outward_normal(shape, center, step);
  return normal.isZero(0.0) ? outward_normal(shape, center + 0.05 * dx * Vec3(1.0, 0.7, 0.4), step) : normal;
}

/// Whether a place lies in any of the shapes, their surfaces excluded.
inline bool is_in_any(const Shapes& shapes, const Vec3& x) {
  return std::any_of(shapes.begin(), shapes.end(), [&](const auto& shape) { return shape->signed_distance(x) < 0.0; });
}

/// The nearest of the bodies for which wanted(body) is true.
template <class Wanted>
Nearest nearest_body(const std::vector<SolidBody>& bodies, const Shapes& shapes, const Vec3& x, Wanted wanted) {
  Nearest nearest;
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    if (!wanted(bodies[n])) continue;
    const double distance = shapes[n]->signed_distance(x);
    if (distance < nearest.distance) nearest = {distance, n};
  }
  return nearest;
}

// objects in place of functions, so that searches inline them
inline constexpr auto has_fractions = [](const SolidBody& body) { return body.surface == Surface::fractions; };
inline constexpr auto has_voxels = [](const SolidBody& body) { return body.surface == Surface::voxels; };
inline constexpr auto any_body = [](const SolidBody&) { return true; };

}  // namespace freshet
