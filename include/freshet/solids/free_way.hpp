// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <algorithm>
#include <optional>

namespace freshet {

/// A point and its distance to the nearest body, negative inside. Both in the same unit.
struct PointBesideBodies {
  Vec3 x;
  double distance;
};

/// Ways are looked at in steps of this near bodies; a body that a way enters for longer is found. [cells]
inline constexpr double shortest_way = 1.0 / 64.0;

/// Find how much of the straight way between two points is free of bodies: its length if no body stands in it.
///
/// A signed distance changes by at most the displacement. So the way is free if the distances at its ends add up to
/// more than its length; else its halves decide, down to pieces of `shortest`, of which the ends decide. So walls that
/// are thicker along the way are found, and a way beside a body is free however close it comes.
/// \param[in] distance  function: distance of a point to the nearest body. \pre from.distance > 0
/// Source: Hart 1996, the bound of sphere tracing
template <class Distance>
double free_way(const Distance& distance, const PointBesideBodies& from, const PointBesideBodies& to, double length,
                double shortest) {
  if (to.distance > 0.0 && from.distance + to.distance > length) return length;
  if (length <= shortest) return to.distance > 0.0 ? length : length * from.distance / (from.distance - to.distance);
  const Vec3 x = 0.5 * (from.x + to.x);
  const PointBesideBodies middle{x, distance(x)};
  const double half = 0.5 * length;
  const double first = free_way(distance, from, middle, half, shortest);
  if (first < half || middle.distance <= 0.0) return first;
  return half + free_way(distance, middle, to, half, shortest);
}

/// The way from the centre of a cell, in some direction, to a wall that is thinner than a cell and begins before the
/// next centre; nothing if there is none. \param[in] distance  function: distance of a point to the body \param[in]
/// direction  unit vector
template <class Distance>
std::optional<double> way_to_thin_wall(const Distance& distance, const Vec3& center, const Vec3& direction, double dx) {
  const Vec3 next = center + dx * direction;
  const PointBesideBodies from{center, distance(center)}, to{next, distance(next)};
  if (from.distance <= 0.0) return std::nullopt;
  const double way = free_way(distance, from, to, dx, shortest_way * dx);
  if (way == dx || distance(center + (way + dx) * direction) <= 0.0) return std::nullopt;
  return way;
}

/// How far beyond a face that a wall thinner than a cell closes the wall stands, into the next cell; negative if it
/// stands on this side, 0 if it stands in the face. Seen from the next cell it is the opposite number, bit for bit.
/// [cells] \param[in] center  of the cell [m] \param[in] direction  out of the cell, unit vector
template <class Distance>
double wall_beyond_face(const Distance& distance, const Vec3& center, const Vec3& direction, double dx) {
  const auto beyond = [&](const Vec3& from, const Vec3& way) {
    return std::max(0.0, way_to_thin_wall(distance, from, way, dx).value_or(0.0) / dx - 0.5);
  };
  return beyond(center, direction) - beyond(center + dx * direction, -direction);
}

}  // namespace freshet
