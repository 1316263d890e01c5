// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/layout.hpp"
#include "freshet/particles/particle_store.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace freshet::test {

/// Places are whole numbers of ticks, so that floats hold them exactly and no test needs a tolerance.
constexpr std::int64_t ticks_per_cell = 64;
constexpr std::int64_t ticks_per_block = 8 * ticks_per_cell;
using Ticks = std::array<std::int64_t, 3>;

/// A place anywhere in the domain that depends on the id only; the middle plane in 2-D.
inline Ticks random_place(const Domain& domain, ParticleId id) {
  Ticks place{0, 0, ticks_per_cell / 2};
  for (int axis = 0; axis < domain.dimension(); ++axis) {
    const auto n = static_cast<double>(domain.cells()[axis] * ticks_per_cell);
    place[static_cast<std::size_t>(axis)] =
        static_cast<std::int64_t>(n * hashed(id, 17, static_cast<std::uint64_t>(axis)));
  }
  return place;
}

/// Attributes of several types and widths whose values tell whose they are.
inline void add_marks(ParticleStore& particles) {
  const std::array<double, 6> zero{};
  particles.add_attribute("mark_double", AttributeType::float64, 3, zero.data());
  particles.add_attribute("mark_float", AttributeType::float32, 1, zero.data());
  particles.add_attribute("mark_int", AttributeType::int32, 2, zero.data());
  particles.add_attribute("mark_bytes", AttributeType::uint8, 3, zero.data());
  particles.add_attribute("mark_long", AttributeType::int64, 5, zero.data());
}

inline std::int64_t mark(ParticleId id, std::size_t element) {
  return static_cast<std::int64_t>((id * 31 + element * 7) % 251);
}

template <class T>
void set_mark(ParticleStore& particles, const std::string& name, std::size_t p) {
  const auto values = particles.attribute<T>(name);
  const std::size_t width = values.size() / static_cast<std::size_t>(particles.size());
  for (std::size_t m = 0; m < width; ++m) values[width * p + m] = static_cast<T>(mark(particles.id()[p], m));
}

template <class T>
bool has_mark(ParticleStore& particles, const std::string& name, std::size_t p) {
  const auto values = particles.attribute<T>(name);
  const std::size_t width = values.size() / static_cast<std::size_t>(particles.size());
  for (std::size_t m = 0; m < width; ++m)
    if (values[width * p + m] != static_cast<T>(mark(particles.id()[p], m))) return false;
  return true;
}

inline void set_its_marks(ParticleStore& particles, std::size_t p) {
  const auto id = particles.id()[p];
  particles.tag()[p] = static_cast<std::uint8_t>(id % 7);
  particles.velocity()[3 * p + 1] = static_cast<ParticleReal>(id % 1000);
  set_mark<double>(particles, "mark_double", p);
  set_mark<float>(particles, "mark_float", p);
  set_mark<std::int32_t>(particles, "mark_int", p);
  set_mark<std::uint8_t>(particles, "mark_bytes", p);
  set_mark<std::int64_t>(particles, "mark_long", p);
}

inline bool has_its_marks(ParticleStore& particles, std::size_t p) {
  const auto id = particles.id()[p];
  return has_mark<double>(particles, "mark_double", p) && has_mark<float>(particles, "mark_float", p) &&
         has_mark<std::int32_t>(particles, "mark_int", p) && has_mark<std::uint8_t>(particles, "mark_bytes", p) &&
         has_mark<std::int64_t>(particles, "mark_long", p) && particles.tag()[p] == id % 7 &&
         particles.velocity()[3 * p + 1] == static_cast<ParticleReal>(id % 1000);
}

inline Vec3i block_of(const Ticks& place) {
  return Vec3i(static_cast<int>(place[0] / ticks_per_block), static_cast<int>(place[1] / ticks_per_block),
               static_cast<int>(place[2] / ticks_per_block));
}

/// Particles 0 .. n-1 at their random places, each on the rank that owns its block; home() and home_keys() are valid.
/// Particles arrive in order of falling id.
inline ParticleStore make_crowd(const Domain& domain, const Splitters& splitters, int rank, ParticleId n) {
  std::vector<ParticleId> ids;
  for (ParticleId id = n; id-- > 0;)
    if (splitters.owner(morton_key(block_of(random_place(domain, id)))) == rank) ids.push_back(id);
  ParticleStore particles;
  add_marks(particles);
  particles.resize(static_cast<ParticleIndex>(ids.size()));
  particles.home().resize(ids.size());
  std::vector<BlockKey>& home_keys = particles.home_keys();
  home_keys = all_blocks(domain);
  std::sort(home_keys.begin(), home_keys.end());
  std::erase_if(home_keys, [&](BlockKey key) { return splitters.owner(key) != rank; });
  for (std::size_t p = 0; p < ids.size(); ++p) {
    const Ticks place = random_place(domain, ids[p]);
    const Vec3i block = block_of(place);
    for (std::size_t axis = 0; axis < 3; ++axis)
      particles.position()[3 * p + axis] =
          static_cast<ParticleReal>(place[axis] - ticks_per_block * block[static_cast<int>(axis)]) / ticks_per_cell;
    const auto home = std::lower_bound(home_keys.begin(), home_keys.end(), morton_key(block));
    particles.home()[p] = static_cast<LocalIndex>(home - home_keys.begin());
    particles.id()[p] = ids[p];
    set_its_marks(particles, p);
  }
  return particles;
}

/// Place of a particle that lies in a block.
inline Ticks place_of(const ParticleStore& particles, std::size_t p, BlockKey key) {
  const Vec3i block = morton_block(key);
  Ticks place{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    place[axis] = static_cast<std::int64_t>(std::lround(particles.position()[3 * p + axis] * ticks_per_cell)) +
                  ticks_per_block * block[static_cast<int>(axis)];
  return place;
}

}  // namespace freshet::test
