// SPDX-License-Identifier: Apache-2.0
#include "freshet/sources/inlet.hpp"

#include "freshet/core/error.hpp"
#include "freshet/geometry/across.hpp"
#include "freshet/grid/domain_sides.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace freshet {
namespace {

constexpr int n_rays = 16384;       ///< number of rays that measure the cross-section
constexpr double hit = 1e-6;        ///< distance to the shape at which a ray has met it [cells]
constexpr double least_gap = 1e-3;  ///< least step along a ray that grazes the shape [cells]

/// The part of the domain inside the bounds of the shape. \param[out] beyond  how far the shape lies beyond a side of
/// the domain that it touches by side_tolerance [m]
Box clipped_bounds(const Domain& domain, const Shape& shape, double& beyond) {
  const Vec3 end = domain.box().upper;
  Box box = shape.bounds();
  beyond = 0.0;
  for (int d = 0; d < domain.dimension(); ++d)
    beyond = std::max({beyond, box.lower[d] - end[d], domain.origin()[d] - box.upper[d]});
  if (beyond <= side_tolerance * domain.dx()) {
    box.lower = box.lower.cwiseMin(end);
    box.upper = box.upper.cwiseMax(domain.origin());
  }
  box.lower = box.lower.cwiseMax(domain.origin());
  box.upper = box.upper.cwiseMin(end);
  if (domain.dimension() == 2) {
    box.lower.z() = domain.origin().z();
    box.upper.z() = end.z();
  }
  return box;
}

/// Two unit vectors normal to d and to each other; in 2-D the second is 0.
std::array<Vec3, 2> vectors_across(const Vec3& d, int dimension) {
  if (dimension == 2) return {Vec3(-d.y(), d.x(), 0.0), Vec3::Zero()};
  const Vec3 first = unit_across(d);
  return {first, d.cross(first)};
}

/// The interval of distances along a ray at which the ray is inside a box. It is empty if first > second.
std::array<double, 2> stretch_in_box(const Box& box, const Vec3& x, const Vec3& d) {
  std::array<double, 2> stretch{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  for (int axis = 0; axis < 3; ++axis) {
    if (d[axis] == 0.0) {
      if (x[axis] < box.lower[axis] || x[axis] > box.upper[axis]) return {1.0, 0.0};
      continue;
    }
    const double a = (box.lower[axis] - x[axis]) / d[axis];
    const double b = (box.upper[axis] - x[axis]) / d[axis];
    stretch = {std::max(stretch[0], std::min(a, b)), std::min(stretch[1], std::max(a, b))};
  }
  return stretch;
}

}  // namespace

Inlet::Inlet(const Domain& domain, const Shape& shape, const std::vector<std::shared_ptr<const Shape>>& solids,
             const Vec3& direction)
    : direction_(direction), across_(vectors_across(direction, domain.dimension())) {
  const double dx = domain.dx();
  double beyond = 0.0;
  const Box box = clipped_bounds(domain, shape, beyond);
  const Vec3 half = 0.5 * (box.upper - box.lower);
  if ((half.array() < 0.0).any()) throw InputError("its shape lies outside the domain. Move it into it");
  const Vec3 center = 0.5 * (box.lower + box.upper);
  // The distance to an intersection is at least the largest distance to one of its shapes: rays never overshoot.
  const auto distance = [&](const Vec3& x) {
    double far = shape.signed_distance(x);
    for (const auto& solid : solids) far = std::max(far, -solid->signed_distance(x));
    return far;
  };
  const auto enter = [&](const Vec3& x) -> std::optional<Vec3> {
    const std::array<double, 2> stretch = stretch_in_box(box, x, direction_);
    for (double along = stretch[0]; along <= stretch[1];) {
      const double gap = distance(x + along * direction_);
      if (gap <= hit * dx + beyond) return x + along * direction_;
      along += std::max(gap, least_gap * dx);
    }
    return std::nullopt;
  };
  const bool flat = domain.dimension() == 2;
  const std::array<double, 2> step =
      flat ? std::array{0.6180339887498949, 0.0} : std::array{0.7548776662466927, 0.5698402909980532};
  const std::array<double, 2> reach{across_[0].cwiseAbs().dot(half), across_[1].cwiseAbs().dot(half)};
  std::map<std::array<int, 3>, int> hits_of_cell;
  std::set<std::size_t> on_solids;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bounds_ = {Vec3::Constant(infinity), Vec3::Constant(-infinity)};
  for (int n = 1; n <= n_rays; ++n) {
    Vec3 x = center;
    for (std::size_t i = 0; i < 2; ++i) {
      const double u = 0.5 + step[i] * n;
      x += (2.0 * (u - std::floor(u)) - 1.0) * reach[i] * across_[i];
    }
    const std::optional<Vec3> entry = enter(x);
    if (!entry) continue;
    points_.push_back(*entry);
    bounds_.lower = bounds_.lower.cwiseMin(*entry);
    bounds_.upper = bounds_.upper.cwiseMax(*entry);
    for (std::size_t s = 0; s < solids.size(); ++s)
      if (solids[s]->signed_distance(*entry) <= least_gap * dx) on_solids.insert(s);
    const Vec3 inside = (*entry + least_gap * dx * direction_ - domain.origin()) / dx;
    ++hits_of_cell[{static_cast<int>(std::floor(inside.x())), static_cast<int>(std::floor(inside.y())),
                    flat ? 0 : static_cast<int>(std::floor(inside.z()))}];
  }
  if (points_.empty())
    throw InputError("it has no cross-section inside the domain and outside solids. Move it, or enlarge it");
  solids_.assign(on_solids.begin(), on_solids.end());
  const auto n_hits = static_cast<double>(points_.size());
  area_ = 2.0 * reach[0] * (flat ? dx : 2.0 * reach[1]) * n_hits / n_rays;
  for (const auto& [cell, hits] : hits_of_cell)
    cells_.push_back({Vec3i(cell[0], cell[1], cell[2]), direction_.cwiseAbs2() * (hits / n_hits)});
}

}  // namespace freshet
