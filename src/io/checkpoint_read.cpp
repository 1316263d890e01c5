// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_format.hpp"
#include "freshet/io/checkpoint.hpp"
#include "freshet/parallel/agree.hpp"
#include "freshet/parallel/sparse_exchange.hpp"
#include "parallel_file.hpp"
#include "records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace freshet {
namespace {

constexpr hsize_t most_input_bytes = 256 << 20;
constexpr std::size_t most_name_bytes = 255;
constexpr hsize_t most_blocks = hsize_t{1} << 40;
constexpr hsize_t most_bubble_numbers = hsize_t{1} << 30;
constexpr hsize_t most_body_numbers = hsize_t{1} << 26;           ///< numbers of one array of bodies
constexpr std::uint64_t most_particles = std::uint64_t{1} << 56;  ///< bound with which no sum of bytes overflows

[[noreturn]] void refuse(const std::string& what) {
  throw FileError("the checkpoint does not fit together: " + what + ".");
}

void expect_checkpoint(hid_t root, const std::string& path) {
  if (!h5::has_attribute(root, "freshetKind") || h5::read_text(root, "freshetKind") != "checkpoint")
    throw FileError(fmt::format("{} is not a checkpoint.", path));
  const auto version = h5::read_number<std::int64_t>(root, checkpoint::version_name);
  if (version != checkpoint::version)
    throw FileError(fmt::format("{} has format {} of checkpoints; this freshet reads format {}.", path, version,
                                checkpoint::version));
}

/// Whether a name is plain text that can stand in messages and in other files.
bool is_plain(const std::string& name) {
  return !name.empty() && name.size() <= most_name_bytes &&
         std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
}

/// Read the numbers of a run: whole ones as int64, others as double. Errors: FileError, also if one is not finite
std::vector<NamedNumber> read_numbers(const ParallelInput& file) {
  const h5::Handle group = file.open_group("state");
  std::vector<NamedNumber> numbers;
  for (const std::string& name : h5::attributes_of(group.id())) {
    if (!is_plain(name)) refuse("the name of a number is not plain text");
    if (h5::is_whole_number(group.id(), name)) {
      numbers.push_back({name, h5::read_number<std::int64_t>(group.id(), name)});
      continue;
    }
    const auto value = h5::read_number<double>(group.id(), name);
    if (!std::isfinite(value)) refuse(fmt::format("{} is {}", name, value));
    numbers.push_back({name, value});
  }
  return numbers;
}

struct Datasets {
  h5::Handle splitters, keys, first_particle, pressure;
  hsize_t n_blocks = 0;
};

/// Whether a file has a dataset of this name on its blocks. Errors: FileError
bool has_block_values(const ParallelInput& file, const char* name) {
  const std::vector<std::string> names = h5::names_in(file.open_group("blocks").id());
  return std::ranges::find(names, name) != names.end();
}

/// Read what a run keeps of trapped air, for this rank's blocks begin .. end - 1, if the file has it. Errors: FileError
void read_air(const ParallelInput& file, const Datasets& data, hsize_t begin, hsize_t end, hsize_t cells,
              RestoredState& state) {
  if (!has_block_values(file, "air")) return;
  const h5::Handle air = file.open_dataset("blocks/air");
  const h5::Handle bubbles = file.open_dataset("bubbles");
  if (h5::n_elements(air.id()) != data.n_blocks * cells) refuse("blocks/air and blocks/key have different lengths");
  if (h5::n_elements(bubbles.id()) > most_bubble_numbers) refuse("too many bubbles");
  state.air = h5::read_elements<double>(air.id(), begin * cells, (end - begin) * cells);
  state.bubbles = h5::read_elements<double>(bubbles.id(), 0, h5::n_elements(bubbles.id()));
  for (const std::vector<double>* values : {&state.air, &state.bubbles})
    if (!std::ranges::all_of(*values, [](double x) { return std::isfinite(x); })) refuse("a bubble is not finite");
}

/// Read the arrays of bodies, if the file has them. Errors: FileError
KeptArrays read_bodies(const ParallelInput& file) {
  KeptArrays arrays;
  const std::vector<std::string> members = h5::names_in(file.root());
  if (std::ranges::find(members, "bodies") == members.end()) return arrays;
  for (const std::string& name : h5::names_in(file.open_group("bodies").id())) {
    if (!is_plain(name)) refuse("the name of an array of bodies is not plain text");
    const h5::Handle dataset = file.open_dataset("bodies/" + name);
    const hsize_t n = h5::n_elements(dataset.id());
    if (n > most_body_numbers) refuse("too many bodies");
    std::vector<double>& values = arrays[name] = h5::read_elements<double>(dataset.id(), 0, n);
    if (!std::ranges::all_of(values, [](double x) { return std::isfinite(x); }))
      refuse(fmt::format("{} of bodies is not finite", name));
  }
  return arrays;
}

/// Read what splitting reflection keeps within a pair, for this rank's blocks begin .. end - 1, if the file has it.
/// Errors: FileError
void read_change(const ParallelInput& file, const Datasets& data, hsize_t begin, hsize_t end, hsize_t cells,
                 RestoredState& state) {
  for (const char* const name : checkpoint::change_names) {
    if (!has_block_values(file, name)) return;
    const h5::Handle change = file.open_dataset(std::string("blocks/") + name);
    if (h5::n_elements(change.id()) != data.n_blocks * cells)
      refuse(fmt::format("blocks/{} and blocks/key have different lengths", name));
    state.predicted_change.push_back(h5::read_elements<double>(change.id(), begin * cells, (end - begin) * cells));
    if (!std::ranges::all_of(state.predicted_change.back(), [](double u) { return std::isfinite(u); }))
      refuse("a predicted change of velocity is not finite");
  }
}

/// Read what a narrow band keeps, for this rank's blocks begin .. end - 1, if the file has it. Errors: FileError
void read_zones(const ParallelInput& file, const Datasets& data, hsize_t begin, hsize_t end, hsize_t cells,
                RestoredState& state) {
  if (!has_block_values(file, "zone")) return;
  const h5::Handle zones = file.open_dataset("blocks/zone");
  if (h5::n_elements(zones.id()) != data.n_blocks * cells) refuse("blocks/zone and blocks/key have different lengths");
  state.zones = h5::read_elements<std::uint8_t>(zones.id(), begin * cells, (end - begin) * cells);
  if (!std::ranges::all_of(state.zones, [](std::uint8_t zone) { return zone <= 2; }))
    refuse("blocks/zone holds more than 0, 1 and 2");
  for (const char* const name : checkpoint::velocity_names) {
    if (!has_block_values(file, name)) break;
    const h5::Handle velocity = file.open_dataset(std::string("blocks/") + name);
    if (h5::n_elements(velocity.id()) != data.n_blocks * cells)
      refuse(fmt::format("blocks/{} and blocks/key have different lengths", name));
    state.velocity.push_back(h5::read_elements<double>(velocity.id(), begin * cells, (end - begin) * cells));
    if (!std::ranges::all_of(state.velocity.back(), [](double u) { return std::isfinite(u); }))
      refuse("a velocity on the grid is not finite");
  }
  if (state.velocity.empty()) refuse("it has no velocity beside blocks/zone");
}

/// Open the datasets; only their metadata is read. Collective. Errors: FileError
Datasets open_datasets(const ParallelInput& file, int cells) {
  Datasets data{file.open_dataset("splitters"), file.open_dataset("blocks/key"),
                file.open_dataset("blocks/first_particle"), file.open_dataset("blocks/pressure")};
  data.n_blocks = h5::n_elements(data.keys.id());
  if (data.n_blocks > most_blocks) refuse("too many blocks");
  if (h5::n_elements(data.first_particle.id()) != data.n_blocks + 1)
    refuse("blocks/first_particle and blocks/key have different lengths");
  if (h5::n_elements(data.pressure.id()) != data.n_blocks * static_cast<hsize_t>(cells))
    refuse("blocks/pressure and blocks/key have different lengths");
  return data;
}

/// Consecutive blocks: their keys, and for each block and the end the number of particles before it.
struct Blocks {
  hsize_t begin = 0;               ///< number of the first block
  std::optional<BlockKey> before;  ///< key of the block before the first one
  std::vector<BlockKey> keys;
  std::vector<std::uint64_t> first_particle;
};

/// Read blocks. Errors: FileError if keys do not ascend or lie outside the lattice, or if particles are out of order
Blocks read_blocks(const Datasets& data, const Domain& domain, hsize_t begin, hsize_t end) {
  if (end - begin > std::numeric_limits<LocalIndex>::max()) refuse("too many blocks for one rank");
  const hsize_t before = begin > 0 ? 1 : 0;  // to compare the first key with the one before
  Blocks blocks;
  blocks.begin = begin;
  blocks.keys = h5::read_elements<BlockKey>(data.keys.id(), begin - before, end - begin + before);
  blocks.first_particle = h5::read_elements<std::uint64_t>(data.first_particle.id(), begin, end - begin + 1);
  if (!std::is_sorted(blocks.keys.begin(), blocks.keys.end(), std::less_equal<>())) refuse("blocks are not in order");
  if (before > 0) blocks.before = blocks.keys.front();
  blocks.keys.erase(blocks.keys.begin(), blocks.keys.begin() + static_cast<std::ptrdiff_t>(before));
  for (const BlockKey key : blocks.keys) {
    const Vec3i block = morton_block(key);
    if (morton_key(block) != key || (block.array() >= domain.lattice().array()).any()) refuse("a block lies outside");
  }
  for (std::size_t b = 0; b + 1 < blocks.first_particle.size(); ++b)
    if (blocks.first_particle[b] > blocks.first_particle[b + 1]) refuse("the particles of blocks are not in order");
  if (blocks.first_particle.back() > most_particles) refuse("too many particles");
  if (begin == 0 && blocks.first_particle.front() != 0) refuse("particles before the first block");
  return blocks;
}

std::vector<double> costs_of(const Blocks& blocks, const BalanceOptions& balance, int cells) {
  std::vector<double> costs(blocks.keys.size());
  for (std::size_t b = 0; b < costs.size(); ++b)
    costs[b] = balance.particle_cost * static_cast<double>(blocks.first_particle[b + 1] - blocks.first_particle[b]) +
               balance.cell_cost * cells;
  return costs;
}

/// Read an equal share of all blocks on each rank, whoever owns them. Collective. Errors: FileError on all ranks
Blocks read_share(const Communicator& comm, const Datasets& data, const Domain& domain) {
  Blocks share;
  agree(comm, [&] {
    const auto rank = static_cast<hsize_t>(comm.rank());
    const auto size = static_cast<hsize_t>(comm.size());
    share = read_blocks(data, domain, data.n_blocks * rank / size, data.n_blocks * (rank + 1) / size);
  });
  return share;
}

/// Choose owners: on as many ranks those of the file, else new ones. Collective. Errors: FileError on all ranks
Splitters choose_splitters(const Communicator& comm, const Datasets& data, const Blocks& share, const Domain& domain,
                           const BalanceOptions& balance) {
  if (h5::n_elements(data.splitters.id()) != static_cast<hsize_t>(comm.size()))
    return balanced_splitters(comm, share.keys, costs_of(share, balance, domain.block_cells().prod()));
  std::vector<BlockKey> first;
  agree_on_root(comm, [&] {  // rank 0 reads, not P ranks P numbers each
    first = h5::read_elements<BlockKey>(data.splitters.id(), 0, comm.size());
    if (first.front() != 0 || !std::is_sorted(first.begin(), first.end())) refuse("splitters are not in order");
  });
  comm.broadcast(first);
  return Splitters(std::move(first));
}

/// Find the numbers of this rank's first block and of the next rank's. The rank that has read the first key at or
/// beyond a splitter sends the number. Collective
std::array<hsize_t, 2> find_stretch(const Communicator& comm, const Splitters& splitters, const Blocks& share,
                                    hsize_t n_blocks) {
  const std::vector<BlockKey> first = splitters.first_keys();
  std::vector<std::vector<std::array<hsize_t, 2>>> found;  // for each rank from first_rank on: which end, and its block
  std::size_t first_rank = 0;
  if (!share.keys.empty()) {
    const auto low = share.before ? std::upper_bound(first.begin(), first.end(), *share.before) : first.begin();
    const auto high = std::upper_bound(low, first.end(), share.keys.back());
    first_rank = static_cast<std::size_t>(low - first.begin());
    first_rank -= first_rank > 0 ? 1 : 0;  // the previous rank's blocks end there
    found.resize(static_cast<std::size_t>(high - first.begin()) -
                 std::min<std::size_t>(first_rank, high - first.begin()));
    for (auto splitter = low; splitter != high; ++splitter) {
      const auto rank = static_cast<std::size_t>(splitter - first.begin());
      const auto place = std::lower_bound(share.keys.begin(), share.keys.end(), *splitter) - share.keys.begin();
      const hsize_t number = share.begin + static_cast<hsize_t>(place);
      found[rank - first_rank].push_back({0, number});
      if (rank > 0) found[rank - 1 - first_rank].push_back({1, number});
    }
  }
  std::vector<Message> messages;
  for (std::size_t r = 0; r < found.size(); ++r) {
    if (found[r].empty()) continue;
    Message& message = messages.emplace_back();
    message.rank = static_cast<int>(first_rank + r);
    message.bytes.resize(found[r].size() * sizeof found[r][0]);
    std::memcpy(message.bytes.data(), found[r].data(), message.bytes.size());
  }
  std::array<hsize_t, 2> stretch{n_blocks, n_blocks};
  for (const Message& message : exchange(comm, messages))
    for (std::size_t at = 0; at < message.bytes.size(); at += sizeof(std::array<hsize_t, 2>)) {
      std::array<hsize_t, 2> end{};
      std::memcpy(end.data(), message.bytes.data() + at, sizeof end);
      stretch[end[0]] = end[1];
    }
  return stretch;
}

std::optional<AttributeType> attribute_type_of(hid_t dataset) {
  const h5::Handle type = h5::element_type(dataset);
  for (int i = 0; i <= static_cast<int>(AttributeType::uint64); ++i)
    if (H5Tequal(type.id(), h5_type(static_cast<AttributeType>(i))) > 0) return static_cast<AttributeType>(i);
  return std::nullopt;
}

/// Add an attribute of the file to the store, or check its type there. \param[in] n_all  particles of the file
void declare(hid_t dataset, const std::string& name, std::uint64_t n_all, ParticleStore& particles) {
  const std::optional<AttributeType> type = attribute_type_of(dataset);
  const auto width = h5::read_number<std::int64_t>(dataset, checkpoint::width_name);
  if (!type || width < 1 || width > checkpoint::max_width)
    refuse(fmt::format("particles/{} has a wrong type or width", name));
  if (h5::n_elements(dataset) != n_all * static_cast<hsize_t>(width))
    refuse(fmt::format("particles/{} has another length", name));
  for (const Attribute& attribute : particles.attributes()) {
    if (attribute.name != name) continue;
    if (attribute.type != *type || attribute.width != width)
      refuse(fmt::format("particles/{} is of another type; was it written with FRESHET_PARTICLE_DOUBLE?", name));
    return;
  }
  std::vector<std::byte> initial(size_of(*type) * static_cast<std::size_t>(width));
  h5::read_attribute(dataset, checkpoint::initial_name, h5_type(*type), width, initial.data());
  particles.add_attribute(name, *type, static_cast<int>(width), initial.data());
}

/// Read this rank's particles with all attributes. Collective. Errors: FileError on all ranks
void read_particles(const Communicator& comm, const ParallelInput& file, std::uint64_t begin, std::uint64_t end,
                    std::uint64_t n_all, ParticleStore& particles) {
  std::vector<std::string> names;
  agree(comm, [&] { names = h5::names_in(file.open_group("particles").id()); });
  agree(comm, [&] {
    if (end - begin > std::numeric_limits<std::uint32_t>::max()) refuse("too many particles for one rank");
    if (!std::all_of(names.begin(), names.end(), is_plain)) refuse("the name of an attribute is not plain text");
    for (const Attribute& needed : particles.attributes())  // the four that are always present
      if (std::find(names.begin(), names.end(), needed.name) == names.end())
        refuse("particles/" + needed.name + " is missing");
  });
  hsize_t bytes_left = 0;  // many names may refer to one dataset
  H5Fget_filesize(file.root(), &bytes_left);
  for (const std::string& name : names) {
    h5::Handle dataset;
    agree(comm, [&] {
      dataset = file.open_dataset("particles/" + name);
      const hsize_t bytes = H5Dget_storage_size(dataset.id());
      if (bytes > bytes_left) refuse("particles take more than the file");
      bytes_left -= bytes;
      declare(dataset.id(), name, n_all, particles);
    });
    agree(comm, [&] {
      particles.resize(static_cast<ParticleIndex>(end - begin));
      const auto found = std::find_if(particles.attributes().begin(), particles.attributes().end(),
                                      [&](const Attribute& attribute) { return attribute.name == name; });
      const auto width = static_cast<hsize_t>(found->width);
      h5::read_elements(dataset.id(), h5_type(found->type), begin * width, (end - begin) * width, found->values.data());
    });
  }
}

/// Check all particles. Errors: FileError if one lies outside its block or has a velocity that is not finite
void check_particles(const ParticleStore& particles, const Domain& domain) {
  const auto n = particles.size();
  const Vec3i width = domain.block_cells();
  ParticleIndex n_wrong = 0;
#pragma omp parallel for schedule(static) reduction(+ : n_wrong)
  for (ParticleIndex p = 0; p < n; ++p) {
    bool right = true;
    for (int d = 0; d < 3; ++d) {
      const ParticleReal x = particles.position()[3 * p + d];
      // comparisons that raise no floating-point exception for NaN
      right = right && std::isgreaterequal(x, ParticleReal{0}) && std::isless(x, static_cast<ParticleReal>(width[d])) &&
              std::isfinite(particles.velocity()[3 * p + d]);
    }
    n_wrong += right ? 0 : 1;
  }
  if (n_wrong > 0) refuse(fmt::format("{} particles are outside their blocks, or have no finite velocity", n_wrong));
}

/// Set the home of every particle to its block in the file.
void set_homes(const Blocks& blocks, ParticleStore& particles) {
  particles.home_keys() = blocks.keys;
  particles.home().resize(static_cast<std::size_t>(particles.size()));
  for (std::size_t b = 0; b < blocks.keys.size(); ++b) {
    const auto begin = blocks.first_particle[b] - blocks.first_particle.front();
    const auto end = blocks.first_particle[b + 1] - blocks.first_particle.front();
    std::fill(particles.home().begin() + static_cast<std::ptrdiff_t>(begin),
              particles.home().begin() + static_cast<std::ptrdiff_t>(end), static_cast<LocalIndex>(b));
  }
}

/// Read the resolved input of the run that wrote the file. Errors: FileError on this rank
std::string read_input(const ParallelInput& file) {
  const h5::Handle dataset = file.open_dataset(input_dataset);
  const hsize_t n = h5::n_elements(dataset.id());
  if (n > most_input_bytes) refuse("the input is too long");
  const std::vector<std::uint8_t> bytes = h5::read_elements<std::uint8_t>(dataset.id(), 0, n);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

RestoredState read_checkpoint(const Communicator& comm, const std::string& path, const Domain& domain,
                              const BalanceOptions& balance,
                              const std::function<void(const std::string& earlier_input)>& accept) {
  const ParallelInput file(comm, path);
  std::string input;
  agree(comm, [&] {
    expect_checkpoint(file.root(), path);
    input = read_input(file);
  });
  accept(input);
  const int cells = domain.block_cells().prod();
  RestoredState state;
  Datasets data;
  agree(comm, [&] {
    state.numbers = read_numbers(file);
    state.bodies = read_bodies(file);
    data = open_datasets(file, cells);
  });
  const Blocks share = read_share(comm, data, domain);
  state.splitters = choose_splitters(comm, data, share, domain, balance);
  const auto [begin, end] = find_stretch(comm, state.splitters, share, data.n_blocks);
  Blocks blocks;
  std::uint64_t n_particles = 0;
  agree(comm, [&, begin = begin, end = end] {
    if (end < begin) refuse("blocks are not in order");
    blocks = read_blocks(data, domain, begin, end);
    n_particles = h5::read_elements<std::uint64_t>(data.first_particle.id(), data.n_blocks, 1).front();
    if (blocks.first_particle.back() > n_particles || n_particles > most_particles)
      refuse("the number of particles is wrong");
    const auto n_cells = static_cast<hsize_t>(cells);
    state.pressure = h5::read_elements<double>(data.pressure.id(), begin * n_cells, (end - begin) * n_cells);
    if (!std::ranges::all_of(state.pressure, [](double x) { return std::isfinite(x); }))
      refuse("a pressure is not finite");
    read_air(file, data, begin, end, n_cells, state);
    read_change(file, data, begin, end, n_cells, state);
    read_zones(file, data, begin, end, n_cells, state);
  });
  read_particles(comm, file, blocks.first_particle.front(), blocks.first_particle.back(), n_particles, state.particles);
  agree(comm, [&] {
    check_particles(state.particles, domain);
    set_homes(blocks, state.particles);
  });
  state.n_particles = static_cast<GlobalIndex>(n_particles);
  state.keys = std::move(blocks.keys);
  return state;
}

}  // namespace freshet
