// SPDX-License-Identifier: Apache-2.0
#include "chunks.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/core/real_lanes.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/particles/migration.hpp"
#include "key_set.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>

namespace freshet {
namespace {

/// A set of directions: bit direction_index() is set for each of them.
using DirectionMask = std::uint32_t;

/// By the 6 bits of a particle (for each axis: near the low side, near the high side): the directions in its band.
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

/// The 6 bits of a particle: bit 2 axis is set where its cell < band, bit 2 axis + 1 where its cell >= 8 - band.
template <class Shape>
int near_sides(const ParticleReal* x, ParticleReal band) {
  constexpr auto width = static_cast<ParticleReal>(block_width);
  int sides = 0;
  for (int axis = 0; axis < Shape::dim; ++axis) {
    sides |= static_cast<int>(x[axis] < band) << (2 * axis);
    sides |= static_cast<int>(x[axis] >= width - band) << (2 * axis + 1);
  }
  return sides;
}

/// The union of the directions of a block's particles. Bit s of `seen` is set if some particle has the 6 bits s.
DirectionMask directions_of(std::uint64_t seen) {
  DirectionMask directions = 0;
  for (; seen != 0; seen &= seen - 1) directions |= direction_table[static_cast<std::size_t>(std::countr_zero(seen))];
  return directions;
}

/// Collects the 6 bits of many particles of one home, n_lanes particles at a time.
template <class Shape>
class SeenInLanes {
 public:
  using Mask = LaneMask<ParticleReal>;

  explicit SeenInLanes(ParticleReal band) : band_(band) {}

  /// Add the particles in the chosen lanes.
  [[gnu::always_inline]] void add(const LaneTriple<ParticleReal>& x, const Mask& chosen) {
    constexpr auto width = static_cast<ParticleReal>(block_width);
    Mask sides{};
    for (int axis = 0; axis < Shape::dim; ++axis) {
      sides |= (x[axis] < band_) & (1 << (2 * axis));
      sides |= (x[axis] >= width - band_) & (1 << (2 * axis + 1));
    }
    const Mask bit = chosen & ((Mask{} + 1) << (sides & 31));
    const Mask is_high = (sides & 32) != 0;
    low_ |= bit & ~is_high;
    high_ |= bit & is_high;
  }
  /// The 6 bits of all particles since the last call: bit s is set if some particle has the 6 bits s.
  std::uint64_t take() {
    std::uint32_t low = 0, high = 0;
    for (int lane = 0; lane < n_lanes<ParticleReal>; ++lane) {
      low |= static_cast<std::uint32_t>(low_[lane]);
      high |= static_cast<std::uint32_t>(high_[lane]);
    }
    low_ = high_ = Mask{};
    return std::uint64_t{high} << 32 | low;
  }

 private:
  ParticleReal band_;
  Mask low_{}, high_{};  ///< sets of the lower and of the upper 32 values of the 6 bits
};

/// For each home key that is asked for, bit s is set if some of its particles have the 6 bits s; 0 for other keys.
/// \param[in] is_asked  by home key: 1 if the key is asked for
template <class Shape>
std::vector<std::uint64_t> find_seen(const ParticleStore& particles, int band,
                                     const std::vector<std::uint8_t>& is_asked) {
  std::vector<std::uint64_t> seen(particles.home_keys().size(), 0);
  const ParticleReal* const position = particles.position();
  const LocalIndex* const home = particles.home().data();
  const auto limit = static_cast<ParticleReal>(band);
  const auto add = [&](LocalIndex h, std::uint64_t bits) {
    const std::atomic_ref<std::uint64_t> of_home(seen[static_cast<std::size_t>(h)]);
    if ((of_home.load(std::memory_order_relaxed) & bits) != bits) of_home.fetch_or(bits, std::memory_order_relaxed);
  };
  const auto add_one = [&](ParticleIndex p) {
    if (is_asked[static_cast<std::size_t>(home[p])] != 0)
      add(home[p], std::uint64_t{1} << near_sides<Shape>(position + 3 * p, limit));
  };
  parallel_chunks(particles.size(), n_thread_chunks(), [&](int, ParticleIndex begin, ParticleIndex end) {
    // Most particles have the home of the particles before them: these are taken in lanes, the others one by one.
    constexpr int width = n_lanes<ParticleReal>;
    constexpr std::uint32_t all = (std::uint32_t{1} << width) - 1;
    SeenInLanes<Shape> lanes(limit);
    if (begin == end) return;
    LocalIndex common = home[begin];
    ParticleIndex p = begin;
    for (; p + width <= end; p += width) {
      LaneIndices<ParticleReal> homes;
      std::memcpy(&homes, home + p, sizeof(homes));
      auto chosen = convert<LaneMask<ParticleReal>>(homes == common);
      std::uint32_t others = lane_bits<ParticleReal>(chosen) ^ all;
      if (std::popcount(others) > width / 2) {
        add(common, lanes.take());
        common = home[p + width - 1];
        chosen = convert<LaneMask<ParticleReal>>(homes == common);
        others = lane_bits<ParticleReal>(chosen) ^ all;
      }
      if (is_asked[static_cast<std::size_t>(common)] != 0)
        lanes.add(load_triples<ParticleReal>(position + 3 * p), chosen);
      for (; others != 0; others &= others - 1) add_one(p + std::countr_zero(others));
    }
    add(common, lanes.take());
    for (; p < end; ++p) add_one(p);
  });
  return seen;
}

/// By home key: the directions that the band of some particle reaches; 0 for keys that are not asked for.
std::vector<DirectionMask> reached_directions(const ParticleStore& particles, int dimension, int band,
                                              const std::vector<std::uint8_t>& is_asked) {
  FRESHET_EXPECT(band >= 0 && band <= block_width);
  FRESHET_EXPECT(particles.home().size() == static_cast<std::size_t>(particles.size()));
  const std::vector<std::uint64_t> seen =
      with_shape(dimension, [&](auto shape) { return find_seen<decltype(shape)>(particles, band, is_asked); });
  std::vector<DirectionMask> directions(seen.size());
  std::transform(seen.begin(), seen.end(), directions.begin(), directions_of);
  return directions;
}

/// The directions around a block in which the domain has a block and the layout has none.
DirectionMask missing_around(const BlockLayout& layout, BlockKey key) {
  const LocalIndex b = layout.find_owned(key);
  const bool exists = b != layout.background();
  DirectionMask missing = 0;
  for (int direction = 0; direction < n_directions; ++direction) {
    if (exists && layout.neighbours(b)[direction] != layout.background()) continue;
    Vec3i block = morton_block(key) + direction_offset(direction);
    if (!layout.domain().wrap_block(block)) continue;
    if (exists || layout.find(morton_key(block)) == layout.background()) missing |= DirectionMask{1} << direction;
  }
  return missing;
}

}  // namespace

bool lacks_blocks(const ParticleStore& particles, const BlockLayout& layout, int band) {
  const std::vector<BlockKey>& keys = particles.home_keys();
  std::vector<DirectionMask> missing(keys.size());
  std::vector<std::uint8_t> is_asked(keys.size());
  for (std::size_t h = 0; h < keys.size(); ++h) {
    missing[h] = missing_around(layout, keys[h]);
    is_asked[h] = missing[h] != 0 ? 1 : 0;
  }
  const std::vector<DirectionMask> reached = reached_directions(particles, layout.domain().dimension(), band, is_asked);
  for (std::size_t h = 0; h < keys.size(); ++h)
    if ((reached[h] & missing[h]) != 0) return true;
  return false;
}

std::vector<BlockKey> blocks_near_particles(const ParticleStore& particles, const Domain& domain, int band) {
  const std::vector<DirectionMask> reached = reached_directions(
      particles, domain.dimension(), band, std::vector<std::uint8_t>(particles.home_keys().size(), 1));
  KeySet near;
  for (std::size_t h = 0; h < reached.size(); ++h) {
    const Vec3i home = morton_block(particles.home_keys()[h]);
    for (int direction = 0; direction < n_directions; ++direction) {
      if ((reached[h] >> direction & 1) == 0) continue;
      Vec3i block = home + direction_offset(direction);
      if (domain.wrap_block(block)) near.insert(morton_key(block));
    }
  }
  std::vector<BlockKey> keys = near.keys();
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace freshet
