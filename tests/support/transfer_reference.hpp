// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"
#include "support/scattered_particles.hpp"

#include <map>
#include <utility>

namespace freshet::test {

/// Trilinear weight of a face of component d with low corner `cell` for a particle; both in cells.
inline double hat_weight(int dimension, const Vec3i& cell, int d, const Vec3& x) {
  double weight = 1.0;
  for (int axis = 0; axis < dimension; ++axis) {
    const double distance = std::abs(cell[axis] + (axis == d ? 0.0 : 0.5) - x[axis]);
    weight *= std::max(0.0, 1.0 - distance);
  }
  return weight;
}

/// Momentum and weight of every face by a plain loop over all particles of all ranks' blocks on this rank: the equation
/// as it stands. Key: {block key, component, cell of the block}.
struct FaceSums {
  double momentum = 0.0;
  double weight = 0.0;
};
struct FaceName {
  BlockKey key;
  int component;
  int cell;
  auto operator<=>(const FaceName&) const = default;
};

inline std::map<FaceName, FaceSums> scatter_reference(const BlockLayout& layout, const ParticleStore& particles) {
  const Domain& domain = layout.domain();
  const Vec3i width = domain.block_cells();
  std::map<FaceName, FaceSums> faces;
  for (ParticleIndex p = 0; p < particles.size(); ++p) {
    const Vec3 x = place_of(layout, particles, p);
    const Vec3i low = x.array().floor().cast<int>();
    for (int n = 0; n < 27; ++n) {
      const Vec3i cell = low + direction_offset(n);
      if (domain.dimension() == 2 && cell.z() != 0) continue;
      const Vec3i inside = domain.wrap_cell(cell);
      if ((inside.array() < 0).any()) continue;
      const Vec3i block = inside.cwiseQuotient(width);
      if ((block.array() >= domain.lattice().array()).any()) continue;
      const Vec3i local = inside - block.cwiseProduct(width);
      const int c = local.x() + 8 * (local.y() + 8 * local.z());
      for (int d = 0; d < domain.dimension(); ++d) {
        const double weight = hat_weight(domain.dimension(), cell, d, x);
        FaceSums& face = faces[{morton_key(block), d, c}];
        face.momentum += weight * particles.velocity()[3 * p + d];
        face.weight += weight;
      }
    }
  }
  return faces;
}

/// Hash of the owned values of a face field that does not depend on who owns what. Collective.
inline std::uint64_t field_hash(const FaceField<double>& field) {
  const BlockLayout& layout = field.layout();
  std::uint64_t sum = 0;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int d = 0; d < field.dimension(); ++d) {
      const std::uint64_t name[2] = {layout.key(b), static_cast<std::uint64_t>(d)};
      const std::size_t bytes = static_cast<std::size_t>(layout.cells_per_block()) * sizeof(double);
      sum += hash_bytes(field[d].block(b), bytes, hash_bytes(name, sizeof name));
    }
  return wrapped_sum(layout.comm(), sum);
}

/// Set every owned face from its place in cells from the domain's corner.
template <class Velocity>
void set_faces(FaceField<double>& field, Velocity velocity) {
  const BlockLayout& layout = field.layout();
  const Vec3i width = layout.domain().block_cells();
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int c = 0; c < layout.cells_per_block(); ++c)
      for (int d = 0; d < field.dimension(); ++d) {
        Vec3 x = (layout.first_cell(b) + Vec3i(c % width.x(), c / width.x() % width.y(), c / (width.x() * width.y())))
                     .cast<double>();
        for (int axis = 0; axis < 3; ++axis)
          if (axis != d) x[axis] += 0.5;
        field[d].block(b)[c] = velocity(x)[d];
      }
}

}  // namespace freshet::test
