// SPDX-License-Identifier: Apache-2.0
#include "freshet/bodies/contact.hpp"
#include "freshet/solids/periodic_copies.hpp"
#include "touching_points.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace freshet {
namespace {

/// The half-space behind a side of the domain.
std::shared_ptr<const Shape> half_space_behind(const Domain& domain, int axis, int side) {
  ShapeParameters wall;
  wall.kind = ShapeKind::half_space;
  const Box box = domain.box();
  wall.point = side == 0 ? box.lower : box.upper;
  wall.normal = (side == 0 ? 1.0 : -1.0) * Vec3::Unit(axis);
  return make_shape(wall);
}

bool passes(const ContactSurface& surface, int other) {
  return std::ranges::find(surface.passes, other) != surface.passes.end();
}

}  // namespace

ContactSearch::ContactSearch(const Domain& domain, std::vector<ContactSurface> surfaces)
    : domain_(domain), surfaces_(std::move(surfaces)) {
  for (int axis = 0; axis < domain.dimension(); ++axis)
    for (const int side : {0, 1})
      if (domain.is_wall(axis, side)) walls_.push_back(half_space_behind(domain, axis, side));
}

ContactSearch::Side ContactSearch::side_of(const FreeBodies& bodies, const SolidFields& solids, std::size_t solid,
                                           double dt) const {
  const SolidBody& body = solids.bodies()[solid];
  Side side;
  side.number = number_of_body(solids.bodies(), static_cast<int>(solid));
  side.shape = solids.shapes()[solid].get();
  side.surface = &surfaces_[static_cast<std::size_t>(side.number)];
  side.copy = body.copy;
  side.pose = body.pose(solids.time());
  if (!body.is_free()) {
    side.twist = body.twist(solids.time(), dt);
    return side;
  }
  for (int n = 0; n < bodies.count(); ++n)
    if (bodies.body(n).solid == side.number) side.body = n;
  side.center = side.pose.to_world(body.motion->pivot());
  Box box = side.shape->bounds();
  if (domain_.dimension() == 2) box.lower.z() = box.upper.z() = side.center.z();
  side.reach = box.farthest(side.center);
  const BodyReport last = bodies.report(side.body);
  const Vec6& now = bodies.velocity(side.body);
  side.way = dt * std::max(last.velocity.norm() + side.reach * last.angular.norm(),
                           now.head<3>().norm() + side.reach * now.tail<3>().norm());
  return side;
}

/// Whether a solid spans each axis with periodic sides, so that what it does to a body it does to the body's copies.
bool ContactSearch::stands_below_all_copies(const Side& side) const {
  const Box box = side.shape->bounds();
  for (int d = 0; d < domain_.dimension(); ++d)
    if (domain_.periodic(d) && box.upper[d] - box.lower[d] < domain_.dx() * domain_.cells()[d]) return false;
  return true;
}

std::span<const Contact> ContactSearch::find(const FreeBodies& bodies, const SolidFields& solids, double dt,
                                             double farthest) {
  contacts_.clear();
  if (surfaces_.empty()) return contacts_;
  sides_.clear();
  for (std::size_t s = 0; s < solids.bodies().size(); ++s) sides_.push_back(side_of(bodies, solids, s, dt));
  for (const Side& mine : sides_) {
    if (mine.body < 0 || !mine.surface->touches || !std::isfinite(mine.reach)) continue;
    for (const Side& other : sides_) {
      // each pair once: a body with later ones and their copies, and all its copies with the other solids
      const bool is_later = other.body >= 0 ? mine.copy.of < 0 && other.body > mine.body : other.copy.of < 0;
      if (!is_later || !other.surface->touches || passes(*mine.surface, other.number)) continue;
      if (mine.copy.of >= 0 && stands_below_all_copies(other)) continue;
      search_pair(mine, other, dt, farthest);
    }
    if (mine.copy.of >= 0) continue;
    for (const auto& wall : walls_) {
      Side other;
      other.shape = wall.get();
      search_pair(mine, other, dt, farthest);
    }
  }
  return contacts_;
}

void ContactSearch::search_pair(const Side& mine, const Side& other, double dt, double farthest) {
  const double dx = domain_.dx();
  const double diagonal = std::sqrt(static_cast<double>(domain_.dimension())) * farthest;
  const double my_way = std::max(mine.way, diagonal);  // the liquid may speed bodies up
  const double their_way = other.body >= 0
                               ? std::max(other.way, diagonal)
                               : dt * (other.twist.at(mine.center).norm() + mine.reach * other.twist.angular.norm());
  const double margin = dx + my_way + their_way;
  if (other.body >= 0 && (mine.center - other.center).norm() > mine.reach + other.reach + margin) return;
  if (other.shape->signed_distance(mine.center) > mine.reach + margin) return;
  found_.clear();
  TouchingPoints(*mine.shape, *other.shape, domain_.dimension(), dx, margin, found_)
      .search(mine.surface->features, mine.pose);
  const std::size_t of_mine = found_.size();
  if (other.surface != nullptr)
    TouchingPoints(*other.shape, *mine.shape, domain_.dimension(), dx, margin, found_)
        .search(other.surface->features, other.pose);
  for (std::size_t n = of_mine; n < found_.size(); ++n) found_[n].normal = -found_[n].normal;
  thin_out(found_, dx);
  const ContactSurface& their_surface = other.surface != nullptr ? *other.surface : *mine.surface;
  for (const TouchingPoint& point : found_) {
    Contact contact;
    contact.body = mine.body;
    contact.other = other.body;
    contact.normal = point.normal;
    contact.gap = point.gap;
    contact.arm = point.x - mine.center;
    if (other.body >= 0)
      contact.other_arm = point.x - other.center;
    else
      contact.carried = other.twist.at(point.x);
    if (domain_.dimension() == 2) contact.arm.z() = contact.other_arm.z() = 0.0;
    contact.restitution = std::max(mine.surface->restitution, their_surface.restitution);
    contact.friction = std::sqrt(mine.surface->friction * their_surface.friction);
    contacts_.push_back(contact);
  }
}

}  // namespace freshet
