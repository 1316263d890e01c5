// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/particle_arrays.hpp"

#include "freshet/core/contracts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace freshet {
namespace {

/// Records that particle files hold beside the arrays.
constexpr const char* file_records[] = {"positionOffset", "particlePatches"};

template <class Function>
void for_each_of(ArrayNeed need, Function&& f) {
  for (const ParticleArray& array : particle_arrays)
    if (array.need == need) f(array);
}

/// The array's initial value as particles hold it. Only floats have initial values other than 0.
std::vector<std::byte> initial_of(const ParticleArray& array) {
  std::vector<std::byte> bytes(size_of(array.type) * static_cast<std::size_t>(array.width));
  if (array.type == AttributeType::float32)
    std::memcpy(bytes.data(), array.initial.data(), std::min(bytes.size(), sizeof(array.initial)));
  return bytes;
}

bool is_of(const Attribute& attribute, const ParticleArray& array) {
  return attribute.name == array.name && attribute.type == array.type && attribute.width == array.width;
}

}  // namespace

std::vector<std::string> array_names(ArrayNeed need) {
  std::vector<std::string> names;
  for_each_of(need, [&](const ParticleArray& array) {
    if (&array != &particle_arrays.front()) names.emplace_back(array.name);  // all but the position
  });
  return names;
}

std::vector<std::string> array_names() {
  std::vector<std::string> names;
  for (const ArrayNeed need : {ArrayNeed::always, ArrayNeed::apic, ArrayNeed::color})
    for (const std::string& name : array_names(need)) names.push_back(name);
  return names;
}

std::vector<std::string> reserved_array_names() {
  std::vector<std::string> names(std::begin(file_records), std::end(file_records));
  for (const ParticleArray& array : particle_arrays) names.emplace_back(array.name);
  return names;
}

void add_arrays(ParticleStore& particles, ArrayNeed need) {
  for_each_of(need, [&](const ParticleArray& array) {
    if (!particles.has_attribute(array.name))
      particles.add_attribute(array.name, array.type, array.width, initial_of(array).data());
  });
}

void remove_arrays(ParticleStore& particles, ArrayNeed need) {
  FRESHET_EXPECT(need != ArrayNeed::always);
  for_each_of(need, [&](const ParticleArray& array) {
    std::erase_if(particles.attributes(), [&](const Attribute& attribute) { return attribute.name == array.name; });
  });
}

bool has_arrays(const ParticleStore& particles, ArrayNeed need) {
  bool all = true;
  for_each_of(need, [&](const ParticleArray& array) {
    all &= std::ranges::any_of(particles.attributes(), [&](const Attribute& a) { return is_of(a, array); });
  });
  return all;
}

bool follow_grid(const ParticleStore& particles) {
  return std::ranges::any_of(particle_arrays, [&](const ParticleArray& array) {
    return array.upkeep == ArrayUpkeep::grid_gradient && particles.has_attribute(array.name);
  });
}

ParticleReal* affine_rows(ParticleStore& particles) {
  return particles.attribute<ParticleReal>(affine_name).data();
}

const ParticleReal* affine_rows(const ParticleStore& particles) {
  return particles.attribute<ParticleReal>(affine_name).data();
}

}  // namespace freshet
