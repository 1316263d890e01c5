// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/solids/solids.hpp"

#include <span>
#include <vector>

namespace freshet {

/// A body at the start and at the end of a motion of particles.
struct BodyPath {
  const Shape* shape;  ///< in the body's own coordinates
  std::shared_ptr<const Shape> at_end;
  Pose from, to;
  Box covers;         ///< holds the body at the end of the motion, and all places that are not surely outside it [m]
  BoundingBall ball;  ///< as `covers` [m]
  Mat3 turn;          ///< the body carries the place x along by turn x + shift
  Vec3 shift;         ///< [m]
};

/// A body that particles of a block may meet.
struct NearPath {
  const BodyPath* path;
  double way;  ///< bound of how far the body carries a place of the region [m]
  Box meets;   ///< no straight way between two places of the block's region meets the body if their box misses this [m]
};

/// A region, and the bodies that particles in it may meet, in the order of the bodies.
struct NearPaths {
  Box region;  ///< [m]
  std::span<const NearPath> near;
  std::span<const BodyPath> all;

  /// Call f(path) for the bodies that a particle may meet on its way between two places.
  template <class Function>
  void for_each(const Vec3& from, const Vec3& to, Function&& f) const {
    const Vec3 lower = from.cwiseMin(to), upper = from.cwiseMax(to);
    if (!((lower.array() >= region.lower.array()).all() && (upper.array() <= region.upper.array()).all())) {
      for (const BodyPath& path : all) f(path);
      return;
    }
    for (const NearPath& body : near)
      if ((lower.array() <= body.meets.upper.array()).all() && (upper.array() >= body.meets.lower.array()).all())
        f(*body.path);
  }
};

using NearPathMemory = TrackedVector<NearPath, MemoryKind::scratch>;

/// The bodies' paths through [time, time + dt].
class BodyPaths {
 public:
  BodyPaths(const SolidFields& solids, const Domain& domain, double time, double dt);
  const std::vector<BodyPath>& paths() const { return paths_; }
  /// The bodies that particles may meet on ways that begin and end at most `reach` cells from a block along any axis.
  /// \param[in] solids  as in the constructor \param[out] memory  what the result refers to
  NearPaths near(const SolidFields& solids, const BlockLayout& layout, LocalIndex block, int reach,
                 NearPathMemory& memory) const;
  /// Upper bound of the displacement of a body's points since solids.time(), the time of the grid's fields. [cells]
  double largest_displacement() const { return largest_displacement_; }
  /// The largest Shape::slack() of the bodies. [m]
  double largest_slack() const { return largest_slack_; }
  /// Mean velocity through [time, time + dt] of the point of a body that ends at x; 0 if dt is 0. [m/s]
  Vec3 velocity(const BodyPath& body, const Vec3& x) const;
  /// Mean speed, relative to a body, of a particle that moves between two places in dt; infinite if dt is 0. [m/s]
  double speed_along(const BodyPath& body, const Vec3& from, const Vec3& to) const;

 private:
  std::vector<BodyPath> paths_;
  double largest_displacement_ = 0.0;
  double largest_slack_ = 0.0;
  double dt_ = 0.0;  ///< [s]
};

/// The straight displacement of a particle in a body's own coordinates. [m]
struct Segment {
  Vec3 from, to;
};

/// Find where a segment first meets a body.
///
/// The search steps by the signed distance, but at least by a twentieth of a cell: it may miss thinner bodies.
/// \return the fraction of the segment that ends outside the body, at most a twentieth of a cell before it. 0 if the
/// segment begins on the surface (within `on_surface`) and leads into the body; 1 if it never meets the body or begins
/// inside Source: Hart 1996 (sphere tracing)
double first_contact(const Shape& shape, const Segment& segment, double dx);

constexpr double body_gap = 1e-3;    ///< distance at which particles end that met a body or were pushed out [cells]
constexpr double on_surface = 1e-2;  ///< a particle less deep than this in a body rests on the body [cells]

}  // namespace freshet
