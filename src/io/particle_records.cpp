// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/contracts.hpp"
#include "freshet/particles/particle_arrays.hpp"
#include "records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace freshet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Compute values[p - first], coordinate d of particle p, for first <= p < first + count. [m]
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

/// Copy one component of an interleaved attribute to a contiguous array.
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

UnitPowers unit_of(const std::string& name) {
  for (const ParticleArray& array : particle_arrays)
    if (name == array.name) return array.unit;
  return openpmd::no_unit;
}

const Attribute& find_attribute(const ParticleStore& particles, const std::string& name) {
  for (const Attribute& attribute : particles.attributes()) {
    if (attribute.name == name) return attribute;
  }
  throw InputError(fmt::format("output.particles names '{}' (no particle has it). Take it out of the list.", name));
}

ParticleRecord plan_record(const Attribute& attribute) {
  ParticleRecord record{&attribute, {}};
  if (attribute.width == 1) record.components.push_back(attribute.name);
  for (int c = 0; attribute.width > 1 && c < attribute.width; ++c) {
    const std::string name =
        attribute.width == 3 ? openpmd::axis_names[static_cast<std::size_t>(c)] : std::to_string(c);
    record.components.push_back(attribute.name + "/" + name);
  }
  return record;
}

/// Whether a record belongs to the time of the velocities.
bool is_of_velocity(const std::string& name) {
  return name == "velocity" || name == affine_name;
}

void create_record(hid_t species, const ParticleRecord& record, hsize_t n_particles, double velocity_lead) {
  const Attribute& attribute = *record.attribute;
  const double lead = is_of_velocity(attribute.name) ? velocity_lead : 0.0;
  const auto create_component = [&](const std::string& path) {
    h5::Handle dataset =
        h5::create_dataset(species, path, h5_type(attribute.type), std::span<const hsize_t>(&n_particles, 1));
    openpmd::write_component(dataset.id());
    return dataset;
  };
  if (attribute.width == 1) {
    openpmd::write_record(create_component(attribute.name).id(), unit_of(attribute.name), lead);
    return;
  }
  const h5::Handle group = h5::create_group(species, attribute.name);
  openpmd::write_record(group.id(), unit_of(attribute.name), lead);
  for (const std::string& component : record.components) create_component(component);
}

void create_position_offset(hid_t species, GlobalIndex n_particles) {
  const h5::Handle record = h5::create_group(species, "positionOffset");
  openpmd::write_record(record.id(), openpmd::metres);
  for (const std::string& axis : openpmd::axis_names) {
    const h5::Handle component = h5::create_group(record.id(), axis);  // equal values are attributes of an empty group
    h5::write_attribute(component.id(), "value", 0.0);
    h5::write_attribute(component.id(), "shape", std::vector<std::uint64_t>{static_cast<std::uint64_t>(n_particles)});
    openpmd::write_component(component.id());
  }
}

void create_patches(hid_t species, int n_ranks) {
  const h5::Handle patches = h5::create_group(species, "particlePatches");
  const hsize_t n = static_cast<hsize_t>(n_ranks);
  const auto create = [&](hid_t parent, const std::string& name, hid_t type) {
    h5::Handle dataset = h5::create_dataset(parent, name, type, std::span<const hsize_t>(&n, 1));
    openpmd::write_component(dataset.id());
    return dataset;
  };
  for (const char* name : {"numParticles", "numParticlesOffset"}) {
    openpmd::write_record(create(patches.id(), name, h5::type_of<std::uint64_t>()).id(), openpmd::no_unit);
  }
  for (const char* name : {"offset", "extent"}) {
    const h5::Handle record = h5::create_group(patches.id(), name);
    openpmd::write_record(record.id(), openpmd::metres);
    for (const std::string& axis : openpmd::axis_names) create(record.id(), axis, h5::type_of<double>());
  }
}

/// The low and the high end of this rank's particles along one axis. [m]
struct Extent {
  double low = infinity;
  double high = -infinity;
};

/// Fills the datasets of one file's particle species.
class SpeciesWriter {
 public:
  SpeciesWriter(ParallelFile& file, std::string path, const SnapshotState& state)
      : file_(file),
        path_(std::move(path)),
        state_(state),
        n_local_(state.particles->size()),
        offset_(file.comm().exclusive_sum(GlobalIndex{n_local_})) {}

  void write_component(const Attribute& attribute, int component, const std::string& name) {
    const ParallelFile::Dataset dataset = file_.open_dataset(path_ + "/" + name, h5_type(attribute.type));
    file_.write(dataset, static_cast<hsize_t>(offset_), static_cast<hsize_t>(n_local_),
                [&](hsize_t first, hsize_t count, std::byte* values) {
                  fill(attribute, component, static_cast<ParticleIndex>(first), static_cast<ParticleIndex>(count),
                       values);
                });
  }

  void write_patches() {
    write_patch_value("numParticles", static_cast<std::uint64_t>(n_local_));
    write_patch_value("numParticlesOffset", static_cast<std::uint64_t>(offset_));
    for (std::size_t d = 0; d < 3; ++d) {
      // The standard excludes offset + extent from the patch: a margin of a few units in the last place includes the
      // last particle.
      const Extent box = n_local_ > 0 ? box_[d] : Extent{0.0, 0.0};
      const double margin = 4.0 * std::numeric_limits<double>::epsilon() *
                            std::max({std::abs(box.low), std::abs(box.high), state_.layout->domain().dx()});
      write_patch_value("offset/" + openpmd::axis_names[d], box.low);
      write_patch_value("extent/" + openpmd::axis_names[d], n_local_ > 0 ? box.high - box.low + margin : 0.0);
    }
  }

 private:
  void fill(const Attribute& attribute, int component, ParticleIndex first, ParticleIndex count, std::byte* bytes) {
    if (attribute.name != "position") return copy_component(attribute, component, first, count, bytes);
    auto* values = reinterpret_cast<ParticleReal*>(bytes);
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

  /// Write one value of this rank's patch. Collective
  template <class T>
  void write_patch_value(const std::string& name, T value) {
    file_.write(path_ + "/particlePatches/" + name, h5::type_of<T>(), static_cast<hsize_t>(file_.comm().rank()), 1,
                &value);
  }

  ParallelFile& file_;
  std::string path_;
  const SnapshotState& state_;
  ParticleIndex n_local_;
  GlobalIndex offset_;  ///< number of particles on lower ranks
  std::array<Extent, 3> box_{};
};

}  // namespace

hid_t h5_type(AttributeType type) {
  const std::array types{H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE, H5T_NATIVE_INT32,
                         H5T_NATIVE_INT64, H5T_NATIVE_UINT8,  H5T_NATIVE_UINT64};  // in the order of AttributeType
  return types[static_cast<std::size_t>(type)];
}

std::vector<ParticleRecord> plan_particles(const ParticleStore& particles, const std::vector<std::string>& names) {
  std::vector<ParticleRecord> records{plan_record(find_attribute(particles, "position"))};
  for (const std::string& name : names) {
    if (name != "position") records.push_back(plan_record(find_attribute(particles, name)));
  }
  return records;
}

std::int64_t bytes_of(const std::vector<ParticleRecord>& records, GlobalIndex n_particles) {
  std::int64_t bytes = 0;
  for (const ParticleRecord& record : records)
    bytes += static_cast<std::int64_t>(record.attribute->stride) * n_particles;
  return bytes;
}

void create_particles(hid_t parent, const std::vector<ParticleRecord>& records, GlobalIndex n_particles, int n_ranks,
                      double velocity_lead) {
  const h5::Handle species = h5::create_group(parent, "liquid");
  for (const ParticleRecord& record : records)
    create_record(species.id(), record, static_cast<hsize_t>(n_particles), velocity_lead);
  create_position_offset(species.id(), n_particles);
  create_patches(species.id(), n_ranks);
}

void write_particles(ParallelFile& file, const std::string& path, const std::vector<ParticleRecord>& records,
                     const SnapshotState& state) {
  FRESHET_EXPECT(state.particles->block_begin().size() == static_cast<std::size_t>(state.layout->n_owned()) + 1);
  SpeciesWriter writer(file, path, state);
  for (const ParticleRecord& record : records) {
    for (std::size_t c = 0; c < record.components.size(); ++c) {
      writer.write_component(*record.attribute, static_cast<int>(c), record.components[c]);
    }
  }
  writer.write_patches();
}

}  // namespace freshet
