// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_format.hpp"
#include "freshet/io/checkpoint.hpp"
#include "parallel_file.hpp"
#include "records.hpp"

#include <omp.h>

#include <algorithm>

namespace freshet {
namespace {

/// Sizes of the arrays of all ranks, and the place where this rank's part begins.
struct Extents {
  hsize_t n_particles = 0, first_particle = 0;
  hsize_t n_blocks = 0, first_block = 0;
  hsize_t cells = 0;  ///< number of cells of a block
  GlobalIndex n_threads = 1;
};

Extents extents_of(const Communicator& comm, const CheckpointState& state) {
  const GlobalIndex n_local = state.particles->size();
  Extents extents;
  extents.n_particles = static_cast<hsize_t>(comm.sum(n_local));
  extents.first_particle = static_cast<hsize_t>(comm.exclusive_sum(n_local));
  extents.n_blocks = static_cast<hsize_t>(state.layout->n_global());
  extents.first_block = static_cast<hsize_t>(state.layout->first_global());
  extents.cells = static_cast<hsize_t>(state.layout->cells_per_block());
  extents.n_threads = comm.max(GlobalIndex{omp_get_max_threads()});
  return extents;
}

h5::Handle create_array(hid_t parent, const std::string& name, hid_t type, hsize_t n) {
  return h5::create_dataset(parent, name, type, std::span<const hsize_t>(&n, 1));
}

void create_attribute(hid_t particles, const Attribute& attribute, hsize_t n_particles) {
  const auto width = static_cast<hsize_t>(attribute.width);
  const h5::Handle dataset = create_array(particles, attribute.name, h5_type(attribute.type), n_particles * width);
  h5::write_attribute(dataset.id(), checkpoint::width_name, static_cast<std::int32_t>(attribute.width));
  h5::write_attribute(dataset.id(), checkpoint::initial_name, h5_type(attribute.type),
                      std::span<const hsize_t>(&width, 1), attribute.initial.data());
}

int axes_of_change(const CheckpointState& state) {
  return state.predicted_change != nullptr ? state.predicted_change->dimension() : 0;
}

int axes_of_velocity(const CheckpointState& state) {
  return state.zones != nullptr ? state.velocity->dimension() : 0;
}

/// Create groups, attributes and empty datasets. For rank 0.
void create(hid_t root, const Communicator& comm, const CheckpointState& state, const Extents& extents,
            const InputRecord& input) {
  write_provenance(root, {"checkpoint", comm.size(), extents.n_threads, state.step}, input);
  h5::write_attribute(root, checkpoint::version_name, checkpoint::version);
  const h5::Handle numbers = h5::create_group(root, "state");
  for (const NamedNumber& number : state.numbers)
    std::visit([&](auto value) { h5::write_attribute(numbers.id(), number.name, value); }, number.value);
  create_array(root, "splitters", h5::type_of<BlockKey>(), static_cast<hsize_t>(comm.size()));
  const h5::Handle blocks = h5::create_group(root, "blocks");
  create_array(blocks.id(), "key", h5::type_of<BlockKey>(), extents.n_blocks);
  create_array(blocks.id(), "first_particle", h5::type_of<std::uint64_t>(), extents.n_blocks + 1);
  create_array(blocks.id(), "pressure", h5::type_of<double>(), extents.n_blocks * extents.cells);
  if (state.air != nullptr) {
    create_array(blocks.id(), "air", h5::type_of<double>(), extents.n_blocks * extents.cells);
    create_array(root, "bubbles", h5::type_of<double>(), static_cast<hsize_t>(state.bubbles.size()));
  }
  for (int d = 0; d < axes_of_change(state); ++d)
    create_array(blocks.id(), checkpoint::change_names[d], h5::type_of<double>(), extents.n_blocks * extents.cells);
  if (state.zones != nullptr)
    create_array(blocks.id(), "zone", h5::type_of<std::uint8_t>(), extents.n_blocks * extents.cells);
  for (int d = 0; d < axes_of_velocity(state); ++d)
    create_array(blocks.id(), checkpoint::velocity_names[d], h5::type_of<double>(), extents.n_blocks * extents.cells);
  if (!state.bodies.empty()) {
    const h5::Handle bodies = h5::create_group(root, "bodies");
    for (const auto& [name, values] : state.bodies)
      create_array(bodies.id(), name, h5::type_of<double>(), static_cast<hsize_t>(values.size()));
  }
  const h5::Handle particles = h5::create_group(root, "particles");
  for (const Attribute& attribute : state.particles->attributes())
    create_attribute(particles.id(), attribute, extents.n_particles);
}

std::int64_t numbers_of_bodies(const CheckpointState& state) {
  std::int64_t sum = 0;
  for (const auto& [name, values] : state.bodies) sum += static_cast<std::int64_t>(values.size());
  return sum;
}

std::int64_t bytes_of(const Communicator& comm, const CheckpointState& state, const Extents& extents,
                      const InputRecord& input) {
  const auto particles = static_cast<std::int64_t>(extents.n_particles);
  const auto blocks = static_cast<std::int64_t>(extents.n_blocks);
  return particles * static_cast<std::int64_t>(state.particles->bytes_per_particle()) +
         blocks * (16 + (8 * (1 + (state.air != nullptr ? 1 : 0) + axes_of_change(state) + axes_of_velocity(state)) +
                         (state.zones != nullptr ? 1 : 0)) *
                            static_cast<std::int64_t>(extents.cells)) +
         8 * (static_cast<std::int64_t>(state.bubbles.size()) + numbers_of_bodies(state)) + 8 * (comm.size() + 1) +
         static_cast<std::int64_t>(input.text.size());
}

/// Global numbers of the first particles of this rank's blocks; rank 0 adds the end.
std::vector<std::uint64_t> first_particles(const CheckpointState& state, const Extents& extents) {
  std::vector<std::uint64_t> first(static_cast<std::size_t>(state.layout->n_owned()));
  for (std::size_t b = 0; b < first.size(); ++b)
    first[b] = extents.first_particle + static_cast<std::uint64_t>(state.particles->block_begin()[b]);
  return first;
}

void write_blocks(const Communicator& comm, ParallelFile& file, const CheckpointState& state, const Extents& extents) {
  const auto n_owned = static_cast<hsize_t>(state.layout->n_owned());
  const hid_t integer = h5::type_of<std::uint64_t>();
  const std::vector<BlockKey> splitters =
      comm.is_root() ? state.layout->splitters().first_keys() : std::vector<BlockKey>();
  file.write("splitters", integer, 0, splitters.size(), splitters.data());
  file.write("blocks/key", integer, extents.first_block, n_owned, state.layout->owned_keys().data());
  const std::vector<std::uint64_t> first = first_particles(state, extents);
  file.write("blocks/first_particle", integer, extents.first_block, n_owned, first.data());
  const std::uint64_t end = extents.n_particles;
  file.write("blocks/first_particle", integer, extents.n_blocks, comm.is_root() ? 1 : 0, &end);
  file.write("blocks/pressure", h5::type_of<double>(), extents.first_block * extents.cells, n_owned * extents.cells,
             state.pressure->data());
  for (int d = 0; d < axes_of_change(state); ++d)
    file.write(std::string("blocks/") + checkpoint::change_names[d], h5::type_of<double>(),
               extents.first_block * extents.cells, n_owned * extents.cells, (*state.predicted_change)[d].data());
  if (state.zones != nullptr)
    file.write("blocks/zone", h5::type_of<std::uint8_t>(), extents.first_block * extents.cells, n_owned * extents.cells,
               state.zones->data());
  for (int d = 0; d < axes_of_velocity(state); ++d)
    file.write(std::string("blocks/") + checkpoint::velocity_names[d], h5::type_of<double>(),
               extents.first_block * extents.cells, n_owned * extents.cells, (*state.velocity)[d].data());
  if (state.air == nullptr) return;
  file.write("blocks/air", h5::type_of<double>(), extents.first_block * extents.cells, n_owned * extents.cells,
             state.air->data());
  file.write("bubbles", h5::type_of<double>(), 0, comm.is_root() ? state.bubbles.size() : 0, state.bubbles.data());
}

}  // namespace

std::int64_t checkpoint_bytes(const Communicator& comm, const CheckpointState& state, const InputRecord& input) {
  return bytes_of(comm, state, extents_of(comm, state), input);
}

void write_checkpoint(const Communicator& comm, const std::string& path, const CheckpointState& state,
                      const InputRecord& input) {
  const Extents extents = extents_of(comm, state);
  ParallelFile file(comm, path, bytes_of(comm, state, extents, input),
                    [&](hid_t root) { create(root, comm, state, extents, input); });
  write_blocks(comm, file, state, extents);
  for (const auto& [name, values] : state.bodies)
    file.write("bodies/" + name, h5::type_of<double>(), 0, comm.is_root() ? values.size() : 0, values.data());
  for (const Attribute& attribute : state.particles->attributes()) {
    const auto width = static_cast<hsize_t>(attribute.width);
    file.write("particles/" + attribute.name, h5_type(attribute.type), extents.first_particle * width,
               static_cast<hsize_t>(state.particles->size()) * width, attribute.values.data());
  }
  file.commit(Durability::flushed);
}

}  // namespace freshet
