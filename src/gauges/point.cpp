// SPDX-License-Identifier: Apache-2.0
#include "point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

/// Distance within which a point counts as lying on a surface. From this far off a wall, half a cell along the normal
/// is still the same layer of cells. [cells]
constexpr double near = 0.5 - 1e-6;

}  // namespace

PointInBlock find_point(const BlockLayout& layout, const Vec3& x) {
  const Domain& domain = layout.domain();
  const Vec3 r = (x - domain.origin()) / domain.dx();
  Vec3i cell;
  for (int d = 0; d < 3; ++d) {
    if (!(r[d] >= -1e-9) || r[d] > domain.cells()[d] + 1e-9) return {};
    cell[d] = std::clamp(static_cast<int>(std::floor(r[d])), 0, domain.cells()[d] - 1);
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

SurfacePoint find_surface_point(const BlockLayout& layout, const Vec3& x, const Vec3& normal) {
  const PointInBlock beside = find_point(layout, x + 0.5 * layout.domain().dx() * normal);
  return {beside, beside.x - 0.5 * normal};
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
