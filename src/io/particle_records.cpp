// SPDX-License-Identifier: Apache-2.0
#include "particle_records.hpp"

#include "agree.hpp"
#include "freshet/core/contracts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace freshet {
namespace {

constexpr ParticleIndex slab = 1 << 20;  ///< particles of one transfer
constexpr double infinity = std::numeric_limits<double>::infinity();

hid_t type_of(AttributeType type) {
  switch (type) {
    case AttributeType::float32:
      return h5::type_of<float>();
    case AttributeType::float64:
      return h5::type_of<double>();
    case AttributeType::int32:
      return h5::type_of<std::int32_t>();
    case AttributeType::int64:
      return h5::type_of<std::int64_t>();
    case AttributeType::uint8:
      return h5::type_of<std::uint8_t>();
    case AttributeType::uint64:
      return h5::type_of<std::uint64_t>();
  }
  return H5I_INVALID_HID;
}

/// values[p - first] = coordinate d of particle p, in metres, for first <= p < first + count.
void world_coordinates(const SnapshotState& state, int d, ParticleIndex first, ParticleIndex count,
                       ParticleReal* values) {
  const BlockLayout& layout = *state.layout;
  const std::vector<ParticleIndex>& begin = state.particles->block_begin();
  const ParticleReal* position = state.particles->position();
  const double dx = layout.domain().dx();
  const double origin = layout.domain().origin()[d];
  const LocalIndex n_blocks = layout.n_owned();
#pragma omp parallel for schedule(dynamic, 64)
  for (LocalIndex b = 0; b < n_blocks; ++b) {
    const ParticleIndex p0 = std::max(begin[static_cast<std::size_t>(b)], first);
    const ParticleIndex p1 = std::min(begin[static_cast<std::size_t>(b) + 1], first + count);
    const double corner = layout.first_cell(b)[d];
    for (ParticleIndex p = p0; p < p1; ++p) {
      values[p - first] = static_cast<ParticleReal>(origin + dx * (corner + static_cast<double>(position[3 * p + d])));
    }
  }
}

/// One component of an interleaved attribute, made dense.
template <class T>
void copy_component(const Attribute& attribute, int component, ParticleIndex first, ParticleIndex count,
                    std::byte* values) {
  const auto* source = reinterpret_cast<const T*>(attribute.values.data()) + component;
  auto* target = reinterpret_cast<T*>(values);
  const int width = attribute.width;
#pragma omp parallel for schedule(static)
  for (ParticleIndex p = 0; p < count; ++p) target[p] = source[(first + p) * width];
}

void copy_component(const Attribute& attribute, int component, ParticleIndex first, ParticleIndex count,
                    std::byte* values) {
  switch (size_of(attribute.type)) {
    case 1:
      return copy_component<std::uint8_t>(attribute, component, first, count, values);
    case 4:
      return copy_component<std::uint32_t>(attribute, component, first, count, values);
    default:
      return copy_component<std::uint64_t>(attribute, component, first, count, values);
  }
}

openpmd::Dimension dimension_of(const std::string& name) {
  if (name == "position") return openpmd::length();
  return name == "velocity" ? openpmd::velocity() : openpmd::no_dimension();
}

/// Low and high end of this rank's particles along one axis.
struct Extent {
  double low = infinity;
  double high = -infinity;
};

/// Writes the species of one file.
class SpeciesWriter {
 public:
  SpeciesWriter(const ParallelFile& file, hid_t parent, const SnapshotState& state)
      : comm_(file.comm()),
        state_(state),
        n_local_(state.particles->size()),
        n_global_(comm_.sum(GlobalIndex{n_local_})),
        offset_(comm_.exclusive_sum(GlobalIndex{n_local_})),
        n_rounds_(comm_.max(GlobalIndex{(n_local_ + slab - 1) / slab})) {
    agree(comm_, [&] {
      species_ = h5::create_group(parent, "liquid");
      buffer_.resize(static_cast<std::size_t>(std::min(n_local_, slab)) * sizeof(double));
    });
  }

  ParticleRecord write_record(const Attribute& attribute);
  void write_position_offset();
  void write_patches();

 private:
  ParticleComponent write_component(hid_t record, const Attribute& attribute, int component, const std::string& name,
                                    const std::string& path);
  void fill(const Attribute& attribute, int component, ParticleIndex first, ParticleIndex count);
  /// One value a rank.
  template <class T>
  h5::Handle write_patch_values(hid_t group, const std::string& name, T value);

  const Communicator& comm_;
  const SnapshotState& state_;
  ParticleIndex n_local_;
  GlobalIndex n_global_;
  GlobalIndex offset_;
  GlobalIndex n_rounds_;
  h5::Handle species_;
  std::vector<std::byte> buffer_;
  std::array<Extent, 3> box_{};
};

void SpeciesWriter::fill(const Attribute& attribute, int component, ParticleIndex first, ParticleIndex count) {
  if (attribute.name != "position") return copy_component(attribute, component, first, count, buffer_.data());
  auto* values = reinterpret_cast<ParticleReal*>(buffer_.data());
  world_coordinates(state_, component, first, count, values);
  double low = infinity;
  double high = -infinity;
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high)
  for (ParticleIndex p = 0; p < count; ++p) {
    low = std::min(low, static_cast<double>(values[p]));
    high = std::max(high, static_cast<double>(values[p]));
  }
  Extent& extent = box_[static_cast<std::size_t>(component)];
  extent = {std::min(extent.low, low), std::max(extent.high, high)};
}

ParticleComponent SpeciesWriter::write_component(hid_t record, const Attribute& attribute, int component,
                                                 const std::string& name, const std::string& path) {
  const hid_t type = type_of(attribute.type);
  h5::Handle dataset;
  agree(comm_, [&] {
    const hsize_t extent = static_cast<hsize_t>(n_global_);
    dataset = h5::create_dataset(record, name, type, std::span<const hsize_t>(&extent, 1));
    openpmd::write_component(dataset.id());
    if (name == attribute.name) openpmd::write_record(dataset.id(), dimension_of(attribute.name));
  });
  for (GlobalIndex round = 0; round < n_rounds_; ++round) {
    const ParticleIndex first = std::min(n_local_, round * slab);
    const ParticleIndex count = std::min(n_local_ - first, slab);
    fill(attribute, component, first, count);
    agree(comm_, [&] {
      write_elements(dataset.id(), type, static_cast<hsize_t>(offset_ + first), static_cast<hsize_t>(count),
                     buffer_.data());
    });
  }
  return {path, type};
}

ParticleRecord SpeciesWriter::write_record(const Attribute& attribute) {
  ParticleRecord written{attribute.name, {}};
  if (attribute.width == 1) {
    written.components.push_back(write_component(species_.id(), attribute, 0, attribute.name, attribute.name));
    return written;
  }
  h5::Handle record;
  agree(comm_, [&] {
    record = h5::create_group(species_.id(), attribute.name);
    openpmd::write_record(record.id(), dimension_of(attribute.name));
  });
  for (int c = 0; c < attribute.width; ++c) {
    const std::string name =
        attribute.width == 3 ? openpmd::axis_names[static_cast<std::size_t>(c)] : std::to_string(c);
    written.components.push_back(write_component(record.id(), attribute, c, name, attribute.name + "/" + name));
  }
  return written;
}

void SpeciesWriter::write_position_offset() {
  agree(comm_, [&] {
    const h5::Handle record = h5::create_group(species_.id(), "positionOffset");
    openpmd::write_record(record.id(), openpmd::length());
    for (const std::string& axis : openpmd::axis_names) {
      openpmd::write_constant_component(record.id(), axis, 0.0, static_cast<std::uint64_t>(n_global_));
    }
  });
}

template <class T>
h5::Handle SpeciesWriter::write_patch_values(hid_t group, const std::string& name, T value) {
  h5::Handle dataset;
  agree(comm_, [&] {
    const hsize_t n_ranks = static_cast<hsize_t>(comm_.size());
    dataset = h5::create_dataset(group, name, h5::type_of<T>(), std::span<const hsize_t>(&n_ranks, 1));
    openpmd::write_component(dataset.id());
    write_elements(dataset.id(), h5::type_of<T>(), static_cast<hsize_t>(comm_.rank()), 1, &value);
  });
  return dataset;
}

void SpeciesWriter::write_patches() {
  h5::Handle patches;
  agree(comm_, [&] { patches = h5::create_group(species_.id(), "particlePatches"); });
  const auto counts = write_patch_values(patches.id(), "numParticles", static_cast<std::uint64_t>(n_local_));
  const auto offsets = write_patch_values(patches.id(), "numParticlesOffset", static_cast<std::uint64_t>(offset_));
  h5::Handle offset;
  h5::Handle extent;
  agree(comm_, [&] {
    openpmd::write_record(counts.id(), openpmd::no_dimension());
    openpmd::write_record(offsets.id(), openpmd::no_dimension());
    offset = h5::create_group(patches.id(), "offset");
    extent = h5::create_group(patches.id(), "extent");
    openpmd::write_record(offset.id(), openpmd::length());
    openpmd::write_record(extent.id(), openpmd::length());
  });
  for (std::size_t d = 0; d < 3; ++d) {
    // The standard leaves offset + extent out of the patch: a few units in the last place keep the last particle in.
    const Extent box = n_local_ > 0 ? box_[d] : Extent{0.0, 0.0};
    const double margin = 4.0 * std::numeric_limits<double>::epsilon() *
                          std::max({std::abs(box.low), std::abs(box.high), state_.layout->domain().dx()});
    write_patch_values(offset.id(), openpmd::axis_names[d], box.low);
    write_patch_values(extent.id(), openpmd::axis_names[d], n_local_ > 0 ? box.high - box.low + margin : 0.0);
  }
}

const Attribute& find_attribute(const ParticleStore& particles, const std::string& name) {
  for (const Attribute& attribute : particles.attributes()) {
    if (attribute.name == name) return attribute;
  }
  throw InputError(fmt::format("output.particles names '{}' (no particle has it). Take it out of the list.", name));
}

}  // namespace

std::vector<ParticleRecord> write_particles(const ParallelFile& file, hid_t parent, const SnapshotState& state,
                                            const std::vector<std::string>& names) {
  FRESHET_EXPECT(state.particles->block_begin().size() == static_cast<std::size_t>(state.layout->n_owned()) + 1);
  std::vector<const Attribute*> attributes{&find_attribute(*state.particles, "position")};
  for (const std::string& name : names) {
    if (name != "position") attributes.push_back(&find_attribute(*state.particles, name));
  }
  SpeciesWriter writer(file, parent, state);
  std::vector<ParticleRecord> written;
  for (const Attribute* attribute : attributes) written.push_back(writer.write_record(*attribute));
  writer.write_position_offset();
  writer.write_patches();
  return written;
}

}  // namespace freshet
