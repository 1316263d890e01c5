// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/locate.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {

std::optional<Place> locate(const Domain& domain, Vec3& x) {
  const Vec3i width = domain.block_cells();
  Vec3i block = Vec3i::Zero();
  Place place{0, {0, 0, ParticleReal(0.5)}};
  for (int axis = 0; axis < domain.dimension(); ++axis) {
    const double n_cells = domain.cells()[axis];
    double cells = (x[axis] - domain.origin()[axis]) / domain.dx();
    if (domain.periodic(axis) && (cells < 0.0 || cells >= n_cells)) {
      cells -= n_cells * std::floor(cells / n_cells);
      if (cells >= n_cells) cells = 0.0;  // -tiny + n_cells rounds to n_cells
      x[axis] = domain.origin()[axis] + domain.dx() * cells;
    }
    if (!(cells >= 0.0 && cells < n_cells)) return std::nullopt;
    block[axis] = static_cast<int>(cells) / width[axis];
    const int first_cell = block[axis] * width[axis];
    // Rounding to a ParticleReal must not move the particle out of its block or of the domain.
    const int end_cell = std::min(width[axis], domain.cells()[axis] - first_cell);
    const ParticleReal last = std::nextafter(static_cast<ParticleReal>(end_cell), ParticleReal{0});
    place.position[static_cast<std::size_t>(axis)] = std::min(static_cast<ParticleReal>(cells - first_cell), last);
  }
  if (domain.dimension() == 2) x.z() = domain.origin().z() + 0.5 * domain.dx();
  place.key = morton_key(block);
  return place;
}

}  // namespace freshet
