// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/particle_store.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/particles/particle_arrays.hpp"

#include <algorithm>
#include <cstring>

namespace freshet {
namespace {

constexpr ParticleIndex worth_threads = 4096;  ///< fewer particles are filled faster than threads start

/// Set particles [begin, end) of one attribute to the initial value. A memory page belongs to the thread that first
/// writes to it.
void fill_initial(Attribute& attribute, ParticleIndex begin, ParticleIndex end) {
  const std::size_t stride = attribute.stride;
  std::byte* const values = attribute.values.data();
  const std::byte* const initial = attribute.initial.data();
  const bool all_zero = std::all_of(initial, initial + stride, [](std::byte b) { return b == std::byte{0}; });
#pragma omp parallel for schedule(static) if (end - begin > worth_threads)
  for (ParticleIndex p = begin; p < end; ++p) {
    std::byte* const value = values + static_cast<std::size_t>(p) * stride;
    if (all_zero) {
      std::memset(value, 0, stride);
    } else {
      std::memcpy(value, initial, stride);
    }
  }
}

}  // namespace

std::size_t size_of(AttributeType type) {
  switch (type) {
    case AttributeType::uint8:
      return 1;
    case AttributeType::float32:
    case AttributeType::int32:
      return 4;
    case AttributeType::float64:
    case AttributeType::int64:
    case AttributeType::uint64:
      break;
  }
  return 8;
}

ParticleStore::ParticleStore() {
  add_arrays(*this, ArrayNeed::always);
}

void ParticleStore::resize(ParticleIndex n) {
  FRESHET_EXPECT(n >= 0);
  if (n > capacity_) reserve(n + n / 16);
  for (Attribute& attribute : attributes_) {
    attribute.values.resize(static_cast<std::size_t>(n) * attribute.stride);
    if (n > size_) fill_initial(attribute, size_, n);
  }
  size_ = n;
}

void ParticleStore::reserve(ParticleIndex n) {
  if (n <= capacity_) return;
  capacity_ = n;
  home_.reserve(static_cast<std::size_t>(n));
  for (Attribute& attribute : attributes_) attribute.values.reserve(static_cast<std::size_t>(n) * attribute.stride);
}

void ParticleStore::trim() {
  if (suits<ParticleId>(static_cast<std::size_t>(capacity_), static_cast<std::size_t>(size_))) return;
  capacity_ = size_ + size_ / 16;
  const auto move_over = [this](auto& values, std::size_t stride) {
    std::remove_reference_t<decltype(values)> smaller;
    smaller.reserve(static_cast<std::size_t>(capacity_) * stride);
    smaller.assign(values.begin(), values.end());
    values.swap(smaller);
  };
  move_over(home_, 1);
  for (Attribute& attribute : attributes_) move_over(attribute.values, attribute.stride);
}

void ParticleStore::add_attribute(const std::string& name, AttributeType type, int width, const void* initial) {
  FRESHET_EXPECT(!has_attribute(name) && width >= 1);
  Attribute attribute;
  attribute.name = name;
  attribute.type = type;
  attribute.width = width;
  attribute.stride = size_of(type) * static_cast<std::size_t>(width);
  attribute.initial.resize(attribute.stride);
  std::memcpy(attribute.initial.data(), initial, attribute.stride);
  attribute.values.reserve(static_cast<std::size_t>(capacity_) * attribute.stride);
  attribute.values.resize(static_cast<std::size_t>(size_) * attribute.stride);
  fill_initial(attribute, 0, size_);
  attributes_.push_back(std::move(attribute));
}

bool ParticleStore::has_attribute(const std::string& name) const {
  return std::any_of(attributes_.begin(), attributes_.end(),
                     [&](const Attribute& attribute) { return attribute.name == name; });
}

std::size_t ParticleStore::bytes_per_particle() const {
  std::size_t bytes = 0;
  for (const Attribute& attribute : attributes_) bytes += attribute.stride;
  return bytes;
}

Attribute& ParticleStore::find(const std::string& name, [[maybe_unused]] AttributeType type) {
  const auto found = std::find_if(attributes_.begin(), attributes_.end(),
                                  [&](const Attribute& attribute) { return attribute.name == name; });
  FRESHET_EXPECT(found != attributes_.end() && found->type == type);
  return *found;
}

}  // namespace freshet
