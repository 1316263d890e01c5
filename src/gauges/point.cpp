// SPDX-License-Identifier: Apache-2.0
#include "point.hpp"

#include "freshet/grid/domain_sides.hpp"
#include "freshet/solids/nearest_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

/// Distance within which a point counts as lying on a surface. With this limit, half a cell along the normal of a wall
/// is still in the same layer of cells. [cells]
constexpr double near = 0.5 - 1e-6;

/// Distance along the normal, starting half a cell inside a plane, at which no body of whole cells fills the cell: it
/// is half a cell's diagonal from the plane. [cells]
constexpr double farthest_beside = 1.5;

/// Whether a solid fills the cell of a point; see SolidFields::is_solid(). All ranks know it.
bool is_filled(const SolidFields& solids, const Domain& domain, const Vec3& x) {
  const Vec3 low = ((x - domain.origin()) / domain.dx()).array().floor();
  const auto place = [&](const Vec3& in_cell) -> Vec3 { return domain.origin() + domain.dx() * (low + in_cell); };
  const auto is_in = [&](Surface surface, const Vec3& at) {
    for (std::size_t m = 0; m < solids.bodies().size(); ++m)
      if (solids.bodies()[m].surface == surface && covers(*solids.shapes()[m], at, domain.dx())) return true;
    return false;
  };
  if (is_in(Surface::voxels, place(Vec3::Constant(0.5)))) return true;
  const bool is_flat = domain.dimension() == 2;
  for (int corner = 0; corner < (is_flat ? 4 : 8); ++corner)
    if (const Vec3 at(corner & 1, corner >> 1 & 1, is_flat ? 0.5 : corner >> 2); !is_in(Surface::fractions, place(at)))
      return false;
  return true;
}

}  // namespace

PointInBlock find_point(const BlockLayout& layout, const Vec3& x) {
  const Domain& domain = layout.domain();
  Vec3 r = (x - domain.origin()) / domain.dx();
  Vec3i cell;
  for (int d = 0; d < 3; ++d) {
    const double n = domain.cells()[d];
    if (domain.periodic(d)) r[d] -= n * std::floor(r[d] / n);
    if (!(r[d] >= -side_tolerance) || r[d] > n + side_tolerance) return {};
    r[d] = std::clamp(r[d], 0.0, n);
    cell[d] = std::min(static_cast<int>(r[d]), domain.cells()[d] - 1);
  }
  const Vec3i size = domain.block_cells();
  const Vec3i coords(cell.x() / size.x(), cell.y() / size.y(), cell.z() / size.z());
  PointInBlock point;
  point.block = layout.find_owned(morton_key(coords));
  if (point.block >= layout.n_owned()) point.block = -1;
  const Vec3i first = coords.cwiseProduct(size);
  point.cell = cell - first;
  point.x = r - first.cast<double>();
  return point;
}

SurfacePoint find_surface_point(const SolidFields& solids, const BlockLayout& layout, const Vec3& x,
                                const Vec3& normal) {
  const Domain& domain = layout.domain();
  const auto at = [&](double way, const Vec3& along) {
    const PointInBlock beside = find_point(layout, x + way * domain.dx() * along);
    return SurfacePoint{beside, beside.x - way * along};
  };
  const bool is_on_surface = !normal.isZero(0.0);
  Vec3 along = normal;
  double distance = 0.0;  // distance to the nearest body [m]
  if (!is_on_surface) {
    if (!is_filled(solids, domain, x)) return at(0.0, normal);
    const int body = nearest_body_to(solids, x, distance);
    if (distance < -near * domain.dx()) return at(0.0, normal);
    along = outward_normal(*solids.shapes()[static_cast<std::size_t>(body)], x, 1e-2 * domain.dx());
  }
  const double first = is_on_surface ? 0.5 : 0.25;
  for (double way = first; way <= farthest_beside; way += 0.25) {
    const Vec3 place = x + way * domain.dx() * along;
    if (!is_filled(solids, domain, place)) return at(way, along);
    nearest_body_to(solids, place, distance);
    if (way > near && distance <= 0.0) break;  // another body covers the point
  }
  return at(is_on_surface ? first : 0.0, along);
}

int nearest_body_to(const SolidFields& solids, const Vec3& x, double& distance) {
  int nearest = -1;
  distance = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < solids.shapes().size(); ++m) {
    const double d = solids.shapes()[m]->signed_distance(x);
    if (d >= distance) continue;
    distance = d;
    nearest = static_cast<int>(m);
  }
  return nearest;
}

Vec3 out_of_body(const SolidFields& solids, const Domain& domain, const Vec3& x) {
  double distance = 0.0;
  const int body = nearest_body_to(solids, x, distance);
  if (body < 0 || distance >= 0.0 || -distance > near * domain.dx()) return x;
  return x - distance * outward_normal(*solids.shapes()[static_cast<std::size_t>(body)], x, 1e-2 * domain.dx());
}

std::string place_text(const Vec3& x) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g}) m", x.x(), x.y(), x.z());
}

std::string side_text(int axis, int side) {
  return fmt::format("{}_{}", "xyz"[axis], side == 0 ? "low" : "high");
}

std::string wet_text(double share) {
  return share >= 1.0 ? "wet" : share <= 0.0 ? "dry" : fmt::format("wet by {:.0f} %", 100.0 * share);
}

std::string surroundings_text(const SolidFields& solids, const Domain& domain, const Vec3& x) {
  std::string text = "at " + place_text(x);
  double distance = 0.0;
  const int body = nearest_body_to(solids, x, distance);
  if (body >= 0 && distance <= near * domain.dx()) {
    if (distance < -near * domain.dx()) return text + fmt::format(", {:.3g} m inside solid.{}", -distance, body);
    return text + fmt::format(" on solid.{}", body);
  }
  const Vec3 low = (x - domain.origin()) / domain.dx();
  for (int d = 0; d < domain.dimension(); ++d)
    for (const int side : {0, 1})
      if (!domain.periodic(d) && (side == 0 ? low[d] : domain.cells()[d] - low[d]) <= near)
        text += " on " + side_text(d, side);
  return text;
}

Vec3 normal_at(const SolidFields& solids, const Domain& domain, const Vec3& x, int solid) {
  const double dx = domain.dx();
  double distance = 0.0;
  const int body = solid >= 0 ? solid : nearest_body_to(solids, x, distance);
  if (body >= 0 && std::abs(distance) <= near * dx)
    return outward_normal(*solids.shapes()[static_cast<std::size_t>(body)], x, 1e-2 * dx);
  const Vec3 low = (x - domain.origin()) / dx;
  for (int d = 0; d < domain.dimension(); ++d) {
    if (low[d] <= near && domain.is_wall(d, 0)) return Vec3::Unit(d);
    if (domain.cells()[d] - low[d] <= near && domain.is_wall(d, 1)) return -Vec3::Unit(d);
  }
  return Vec3::Zero();
}

}  // namespace freshet
