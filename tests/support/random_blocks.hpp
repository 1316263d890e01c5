// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/layout.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace freshet::test {

/// A number in [0, 1) that depends on its arguments only, the same on every rank.
inline double hashed(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
  std::uint64_t h = a * 0x9e3779b97f4a7c15ULL ^ b * 0xbf58476d1ce4e5b9ULL ^ (c + 1) * 0x94d049bb133111ebULL;
  h ^= h >> 31;
  h *= 0xd6e8feb86659fd93ULL;
  h ^= h >> 29;
  h *= 0x9e3779b97f4a7c15ULL;
  h ^= h >> 32;
  return static_cast<double>(h >> 11) * 0x1.0p-53;
}

/// Every lattice block with probability `fraction`: the same set on every rank.
inline std::vector<BlockKey> random_blocks(const Domain& domain, double fraction, std::uint64_t seed) {
  std::vector<BlockKey> keys;
  for (int z = 0; z < domain.lattice().z(); ++z)
    for (int y = 0; y < domain.lattice().y(); ++y)
      for (int x = 0; x < domain.lattice().x(); ++x) {
        const BlockKey key = morton_key({x, y, z});
        if (hashed(seed, key) < fraction) keys.push_back(key);
      }
  return keys;
}

/// A box of cells with walls all round, or as the conditions say.
inline Domain make_domain(int dimension, const Vec3i& cells, FaceCondition condition = FaceCondition::free_slip,
                          double cell_size = 1.0) {
  DomainOptions parameters;
  parameters.dimension = dimension;
  parameters.cells = cells;
  parameters.cell_size = cell_size;
  for (int axis = 0; axis < dimension; ++axis) parameters.boundary[axis] = {condition, condition};
  return Domain(parameters);
}

/// All blocks of the lattice.
inline std::vector<BlockKey> all_blocks(const Domain& domain) {
  return random_blocks(domain, 2.0, 0);
}

/// Stretches of the curve with equal numbers of blocks. Collective.
inline Splitters equal_splitters(const Communicator& comm, std::vector<BlockKey> keys) {
  std::sort(keys.begin(), keys.end());
  if (!comm.is_root()) keys.clear();
  const std::vector<double> costs(keys.size(), 1.0);
  return balanced_splitters(comm, keys, costs);
}

}  // namespace freshet::test
