// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/layout.hpp"
#include "freshet/particles/particle_store.hpp"
#include "support/random_blocks.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace freshet::test {

/// How many particles the cells of a test get, and where.
struct Scatter {
  double full_blocks = 0.7;  ///< fraction of the blocks that have particles
  int most_in_cell = 6;      ///< a cell gets 0 .. most_in_cell
  std::uint64_t seed = 1;
};

/// Particles in the sorted state of a layout: places and velocities depend on block and cell, not on ranks.
///
/// Cells outside the domain get none. \param[in] velocity  [m/s] at a place in cells from the domain's corner
template <class Velocity>
ParticleStore scatter_particles(const BlockLayout& layout, const Scatter& scatter, Velocity velocity) {
  const Domain& domain = layout.domain();
  const Vec3i width = domain.block_cells();
  std::vector<float> x;
  ParticleStore particles;
  particles.block_begin().assign(1, 0);
  std::vector<Vec3> place;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    const std::uint64_t block_seed = scatter.seed * 1000003 + layout.key(b);
    const bool full = hashed(block_seed) < scatter.full_blocks;
    for (int c = 0; full && c < layout.cells_per_block(); ++c) {
      const Vec3i cell(c % width.x(), c / width.x() % width.y(), c / (width.x() * width.y()));
      if (!domain.contains_cell(layout.first_cell(b) + cell)) continue;
      const auto cell_seed = static_cast<std::uint64_t>(c);
      const int n = static_cast<int>(hashed(block_seed, cell_seed) * (scatter.most_in_cell + 1));
      for (int p = 0; p < n; ++p)
        for (int axis = 0; axis < 3; ++axis) {
          const double in_cell = hashed(block_seed, cell_seed, static_cast<std::uint64_t>(1 + 3 * p + axis));
          const double z_of_2d = 0.5;
          x.push_back(static_cast<float>(cell[axis] + (axis < domain.dimension() ? in_cell * 0.999 : z_of_2d)));
          if (axis == 2) place.emplace_back(layout.first_cell(b).cast<double>());
        }
    }
    particles.block_begin().push_back(static_cast<ParticleIndex>(place.size()));
  }
  particles.resize(static_cast<ParticleIndex>(place.size()));
  for (std::size_t p = 0; p < place.size(); ++p) {
    place[p] += Vec3(x[3 * p], x[3 * p + 1], x[3 * p + 2]);
    const Vec3 u = velocity(place[p]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      particles.position()[3 * p + axis] = x[3 * p + axis];
      particles.velocity()[3 * p + axis] = static_cast<ParticleReal>(u[static_cast<int>(axis)]);
    }
  }
  return particles;
}

/// Velocity without any pattern, each component in [-1, 1). [m/s]
inline Vec3 random_velocity(const Vec3& x) {
  std::uint64_t bits[3];
  std::memcpy(bits, x.data(), sizeof bits);
  Vec3 u;
  for (int d = 0; d < 3; ++d) u[d] = 2.0 * hashed(bits[0] ^ bits[1] << 1, bits[2], static_cast<std::uint64_t>(d)) - 1.0;
  return u;
}

/// Number of the block in which particle p stands.
inline LocalIndex block_of(const ParticleStore& particles, ParticleIndex p) {
  const auto& begin = particles.block_begin();
  return static_cast<LocalIndex>(std::upper_bound(begin.begin(), begin.end(), p) - begin.begin()) - 1;
}

/// Place of particle p in cells from the domain's corner, by the block it is sorted into.
inline Vec3 place_of(const BlockLayout& layout, const ParticleStore& particles, ParticleIndex p) {
  const ParticleReal* x = particles.position() + 3 * p;
  return layout.first_cell(block_of(particles, p)).cast<double>() + Vec3(x[0], x[1], x[2]);
}

/// FNV-1a of some bytes, going on from another hash.
inline std::uint64_t hash_bytes(const void* data, std::size_t n, std::uint64_t hash = 0xcbf29ce484222325ULL) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < n; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3ULL;
  return hash;
}

/// Sum over the ranks with wrap-around. Collective.
inline std::uint64_t wrapped_sum(const Communicator& comm, std::uint64_t value) {
  GlobalIndex halves[2] = {static_cast<GlobalIndex>(value & 0xffffffffU), static_cast<GlobalIndex>(value >> 32)};
  comm.sum_in_place(std::span<GlobalIndex>(halves, 2));
  return static_cast<std::uint64_t>(halves[0]) + (static_cast<std::uint64_t>(halves[1]) << 32);
}

/// Hash of blocks, positions and velocities of all particles; does not depend on who owns what. Collective.
inline std::uint64_t particle_hash(const BlockLayout& layout, const ParticleStore& particles) {
  std::uint64_t sum = 0;
  for (ParticleIndex p = 0; p < particles.size(); ++p) {
    const BlockKey key = layout.key(block_of(particles, p));
    const std::uint64_t x =
        hash_bytes(particles.position() + 3 * p, 3 * sizeof(ParticleReal), hash_bytes(&key, sizeof key));
    sum += hash_bytes(particles.velocity() + 3 * p, 3 * sizeof(ParticleReal), x);
  }
  return wrapped_sum(layout.comm(), sum);
}

}  // namespace freshet::test
