// SPDX-License-Identifier: Apache-2.0
#include "point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {

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

}  // namespace freshet
