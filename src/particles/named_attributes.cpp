// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/named_attributes.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/particles/particle_arrays.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace freshet {
namespace {

/// A value as particles hold it: 4 bytes a number.
std::array<std::byte, 12> packed(AttributeKind kind, const std::vector<double>& value) {
  std::array<std::byte, 12> bytes{};
  for (std::size_t i = 0; i < value.size() && i < 3; ++i) {
    const auto real = static_cast<float>(value[i]);
    const auto integer = static_cast<std::int32_t>(kind == AttributeKind::integer ? value[i] : 0.0);
    std::memcpy(bytes.data() + 4 * i, kind == AttributeKind::integer ? static_cast<const void*>(&integer) : &real, 4);
  }
  return bytes;
}

}  // namespace

NamedAttributes::NamedAttributes(const std::vector<AttributeParameters>& attributes, bool has_color,
                                 ShapeMaker& make_shape)
    : has_color_(has_color) {
  for (const AttributeParameters& attribute : attributes) {
    named_.push_back({attribute, {}});
    for (const AttributeRegionParameters& region : attribute.regions)
      named_.back().regions.push_back(make_shape(region.shape));
  }
}

std::vector<std::pair<std::string, std::shared_ptr<const Shape>>> NamedAttributes::regions() const {
  std::vector<std::pair<std::string, std::shared_ptr<const Shape>>> found;
  for (std::size_t a = 0; a < named_.size(); ++a)
    for (std::size_t r = 0; r < named_[a].regions.size(); ++r)
      found.emplace_back("attribute." + std::to_string(a) + ".region." + std::to_string(r), named_[a].regions[r]);
  return found;
}

void NamedAttributes::add_to(ParticleStore& particles) const {
  for (const auto& [parameters, regions] : named_) {
    if (particles.has_attribute(parameters.name)) continue;
    const bool integer = parameters.kind == AttributeKind::integer;
    const int width = parameters.kind == AttributeKind::vector ? 3 : 1;
    particles.add_attribute(parameters.name, integer ? AttributeType::int32 : AttributeType::float32, width,
                            packed(parameters.kind, parameters.value).data());
  }
  if (has_color_) add_arrays(particles, ArrayNeed::color);
}

void NamedAttributes::set_by_region(const Domain& domain, ParticleIndex begin, ParticleIndex end,
                                    ParticleStore& particles) const {
  for (const auto& [parameters, regions] : named_) {
    if (regions.empty()) continue;
    const auto attribute = std::find_if(particles.attributes().begin(), particles.attributes().end(),
                                        [&name = parameters.name](const Attribute& a) { return a.name == name; });
    FRESHET_EXPECT(attribute != particles.attributes().end());
    for (ParticleIndex p = begin; p < end; ++p) {
      const BlockKey key =
          particles.home_keys()[static_cast<std::size_t>(particles.home()[static_cast<std::size_t>(p)])];
      const ParticleReal* x = particles.position() + 3 * p;
      const Vec3 cells = morton_block(key).cwiseProduct(domain.block_cells()).cast<double>() + Vec3(x[0], x[1], x[2]);
      const Vec3 at = domain.origin() + domain.dx() * cells;
      const auto region = std::find_if(regions.begin(), regions.end(),
                                       [&](const auto& shape) { return shape->exact_distance(at) < 0.0; });
      if (region == regions.end()) continue;
      const auto bytes =
          packed(parameters.kind, parameters.regions[static_cast<std::size_t>(region - regions.begin())].value);
      std::memcpy(attribute->values.data() + attribute->stride * static_cast<std::size_t>(p), bytes.data(),
                  attribute->stride);
    }
  }
}

void NamedAttributes::set_color(const std::vector<double>& color, ParticleIndex p, ParticleStore& particles) {
  if (color.empty()) return;
  const std::span<float> values = particles.attribute<float>(color_name);
  for (std::size_t i = 0; i < 3; ++i) values[3 * static_cast<std::size_t>(p) + i] = static_cast<float>(color[i]);
}

}  // namespace freshet
