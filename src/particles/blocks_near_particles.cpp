// SPDX-License-Identifier: Apache-2.0
#include "chunks.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/particles/migration.hpp"
#include "key_set.hpp"

#include <algorithm>
#include <array>
#include <atomic>

namespace freshet {
namespace {

/// Directions that particles of a block reach: bit direction_index(..) of 27.
using DirectionMask = std::uint32_t;

/// From 6 bits a particle (for each axis: near the low side, near the high side) to the directions within its band.
constexpr std::array<DirectionMask, 64> make_direction_table() {
  std::array<DirectionMask, 64> table{};
  for (int sides = 0; sides < 64; ++sides)
    for (int direction = 0; direction < n_directions; ++direction) {
      bool reached = true;
      for (int axis = 0, rest = direction; axis < 3; ++axis, rest /= 3) {
        const int step = rest % 3 - 1;
        const bool low = (sides >> (2 * axis) & 1) != 0;
        const bool high = (sides >> (2 * axis + 1) & 1) != 0;
        reached = reached && (step == 0 || (step < 0 ? low : high));
      }
      if (reached) table[static_cast<std::size_t>(sides)] |= DirectionMask{1} << direction;
    }
  return table;
}
constexpr std::array<DirectionMask, 64> direction_table = make_direction_table();

/// Add directions to a block's mask; most often they are there already.
void merge(DirectionMask& mask, DirectionMask directions) {
  const std::atomic_ref<DirectionMask> shared(mask);
  if ((directions & ~shared.load(std::memory_order_relaxed)) != 0)
    shared.fetch_or(directions, std::memory_order_relaxed);
}

/// One mask a home key; 0 where it has no particle.
std::vector<DirectionMask> reached_directions(const ParticleStore& particles, int dimension, int band) {
  std::vector<DirectionMask> masks(particles.home_keys().size(), 0);
  const ParticleReal* const position = particles.position();
  const LocalIndex* const home = particles.home().data();
  const auto low = static_cast<ParticleReal>(band);                 // cell < band
  const auto high = static_cast<ParticleReal>(block_width - band);  // cell >= 8 - band
  parallel_chunks(particles.size(), n_thread_chunks(), [&](int, ParticleIndex begin, ParticleIndex end) {
    for (ParticleIndex p = begin; p < end;) {
      const LocalIndex block = home[p];  // particles of a block stand together, but for a few
      DirectionMask reached = 0;
      for (; p < end && home[p] == block; ++p) {
        const ParticleReal* const x = position + 3 * p;
        int sides = 0;
        for (int axis = 0; axis < dimension; ++axis)
          sides |= (x[axis] < low ? 1 : 0) << (2 * axis) | (x[axis] >= high ? 2 : 0) << (2 * axis);
        reached |= direction_table[static_cast<std::size_t>(sides)];
      }
      merge(masks[static_cast<std::size_t>(block)], reached);
    }
  });
  return masks;
}

}  // namespace

std::vector<BlockKey> blocks_near_particles(const ParticleStore& particles, const Domain& domain, int band) {
  FRESHET_EXPECT(band >= 0 && band <= block_width);
  FRESHET_EXPECT(particles.home().size() == static_cast<std::size_t>(particles.size()));
  const std::vector<DirectionMask> masks = reached_directions(particles, domain.dimension(), band);
  KeySet near;
  for (std::size_t h = 0; h < masks.size(); ++h) {
    const Vec3i home = morton_block(particles.home_keys()[h]);
    for (int direction = 0; direction < n_directions; ++direction) {
      if ((masks[h] >> direction & 1) == 0) continue;
      Vec3i block = home + direction_offset(direction);
      if (domain.wrap_block(block)) near.insert(morton_key(block));
    }
  }
  std::vector<BlockKey> keys = near.keys();
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace freshet
