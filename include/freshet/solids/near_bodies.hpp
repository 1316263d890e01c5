// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/solids/nearest_body.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <span>

namespace freshet {

/// The bodies that places in and around one block ask for their distances.
///
/// The signed distance to a body changes by at most the displacement. So the distances of the block's centre tell which
/// bodies a place has to ask: most of them are farther away than the nearest one in any case; where there are many,
/// those of the centres of the block's parts tell it more closely. Answers are those of a search through all bodies, at
/// any place; far from the block they take as long.
/// Source: Hart 1996, the bound of sphere tracing
class NearBodies {
 public:
  NearBodies(const SolidFields& solids, LocalIndex block)
      : NearBodies(solids.bodies(), solids.shapes(), solids.near_block(block)) {}
  NearBodies(const std::vector<SolidBody>& bodies, const Shapes& shapes, const BodiesOfBlock& block)
      : bodies_(bodies), shapes_(shapes), block_(block) {}

  const std::vector<SolidBody>& bodies() const { return bodies_; }
  const Shapes& shapes() const { return shapes_; }

  /// Call f(body) for all bodies whose signed distance may be less than a limit at a place, in their order. [m]
  template <class Function>
  void for_each_within(double limit, const Vec3& x, Function&& f) const {
    const BodyList& list = list_at(x);
    const double way = (x - list.center).norm();
    if (!(limit <= list.beyond - way)) {
      for (std::size_t n = 0; n < bodies_.size(); ++n) f(n);
      return;
    }
    for (const NearBody& near : list.bodies)
      if (near.least - way < limit) f(static_cast<std::size_t>(near.body));
  }

  /// As for_each_within(), but bodies whose signed distance less the slack of their shape is more than the limit are
  /// left out. [m]
  template <class Function>
  void for_each_reaching(double limit, const Vec3& x, Function&& f) const {
    const BodyList& list = list_at(x);
    const double way = (x - list.center).norm();
    const auto ask = [&](std::size_t n, double distance) {
      if (distance <= limit || distance - shapes_[n]->slack() <= limit) f(n);
    };
    if (!(limit <= list.beyond - way)) {
      for (std::size_t n = 0; n < bodies_.size(); ++n) ask(n, shapes_[n]->signed_distance(x));
      return;
    }
    for (const NearBody& near : list.bodies) {
      if (near.least - way > limit) continue;
      const auto n = static_cast<std::size_t>(near.body);
      ask(n, near.distance_of(x, *shapes_[n]));
    }
  }

  /// Whether a place lies in one of the bodies or on its surface.
  bool is_in_any(const Vec3& x) const {
    bool is_inside = false;
    for_each_within(block_.rounding, x,
                    [&](std::size_t n) { is_inside = is_inside || shapes_[n]->signed_distance(x) <= 0.0; });
    return is_inside;
  }

  /// The nearest of the bodies for which wanted(body) is true.
  template <class Wanted>
  Nearest nearest(const Vec3& x, Wanted wanted) const {
    const BodyList& list = list_at(x);
    const double way = (x - list.center).norm();
    const Nearest nearest = nearest_listed(list, x, way, {}, wanted);
    if (nearest.distance < list.beyond - way) return nearest;
    return nearest_body(bodies_, shapes_, x, wanted);
  }

  /// As nearest(), but the distance is the limit if no such body is nearer. [m]
  template <class Wanted>
  Nearest nearest_within(double limit, const Vec3& x, Wanted wanted) const {
    const BodyList& list = list_at(x);
    const double way = (x - list.center).norm();
    const Nearest nearest = nearest_listed(list, x, way, {limit, 0}, wanted);
    if (nearest.distance < list.beyond - way || limit <= list.beyond - way) return nearest;
    const Nearest of_all = nearest_body(bodies_, shapes_, x, wanted);
    return of_all.distance < limit ? of_all : Nearest{limit, 0};
  }

  /// The body that is the nearest one of those with wanted(body) at all places within a distance [m] of x. Nothing
  /// where several may be.
  template <class Wanted>
  std::optional<std::size_t> nearest_around(const Vec3& x, double within, Wanted wanted) const {
    const BodyList& list = list_at(x);
    const double way = (x - list.center).norm();
    const Nearest nearest = nearest_listed(list, x, way, {}, wanted);
    double farthest = nearest.distance + 2.0 * within;  // others must be farther away than this from x
    for (const NearBody& near : list.bodies)
      if (static_cast<std::size_t>(near.body) == nearest.body) farthest += near.distance - near.least;
    if (!(farthest < list.beyond - way)) return std::nullopt;
    for (const NearBody& near : list.bodies) {
      const auto n = static_cast<std::size_t>(near.body);
      if (n == nearest.body || near.least - way > farthest || !wanted(bodies_[n])) continue;
      if (near.distance_of(x, *shapes_[n]) - (near.distance - near.least) <= farthest) return std::nullopt;
    }
    return nearest.body;
  }

 private:
  const BodyList& list_at(const Vec3& x) const {
    if (!block_.has_parts) return block_.list;
    const Vec3& center = block_.list.center;
    const int part = (x.x() > center.x() ? 1 : 0) | (x.y() > center.y() ? 2 : 0) | (x.z() > center.z() ? 4 : 0);
    return block_.parts[static_cast<std::size_t>(part & block_.part_bits)];
  }
  template <class Wanted>
  Nearest nearest_listed(const BodyList& list, const Vec3& x, double way, Nearest nearest, Wanted wanted) const {
    const auto ask = [&](const NearBody& near) {
      const auto n = static_cast<std::size_t>(near.body);
      if (near.least - way > nearest.distance || !wanted(bodies_[n])) return;
      const double distance = near.distance_of(x, *shapes_[n]);
      if (distance < nearest.distance || (distance == nearest.distance && n < nearest.body)) nearest = {distance, n};
    };
    // the nearest one first, as the others then need not be asked; of equally near ones the one with the lowest index
    if (!list.bodies.empty()) ask(list.bodies[list.first]);
    for (std::size_t i = 0; i < list.bodies.size(); ++i)
      if (i != list.first) ask(list.bodies[i]);
    return nearest;
  }

  const std::vector<SolidBody>& bodies_;
  const Shapes& shapes_;
  const BodiesOfBlock block_;
};

}  // namespace freshet
