// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/affine.hpp"

#include "freshet/core/contracts.hpp"

#include <algorithm>

namespace freshet {
namespace {

bool is_affine(const Attribute& attribute) {
  return attribute.name == affine_attribute && attribute.type == attribute_type<ParticleReal>() &&
         attribute.width == affine_width;
}

}  // namespace

void add_affine(ParticleStore& particles) {
  constexpr ParticleReal at_rest[affine_width] = {};
  particles.add_attribute(affine_attribute, attribute_type<ParticleReal>(), affine_width, at_rest);
}

bool has_affine(const ParticleStore& particles) {
  return std::ranges::any_of(particles.attributes(), is_affine);
}

ParticleReal* affine_rows(ParticleStore& particles) {
  FRESHET_EXPECT(has_affine(particles));
  return particles.attribute<ParticleReal>(affine_attribute).data();
}

const ParticleReal* affine_rows(const ParticleStore& particles) {
  const auto found = std::ranges::find_if(particles.attributes(), is_affine);
  FRESHET_EXPECT(found != particles.attributes().end());
  return reinterpret_cast<const ParticleReal*>(found->values.data());
}

}  // namespace freshet
