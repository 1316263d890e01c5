// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/core/types.hpp"
#include "freshet/grid/morton.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace freshet {

/// Element type of a particle attribute.
enum class AttributeType : std::uint8_t { float32, float64, int32, int64, uint8, uint64 };
std::size_t size_of(AttributeType type);

template <class T>
constexpr AttributeType attribute_type() {
  if constexpr (std::is_same_v<T, float>) {
    return AttributeType::float32;
  } else if constexpr (std::is_same_v<T, double>) {
    return AttributeType::float64;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return AttributeType::int32;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return AttributeType::int64;
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return AttributeType::uint8;
  } else {
    static_assert(std::is_same_v<T, std::uint64_t>, "no attribute type");
    return AttributeType::uint64;
  }
}

/// One named attribute of every particle: `width` elements of one type each, interleaved.
struct Attribute {
  std::string name;
  AttributeType type = AttributeType::float32;
  int width = 1;
  std::size_t stride = 0;          ///< size of a particle's value [B]
  std::vector<std::byte> initial;  ///< value of new particles; `stride` bytes
  TrackedVector<std::byte, MemoryKind::particles> values;
};

/// The particles of one rank: structure of arrays, one array an attribute.
///
/// Every store has "position" (3 ParticleReal, relative to the low corner of the particle's block, in cells: 0 <= x <
/// 8; in 2-D z is 0.5), "velocity" (3 ParticleReal [m/s]), "id" (uint64, never repeats), "tag" (uint8). More are added
/// by name; all of them follow their particles through sort, migration and files. particle_arrays.hpp lists the arrays
/// that the solver owns.
///
/// Sorted state (after sort_particles): particles are in order of local block, then of cell; block_begin() delimits
/// blocks, and cell_begin() delimits cells until positions change. Between motion and the next sort, home() holds for
/// each particle the index of its block in home_keys().
class ParticleStore {
 public:
  ParticleStore();

  ParticleIndex size() const { return size_; }
  ParticleIndex capacity() const { return capacity_; }
  /// New particles have each attribute's initial value. Memory grows by a sixteenth more than needed and shrinks in
  /// trim() only, so that small changes from step to step do not allocate.
  void resize(ParticleIndex n);
  void reserve(ParticleIndex n);  ///< reserve memory of attributes and home() for n particles
  /// Give back memory that does not suit so few particles (suits()). The particles stay as they are.
  void trim();

  ParticleReal* position() { return reinterpret_cast<ParticleReal*>(attributes_[0].values.data()); }
  const ParticleReal* position() const { return reinterpret_cast<const ParticleReal*>(attributes_[0].values.data()); }
  ParticleReal* velocity() { return reinterpret_cast<ParticleReal*>(attributes_[1].values.data()); }
  const ParticleReal* velocity() const { return reinterpret_cast<const ParticleReal*>(attributes_[1].values.data()); }
  ParticleId* id() { return reinterpret_cast<ParticleId*>(attributes_[2].values.data()); }
  const ParticleId* id() const { return reinterpret_cast<const ParticleId*>(attributes_[2].values.data()); }
  std::uint8_t* tag() { return reinterpret_cast<std::uint8_t*>(attributes_[3].values.data()); }
  const std::uint8_t* tag() const { return reinterpret_cast<const std::uint8_t*>(attributes_[3].values.data()); }

  /// Add an attribute, on every rank alike. \pre no attribute has the name
  void add_attribute(const std::string& name, AttributeType type, int width, const void* initial);
  bool has_attribute(const std::string& name) const;
  /// Values of an attribute: size() * width elements. \pre the store has it, and its type is T
  template <class T>
  std::span<T> attribute(const std::string& name) {
    Attribute& a = find(name, attribute_type<T>());
    return {reinterpret_cast<T*>(a.values.data()), static_cast<std::size_t>(size_) * static_cast<std::size_t>(a.width)};
  }
  template <class T>
  std::span<const T> attribute(const std::string& name) const {
    return const_cast<ParticleStore*>(this)->attribute<T>(name);
  }
  std::vector<Attribute>& attributes() { return attributes_; }
  const std::vector<Attribute>& attributes() const { return attributes_; }
  std::size_t bytes_per_particle() const;  ///< packed size of all attributes [B]

  /// Sorted state: particles of owned block b are block_begin()[b] .. block_begin()[b + 1] - 1.
  std::vector<ParticleIndex>& block_begin() { return block_begin_; }
  const std::vector<ParticleIndex>& block_begin() const { return block_begin_; }

  /// In the sorted state, as long as positions do not change: the particles of cell c of owned block b are those from
  /// cell_begin()[n b + c] on, before cell_begin()[n b + c + 1], where n is the number of cells of a block. Else empty.
  using CellBegins = TrackedVector<std::uint32_t, MemoryKind::fields>;
  CellBegins& cell_begin() { return cell_begin_; }
  const CellBegins& cell_begin() const { return cell_begin_; }

  /// Leave the sorted state.
  void forget_order() {
    block_begin_.clear();
    cell_begin_.clear();
  }

  /// Unsorted state: the block of particle p is home_keys()[home()[p]]. Home keys without a particle are allowed.
  TrackedVector<LocalIndex, MemoryKind::particles>& home() { return home_; }
  std::vector<BlockKey>& home_keys() { return home_keys_; }
  const TrackedVector<LocalIndex, MemoryKind::particles>& home() const { return home_; }
  const std::vector<BlockKey>& home_keys() const { return home_keys_; }

 private:
  Attribute& find(const std::string& name, AttributeType type);

  ParticleIndex size_ = 0;
  ParticleIndex capacity_ = 0;
  std::vector<Attribute> attributes_;
  std::vector<ParticleIndex> block_begin_;
  CellBegins cell_begin_;
  TrackedVector<LocalIndex, MemoryKind::particles> home_;
  std::vector<BlockKey> home_keys_;
};

}  // namespace freshet
