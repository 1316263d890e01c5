// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/solids/solids.hpp"

#include <vector>

namespace freshet {

/// A body at the start and at the end of a motion of particles.
struct BodyPath {
  const Shape* shape;  ///< in the body's own coordinates
  std::shared_ptr<const Shape> at_end;
  Pose from, to;
};

/// The bodies' paths through [time, time + dt].
class BodyPaths {
 public:
  BodyPaths(const SolidFields& solids, const Domain& domain, double time, double dt);
  const std::vector<BodyPath>& paths() const { return paths_; }
  /// Upper bound of the displacement of a body's points since solids.time(), the time of the grid's fields. [cells]
  double largest_displacement() const { return largest_displacement_; }
  /// Mean velocity through [time, time + dt] of the point of a body that ends at x; 0 if dt is 0. [m/s]
  Vec3 velocity(const BodyPath& body, const Vec3& x) const;
  /// Mean speed, relative to a body, of a particle that moves between two places in dt; infinite if dt is 0. [m/s]
  double speed_along(const BodyPath& body, const Vec3& from, const Vec3& to) const;

 private:
  std::vector<BodyPath> paths_;
  double largest_displacement_ = 0.0;
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
