// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../src/io/checkpoint_format.hpp"
#include "checkpoint_contents.hpp"
#include "freshet/config/read.hpp"
#include "freshet/driver/run_numbers.hpp"
#include "freshet/grid/domain.hpp"

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// A right checkpoint, and what bytes of a fuzzer make of it.
namespace freshet::fuzz {

/// The run that is to go on; its domain ends inside a block.
inline const Parameters& run_of(int dimension) {
  const auto text = [](int d, const std::string& cells, const std::string& zeros, const std::string& ones) {
    return "[run]\nend_time = 1.0\n[domain]\ndimension = " + std::to_string(d) + "\ncells = " + cells +
           "\ncell_size = 0.0625\n[[liquid]]\nshape = \"box\"\nlower = " + zeros + "\nupper = " + ones + "\n";
  };
  static const Parameters flat = parse_parameters(text(2, "[20, 12]", "[0, 0]", "[1, 1]"), "flat.toml");
  static const Parameters deep = parse_parameters(text(3, "[12, 10, 9]", "[0, 0, 0]", "[1, 1, 1]"), "deep.toml");
  return dimension == 2 ? flat : deep;
}

inline const std::string& input_of(int dimension) {
  static const std::string flat = resolved_toml(run_of(2));
  static const std::string deep = resolved_toml(run_of(3));
  return dimension == 2 ? flat : deep;
}

class CheckpointContents {
 public:
  /// First what the checkpoint is like, in five bytes; then edits, one after the other.
  explicit CheckpointContents(std::string_view bytes) : choices_(bytes) {
    const auto flags = choices_.take<std::uint8_t>();
    dimension_ = (flags & 1) != 0 ? 3 : 2;
    n_splitters_ = choices_.below(4) + 1;
    const std::size_t n_blocks = choices_.below(9);
    const std::size_t most_particles = choices_.below(5);
    add_root();
    add_blocks(n_blocks, most_particles);
    add_particles();
    if ((flags & 2) != 0) add_snapshot();
    constexpr int most_edits = 64;
    for (int n = 0; n < most_edits && !choices_.empty(); ++n) edit();
  }

  int dimension() const { return dimension_; }
  void write(const std::string& path) const {
    ContentsWriter writer(path);
    for (const Node& node : nodes_) writer.write(node);
  }

 private:
  void add(const std::string& path, std::vector<Named> attributes = {}) {
    nodes_.push_back({path, Kind::group, {}, Storage::whole, std::move(attributes), ""});
  }
  void add(const std::string& path, Values values, std::vector<Named> attributes = {}) {
    nodes_.push_back({path, Kind::dataset, std::move(values), Storage::whole, std::move(attributes), ""});
  }

  void add_root();
  void add_blocks(std::size_t n_blocks, std::size_t most_particles);
  void add_particles();
  void add_particle_attribute(const std::string& name, Values values, std::int32_t width, Values initial);
  void add_snapshot();
  void edit();
  void edit_values(Values& values);
  void add_any_attribute();
  void make_link(Node& node);
  Node& any_node() { return nodes_[choices_.below(nodes_.size())]; }

  Choices choices_;
  int dimension_ = 2;
  std::size_t n_splitters_ = 1;
  std::uint64_t n_particles_ = 0;
  std::vector<Node> nodes_;
};

inline void CheckpointContents::add_root() {
  add("", {{"freshetKind", value_of("checkpoint")},
           {checkpoint::version_name, value_of(Type::int32, checkpoint::version)},
           {"date", value_of("2026-01-01")},
           {"freshetStep", value_of(Type::int64, std::int64_t{3})},
           {"freshetRanks", value_of(Type::uint32, std::uint32_t{1})}});
  const std::string& input = input_of(dimension_);
  add("freshetInput", {Type::uint8, {input.size()}, input});
  add("splitters", values_of(Type::uint64, [&] {
        std::vector<BlockKey> keys(n_splitters_);
        for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = 2 * i;
        return keys;
      }()));
}

inline void CheckpointContents::add_blocks(std::size_t n_blocks, std::size_t most_particles) {
  const Domain domain(run_of(dimension_).domain);
  std::vector<BlockKey> keys;
  std::vector<std::uint64_t> first{0};
  for (BlockKey key = 0; key < 64 && keys.size() < n_blocks; ++key) {
    if ((morton_block(key).array() >= domain.lattice().array()).any()) continue;
    keys.push_back(key);
    first.push_back(n_particles_ += (key + most_particles) % (most_particles + 1));
  }
  const auto cells = static_cast<std::size_t>(domain.block_cells().prod());
  add("blocks");
  add("blocks/pressure", values_of(Type::float64, std::vector<double>(keys.size() * cells, 1000.0)));
  add("blocks/first_particle", values_of(Type::uint64, first));
  add("blocks/key", values_of(Type::uint64, keys));
  RunNumbers numbers;
  numbers.step = 3;
  numbers.time = 0.1;
  numbers.dt = 0.01;
  numbers.seeded = numbers.next_id = static_cast<GlobalIndex>(n_particles_);
  std::vector<Named> attributes;
  for (const NamedNumber& number : named(numbers))
    std::visit(
        [&](auto value) {
          const Type type = std::is_floating_point_v<decltype(value)> ? Type::float64 : Type::int64;
          attributes.push_back({number.name, value_of(type, value)});
        },
        number.value);
  add("state", std::move(attributes));
}

inline void CheckpointContents::add_particle_attribute(const std::string& name, Values values, std::int32_t width,
                                                       Values initial) {
  add("particles/" + name, std::move(values),
      {{"width", value_of(Type::int32, width)}, {"initial", std::move(initial)}});
}

inline void CheckpointContents::add_particles() {
  const Type real = sizeof(ParticleReal) == 4 ? Type::float32 : Type::float64;
  std::vector<ParticleReal> position(3 * n_particles_, ParticleReal{0.5});
  for (std::size_t p = 0; p < n_particles_; ++p)
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension_); ++d)
      position[3 * p + d] = static_cast<ParticleReal>((p + d) % 4) + ParticleReal{0.25};
  std::vector<ParticleId> ids(n_particles_);
  for (std::size_t p = 0; p < n_particles_; ++p) ids[p] = p;
  const std::vector<ParticleReal> zeros(3);
  add("particles");
  add_particle_attribute("velocity", values_of(real, std::vector<ParticleReal>(3 * n_particles_, ParticleReal{0.1})), 3,
                         values_of(real, zeros));
  add_particle_attribute("position", values_of(real, position), 3, values_of(real, zeros));
  add_particle_attribute("id", values_of(Type::uint64, ids), 1, values_of(Type::uint64, std::vector<ParticleId>{0}));
  add_particle_attribute("tag", values_of(Type::uint8, std::vector<std::uint8_t>(n_particles_, 1)), 1,
                         values_of(Type::uint8, std::vector<std::uint8_t>{0}));
}

/// What `freshet info` says of a snapshot is read from a file like this.
inline void CheckpointContents::add_snapshot() {
  const std::string iteration = "data/7";
  const std::string species = iteration + "/particles/liquid";
  add("data");
  add(iteration, {{"time", value_of(Type::float64, 0.5)}, {"dt", value_of(Type::float64, 0.01)}});
  add(iteration + "/meshes");
  add(iteration + "/meshes/pressure", values_of(Type::float64, std::vector<double>(8)),
      {{"unitDimension", values_of(Type::float64, std::vector<double>{-1, 1, -2, 0, 0, 0, 0})}});
  add(iteration + "/particles");
  add(species);
  for (const char* group : {"/position", "/particlePatches", "/particlePatches/offset", "/particlePatches/extent"})
    add(species + group);
  for (const char* axis : {"x", "y", "z"}) {
    add(species + "/position/" + axis, values_of(Type::float32, std::vector<float>(4)));
    add(species + "/particlePatches/offset/" + axis, values_of(Type::float64, std::vector<double>{0.0, 1.0}));
    add(species + "/particlePatches/extent/" + axis, values_of(Type::float64, std::vector<double>{1.0, 1.0}));
  }
  add(species + "/particlePatches/numParticles", values_of(Type::uint64, std::vector<std::uint64_t>{2, 2}));
  add(species + "/mass", {{"value", value_of(Type::float64, 2.5)}});
}

/// One property of a dataset's or an attribute's values becomes another.
inline void CheckpointContents::edit_values(Values& values) {
  switch (choices_.below(7)) {
    case 0:
      values.type = static_cast<Type>(choices_.below(n_types));
      break;
    case 1:
      values.shape.assign(choices_.below(4), 1);
      for (hsize_t& extent : values.shape) extent = choices_.length();
      break;
    case 2:  // longer or shorter, and its values with it
      values.shape.assign(1, choices_.below(64));
      values.bytes.resize(values.shape[0] * 8, '\0');
      break;
    case 3:
      values.is_null = !values.is_null;
      break;
    default: {  // one value
      const std::size_t size = std::array<std::size_t, 3>{1, 4, 8}[choices_.below(3)];
      const std::size_t place = size * choices_.take<std::uint16_t>();
      const std::string_view bytes = choices_.text(size);
      if (place + bytes.size() <= values.bytes.size()) values.bytes.replace(place, bytes.size(), bytes);
    }
  }
}

/// A further attribute of particles, which may fit or not.
inline void CheckpointContents::add_any_attribute() {
  constexpr std::array<std::size_t, 14> sizes{1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 8, 16, 1};
  const std::size_t type = choices_.below(sizes.size());
  const auto width = choices_.take<std::uint8_t>();
  const std::string name(choices_.text(choices_.below(8)));
  Values values{static_cast<Type>(type), {n_particles_ * width}, std::string(n_particles_ * width * sizes[type], 'v')};
  Values initial{static_cast<Type>(type), {width}, std::string(width * sizes[type], 'i')};
  add_particle_attribute(name, std::move(values), width, std::move(initial));
}

/// A name of something else in place of a thing.
inline void CheckpointContents::make_link(Node& node) {
  node.kind = static_cast<Kind>(choices_.below(n_kinds));
  node.target = "/" + any_node().path;
}

inline void CheckpointContents::edit() {
  const std::size_t which = choices_.below(12);
  if (which == 8) return add_any_attribute();
  Node& node = any_node();
  switch (which) {
    case 0:
      node.path = "left_out/" + node.path;  // without a group of this name it cannot be made
      return;
    case 1:
      node.storage = static_cast<Storage>(choices_.below(n_storages));
      return;
    case 2:
      return make_link(node);
    case 3:
      nodes_.push_back({std::string(any_node().path) + "/more", Kind::group, {}, Storage::whole, {}, ""});
      return make_link(nodes_.back());
    case 4:
      if (node.kind == Kind::dataset) node.values.bytes = choices_.text(choices_.take<std::uint8_t>());
      if (node.values.type == Type::uint8) node.values.shape.assign(1, node.values.bytes.size());
      return;
    case 5:
    case 6:
      return edit_values(node.values);
    default:
      break;
  }
  if (node.attributes.empty()) return edit_values(node.values);
  const std::size_t place = choices_.below(node.attributes.size());
  if (which == 7) {
    node.attributes.erase(node.attributes.begin() + static_cast<std::ptrdiff_t>(place));
  } else {
    edit_values(node.attributes[place].values);
  }
}

}  // namespace freshet::fuzz
