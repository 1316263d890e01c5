// SPDX-License-Identifier: Apache-2.0
#include "freshet/solids/body_paths.hpp"

#include <algorithm>
#include <limits>

namespace freshet {
namespace {

constexpr double side_step = 1e-3;  // [cells]

}  // namespace

BodyPaths::BodyPaths(const SolidFields& solids, const Domain& domain, double time, double dt) : dt_(dt) {
  for (const SolidBody& body : solids.bodies()) {
    const double end = time + dt;
    const double start = solids.time();
    paths_.push_back({body.shape.get(), body.shape_at(end, start), body.pose(time, start), body.pose(end, start)});
  }
  const double since = time + dt - solids.time();
  if (since > 0.0) largest_displacement_ = largest_way(solids.bodies(), domain, solids.time(), since) / domain.dx();
}

Vec3 BodyPaths::velocity(const BodyPath& body, const Vec3& x) const {
  if (dt_ == 0.0) return Vec3::Zero();
  return (x - body.from.to_world(body.to.to_body(x))) / dt_;
}

double BodyPaths::speed_along(const BodyPath& body, const Vec3& from, const Vec3& to) const {
  if (dt_ == 0.0) return std::numeric_limits<double>::infinity();
  return (to - body.to.to_world(body.from.to_body(from))).norm() / dt_;
}

double first_contact(const Shape& shape, const Segment& segment, double dx) {
  const Vec3 step = segment.to - segment.from;
  const double length = step.norm();
  if (length == 0.0) return 1.0;
  const double least = 0.05 * dx;
  double before = 0.0;
  for (double s = 0.0; s < length;) {
    const double distance = shape.signed_distance(segment.from + s / length * step);
    if (distance <= 0.0 && s == 0.0) {
      const bool rests = distance > -on_surface * dx;
      return rests && step.dot(outward_normal(shape, segment.from, side_step * dx)) < 0.0 ? 0.0 : 1.0;
    }
    if (distance <= 0.0) return before / length;
    if (distance >= length - s) return 1.0;
    before = s;
    s += std::max(distance - body_gap * dx, least);  // a step by the whole distance may end on a surface
  }
  return shape.signed_distance(segment.to) <= 0.0 ? before / length : 1.0;
}

}  // namespace freshet
