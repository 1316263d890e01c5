// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/solids.hpp"

#include <vector>

namespace freshet {

/// Where a body is at the two ends of a motion of particles.
struct BodyPath {
  const Shape* shape;  ///< in the body's own coordinates
  std::shared_ptr<const Shape> at_end;
  Pose from, to;
};

/// The bodies' paths through [time, time + dt], and how far the fastest of their points goes.
class BodyPaths {
 public:
  BodyPaths(const SolidFields& solids, const Domain& domain, double time, double dt);
  const std::vector<BodyPath>& paths() const { return paths_; }
  double largest_way() const { return largest_way_; }  ///< [cells], since the grid's bodies stood still
  /// Mean velocity through [time, time + dt] of the point of a body that is at x in the end; 0 if dt is. [m/s]
  Vec3 velocity(const BodyPath& body, const Vec3& x) const;
  /// Mean speed of a particle beside a body, that went from one place to another meanwhile; infinite if dt is 0. [m/s]
  double speed_along(const BodyPath& body, const Vec3& from, const Vec3& to) const;

 private:
  std::vector<BodyPath> paths_;
  double largest_way_ = 0.0;
  double dt_ = 0.0;  ///< [s]
};

/// A straight way in a body's own coordinates, on which something moves around the body. [m]
struct Way {
  Vec3 from, to;
};

/// Where a way first meets a body.
///
/// Steps of the signed distance, at least a twentieth of a cell: bodies thinner than that may be overlooked.
/// \return fraction of the way to a point just outside the body; 0 if it begins on the surface, give or take
/// `on_surface`, and leads in; 1 if it never meets the body, or begins inside
/// Source: Hart 1996 (sphere tracing)
double first_contact(const Shape& shape, const Way& way, double dx);

constexpr double body_gap = 1e-3;    ///< particles that met a body or were pushed out end this far from it [cells]
constexpr double on_surface = 1e-2;  ///< what lies no deeper in a body has come to rest on it [cells]

}  // namespace freshet
