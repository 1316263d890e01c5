// SPDX-License-Identifier: Apache-2.0
#include "keep_outside.hpp"

#include <cmath>
#include <limits>

namespace freshet {
namespace {

constexpr double wall_gap = 1e-4;       ///< particles keep this far from walls [cells]
constexpr double body_gap = 1e-3;       ///< particles pushed out of a body end this far from it [cells]
constexpr double rounding = 1e-5;       ///< a particle at rest on a wall may come back as far as this inside [cells]
constexpr int max_rounds = 3;           ///< pushes of one particle: out of one body may be into another
constexpr double gradient_step = 1e-3;  ///< of the differences that give a body's normal [cells]

struct NearestBody {
  const Shape* shape = nullptr;
  double distance = std::numeric_limits<double>::infinity();  ///< [m]
};

NearestBody nearest_body(const std::vector<SolidBody>& bodies, const Vec3& x) {
  NearestBody nearest;
  for (const SolidBody& body : bodies) {
    const double distance = body.shape->signed_distance(x);
    if (distance < nearest.distance) nearest = {body.shape.get(), distance};
  }
  return nearest;
}

}  // namespace

KeepOutside::KeepOutside(const Domain& domain, const Vec3i& first_cell, int reach, const SolidFields& solids,
                         LocalIndex block)
    : domain_(domain), solids_(solids), first_cell_(first_cell.cast<double>()) {
  lower_.setConstant(-std::numeric_limits<double>::infinity());
  upper_.setConstant(std::numeric_limits<double>::infinity());
  for (int axis = 0; axis < domain.dimension(); ++axis) {
    if (domain.is_wall(axis, 0)) lower_[axis] = wall_gap - first_cell_[axis];
    if (domain.is_wall(axis, 1)) upper_[axis] = domain.cells()[axis] - wall_gap - first_cell_[axis];
    walls_near_ = walls_near_ || lower_[axis] > -reach || upper_[axis] < domain.block_cells()[axis] + reach;
  }
  // A particle goes less than reach - 1/2 from the centre of some cell of the block, on each axis.
  bodies_near_ = !solids.bodies().empty() && solids.nearest(block) < std::sqrt(3.0) * reach;
}

bool KeepOutside::operator()(ParticleReal* x) const {
  Vec3 moved(x[0], x[1], x[2]);
  bool pushed = clamp_to_walls(moved);
  if (bodies_near_ && push_out_of_bodies(moved)) {
    clamp_to_walls(moved);
    pushed = true;
  }
  for (int axis = 0; axis < domain_.dimension(); ++axis) x[axis] = static_cast<ParticleReal>(moved[axis]);
  return pushed;
}

bool KeepOutside::clamp_to_walls(Vec3& x) const {
  const Vec3 inside = x.cwiseMax(lower_).cwiseMin(upper_);
  const bool pushed = ((inside - x).array().abs() > rounding).any();
  x = inside;
  return pushed;
}

bool KeepOutside::push_out_of_bodies(Vec3& x) const {
  const double dx = domain_.dx();
  for (int round = 0; round < max_rounds; ++round) {
    const Vec3 world = domain_.origin() + dx * (first_cell_ + x);
    const NearestBody nearest = nearest_body(solids_.bodies(), world);
    if (nearest.distance >= 0.0) return round > 0;
    Vec3 normal = outward_normal(*nearest.shape, world, gradient_step * dx);
    if (domain_.dimension() == 2) normal.z() = 0.0;
    x += (body_gap - nearest.distance / dx) * normal;
  }
  return true;
}

}  // namespace freshet
