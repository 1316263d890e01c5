// SPDX-License-Identifier: Apache-2.0
#include "freshet/solids/body_paths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

constexpr double side_step = 1e-3;       // [cells]
constexpr double place_rounding = 1e-6;  ///< bound of the rounding of places [cells]

Box grown(const Box& box, double by) {
  return {box.lower - Vec3::Constant(by), box.upper + Vec3::Constant(by)};
}

/// A box without bounds along z in 2-D, where shapes take all places as in one plane.
Box without_height(Box box, int dimension) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (dimension == 2) {
    box.lower.z() = -infinity;
    box.upper.z() = infinity;
  }
  return box;
}

BodyPath path_of(const SolidBody& body, const Domain& domain, double start, double time, double end) {
  BodyPath path{
      body.shape.get(), body.shape_at(end, start), body.pose(time, start), body.pose(end, start), {}, {}, {}, {}};
  const double margin = domain.dx() * place_rounding + std::min(body.shape->slack(), domain.dx());
  path.covers = without_height(grown(path.at_end->bounds(), margin), domain.dimension());
  path.ball = path.at_end->ball();
  path.ball.radius += margin;
  path.turn = path.to.rotation * path.from.rotation.transpose();
  path.shift = path.to.translation - path.turn * path.from.translation;
  return path;
}

}  // namespace

BodyPaths::BodyPaths(const SolidFields& solids, const Domain& domain, double time, double dt) : dt_(dt) {
  for (const SolidBody& body : solids.bodies()) paths_.push_back(path_of(body, domain, solids.time(), time, time + dt));
  for (const SolidBody& body : solids.bodies()) largest_slack_ = std::max(largest_slack_, body.shape->slack());
  const double since = time + dt - solids.time();
  if (since > 0.0) largest_displacement_ = largest_way(solids.bodies(), domain, solids.time(), since) / domain.dx();
}

NearPaths BodyPaths::near(const SolidFields& solids, const BlockLayout& layout, LocalIndex block, int reach,
                          NearPathMemory& memory) const {
  const Domain& domain = layout.domain();
  const Vec3 first = layout.first_cell(block).cast<double>(), cells = domain.block_cells().cast<double>();
  const Box region{domain.origin() + domain.dx() * (first - Vec3::Constant(reach)),
                   domain.origin() + domain.dx() * (first + cells + Vec3::Constant(reach))};
  const Vec3 center = 0.5 * (region.lower + region.upper);
  const double radius = 0.5 * (region.upper - region.lower).norm();
  const auto add = [&](const BodyPath& path) {
    const double way =
        (path.turn * center + path.shift - center).norm() + radius * (path.turn - Mat3::Identity()).norm();
    const Box meets = grown(path.covers, way);
    if ((meets.lower.array() <= region.upper.array()).all() && (meets.upper.array() >= region.lower.array()).all())
      memory.push_back({&path, way, meets});
  };
  memory.clear();
  const double within = std::sqrt(3.0) * reach + largest_displacement_;  // [cells]
  if (within > listed_within) {
    for (const BodyPath& path : paths_) add(path);
  } else {
    const double limit = domain.dx() * (within + 0.5 * cells.norm());
    for (const NearBody& body : solids.near_block(block).list.bodies)
      if (body.least < limit) add(paths_[static_cast<std::size_t>(body.body)]);
  }
  return {without_height(region, domain.dimension()), memory, paths_};
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
