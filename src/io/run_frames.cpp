// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/run_frames.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/text.hpp"
#include "freshet/parallel/agree.hpp"
#include "records.hpp"
#include "seal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <optional>

namespace freshet {
namespace {

constexpr const char* position_record = "position";

std::string listed(const std::vector<RunFrame>& frames) {
  const bool gapless = frames.back().number - frames.front().number + 1 == static_cast<std::int64_t>(frames.size());
  return fmt::format("{} to {}{}", frames.front().number, frames.back().number, gapless ? "" : ", with gaps");
}

/// Split a range at its colons; an empty part becomes nothing. Errors: InputError
std::vector<std::optional<std::int64_t>> parts_of(const std::string& range) {
  std::vector<std::optional<std::int64_t>> parts;
  for (std::size_t begin = 0; begin <= range.size();) {
    const std::size_t end = std::min(range.find(':', begin), range.size());
    const std::string part = range.substr(begin, end - begin);
    parts.push_back(number_in<std::int64_t>(part));
    const bool is_number = parts.back() && *parts.back() >= 0;
    const bool is_step = parts.size() == 3;
    if (parts.size() > 3 || (!part.empty() && !is_number) || (is_step && is_number && *parts.back() == 0))
      throw InputError(
          fmt::format("\"{}\" is no range of frames (it is \"7\" or \"first:last:step\"). Give for example 0:100:2",
                      printable(range)));
    begin = end + 1;
  }
  return parts;
}

AttributeType type_in_file(hid_t dataset) {
  const h5::Handle type = h5::element_type(dataset);
  for (const AttributeType known : {AttributeType::float32, AttributeType::float64, AttributeType::int32,
                                    AttributeType::int64, AttributeType::uint8, AttributeType::uint64})
    if (H5Tequal(type.id(), h5_type(known)) > 0) return known;
  throw FileError("a dataset has a type that freshet does not write");
}

/// Names of the components in order: x, y, z, or 0, 1, ..., 10.
std::vector<std::string> components_in(hid_t group) {
  std::vector<std::string> names = h5::names_in(group);
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return std::pair(a.size(), a) < std::pair(b.size(), b); });
  return names;
}

/// Describe a record or a field: a group with one dataset for each component, or one dataset.
template <class Record>
Record record_in(hid_t parent, const std::string& name) {
  Record record;
  record.name = name;
  const h5::Handle object = h5::open_object(parent, name, "open the record '" + name + "'");
  if (H5Iget_type(object.id()) == H5I_GROUP) record.components = components_in(object.id());
  const std::string first = record.components.empty() ? name : name + "/" + record.components.front();
  record.type = type_in_file(h5::open_object(parent, first, H5I_DATASET, "open '" + first + "'").id());
  return record;
}

FrameField field_in(hid_t meshes, const std::string& name) {
  auto field = record_in<FrameField>(meshes, name);
  const h5::Handle object = h5::open_object(meshes, name, "open the field '" + name + "'");
  const std::string first = field.components.empty() ? name : name + "/" + field.components.front();
  const h5::Handle dataset = h5::open_object(meshes, first, H5I_DATASET, "open '" + first + "'");
  const std::vector<hsize_t> shape = h5::shape_of(dataset.id());
  if (shape.size() != 3) throw FileError("the field '" + name + "' does not have three axes");
  const double unit = h5::read_number<double>(object.id(), "gridUnitSI");
  std::array<double, 3> offset{}, spacing{}, position{};
  h5::read_attribute(object.id(), "gridGlobalOffset", h5::type_of<double>(), 3, offset.data());
  h5::read_attribute(object.id(), "gridSpacing", h5::type_of<double>(), 3, spacing.data());
  h5::read_attribute(dataset.id(), "position", h5::type_of<double>(), 3, position.data());
  field.dx = unit * spacing[0];
  for (int d = 0; d < 3; ++d) {
    const auto in_file = static_cast<std::size_t>(2 - d);
    field.cells[d] = static_cast<int>(shape[in_file]);
    field.corner[d] = unit * offset[in_file];
  }
  field.on_faces = *std::min_element(position.begin(), position.end()) < 0.5;
  return field;
}

}  // namespace

std::vector<RunFrame> frames_of_run(const std::string& directory) {
  const std::filesystem::path snapshots = std::filesystem::path(directory) / "snapshots";
  std::error_code error;
  std::vector<RunFrame> frames;
  for (const auto& entry : std::filesystem::directory_iterator(snapshots, error))
    if (const auto number = number_in_name(entry.path().filename().string(), "snap_", ".h5"))
      frames.push_back({*number, entry.path().string()});
  if (!std::filesystem::is_directory(directory))
    throw InputError(fmt::format("{}: there is no such directory. Give the output directory of a run", directory));
  if (frames.empty())
    throw InputError(fmt::format(
        "{}: the run has no snapshots ({} holds no file snap_*.h5). Run the case with output.interval above 0",
        directory, snapshots.string()));
  std::sort(frames.begin(), frames.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return frames;
}

std::vector<RunFrame> choose_frames(const std::vector<RunFrame>& frames, const std::string& range) {
  const auto parts = parts_of(range);
  const std::int64_t low = frames.front().number, high = frames.back().number;
  const bool single = parts.size() == 1 && parts[0];
  const std::int64_t first = parts[0].value_or(low);
  const std::int64_t last = single ? first : parts.size() > 1 ? parts[1].value_or(high) : high;
  const std::int64_t step = parts.size() > 2 ? parts[2].value_or(1) : 1;
  for (const std::int64_t end : {first, last}) {
    const bool exists = std::any_of(frames.begin(), frames.end(), [&](const auto& f) { return f.number == end; });
    if (!exists)
      throw InputError(
          fmt::format("frame {} does not exist (the run has the frames {}). Choose among these", end, listed(frames)));
  }
  std::vector<RunFrame> chosen;
  for (const RunFrame& frame : frames)
    if (frame.number >= first && frame.number <= last && (frame.number - first) % step == 0) chosen.push_back(frame);
  if (chosen.empty())
    throw InputError(
        fmt::format("\"{}\" names no frame (the first comes after the last). Give first:last:step", range));
  return chosen;
}

struct FrameFile::Implementation {
  h5::Handle file, particles, meshes;
  double time = 0.0;
  std::int64_t n_particles = 0;
  double particle_share = 1.0;
  std::int64_t n_left_out = 0;
  bool without_blocks = false;
  std::vector<FrameRecord> records;
  std::vector<FrameField> fields;
  std::vector<double> solid_poses;

  explicit Implementation(const std::string& path)
      : file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "read " + path) {
    const h5::Handle data = h5::open_object(file.id(), "data", H5I_GROUP, "open the group 'data'");
    const std::vector<std::string> names = h5::names_in(data.id());
    if (names.empty()) throw FileError("the snapshot holds no iteration");
    const h5::Handle iteration = h5::open_object(data.id(), names.back(), H5I_GROUP, "open the iteration");
    time = h5::read_number<double>(iteration.id(), "time") * h5::read_number<double>(iteration.id(), "timeUnitSI");
    if (h5::has_attribute(iteration.id(), share_attribute))
      particle_share = h5::read_number<double>(iteration.id(), share_attribute);
    if (h5::has_attribute(iteration.id(), left_out_attribute))
      n_left_out = h5::read_number<std::int64_t>(iteration.id(), left_out_attribute);
    if (h5::has_attribute(iteration.id(), poses_attribute))
      solid_poses = h5::read_numbers(iteration.id(), poses_attribute);
    const std::vector<std::string> members = h5::names_in(iteration.id());
    if (std::ranges::find(members, poses_attribute) != members.end()) read_many_poses(iteration.id());
    particles = h5::open_object(iteration.id(), "particles/liquid", H5I_GROUP, "open the particles");
    meshes = h5::open_object(iteration.id(), "meshes", H5I_GROUP, "open the fields");
    const std::vector<std::string> parts = h5::names_in(file.id());
    if (std::ranges::find(parts, blocks_dataset) != parts.end())  // older snapshots lack it, and have blocks
      without_blocks =
          h5::n_elements(h5::open_object(file.id(), blocks_dataset, H5I_DATASET, "open the blocks").id()) == 0;
    records.push_back(record_in<FrameRecord>(particles.id(), position_record));
    n_particles = static_cast<std::int64_t>(h5::n_elements(dataset(records.front(), 0).id()));
    for (const std::string& name : h5::names_in(particles.id()))
      if (name != position_record && name != "positionOffset" && name != "particlePatches")
        records.push_back(record_in<FrameRecord>(particles.id(), name));
    for (const std::string& name : h5::names_in(meshes.id())) fields.push_back(field_in(meshes.id(), name));
  }

  void read_many_poses(hid_t iteration) {
    const std::string what = "read the poses of solids";
    const h5::Handle poses = h5::open_object(iteration, poses_attribute, H5I_DATASET, what);
    const std::vector<hsize_t> shape = h5::shape_of(poses.id());
    if (shape.size() != 3 || shape[1] != 3 || shape[2] != 4) throw FileError("the poses of solids have another shape");
    solid_poses.resize(12 * shape[0]);
    h5::check(H5Dread(poses.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, solid_poses.data()), what);
  }

  template <class Record>
  h5::Handle dataset(const Record& record, int c) const {
    const std::string path =
        record.components.empty() ? record.name : record.name + "/" + record.components[static_cast<std::size_t>(c)];
    const hid_t parent = std::is_same_v<Record, FrameField> ? meshes.id() : particles.id();
    return h5::open_object(parent, path, H5I_DATASET, "open the dataset '" + path + "'");
  }
};

FrameFile::FrameFile(const Communicator& comm, const std::string& path) {
  h5::silence_errors();
  const auto refuse = [&](std::string why) {
    if (why.ends_with('.')) why.pop_back();
    throw FileError(fmt::format("{}: the snapshot cannot be read ({}). Give one that freshet wrote", path, why));
  };
  try {
    agree(comm, [&] {
      if (!std::filesystem::is_regular_file(path)) throw FileError("there is no such file");
    });
    const std::string damage = find_damage(comm, path);
    if (!damage.empty()) throw FileError(damage);
    agree(comm, [&] { implementation_ = std::make_unique<Implementation>(path); });
  } catch (const FileError& error) {
    refuse(error.what());
  }
}

FrameFile::~FrameFile() = default;

double FrameFile::time() const {
  return implementation_->time;
}
std::int64_t FrameFile::n_particles() const {
  return implementation_->n_particles;
}
double FrameFile::particle_share() const {
  return implementation_->particle_share;
}
std::int64_t FrameFile::n_left_out() const {
  return implementation_->n_left_out;
}
const std::vector<FrameRecord>& FrameFile::records() const {
  return implementation_->records;
}
const std::vector<FrameField>& FrameFile::fields() const {
  return implementation_->fields;
}
bool FrameFile::is_without_blocks() const {
  return implementation_->without_blocks;
}

const std::vector<double>& FrameFile::solid_poses() const {
  return implementation_->solid_poses;
}

std::string FrameFile::resolved_input() const {
  const h5::Handle dataset =
      h5::open_object(implementation_->file.id(), input_dataset, H5I_DATASET, "read the run's case file");
  const auto text = h5::read_elements<std::uint8_t>(dataset.id(), 0, h5::n_elements(dataset.id()));
  return {text.begin(), text.end()};
}

template <class T>
void FrameFile::read(const FrameRecord& record, int c, std::int64_t first, std::span<T> values) const {
  if (values.empty()) return;
  h5::read_elements(implementation_->dataset(record, c).id(), h5::type_of<T>(), static_cast<hsize_t>(first),
                    values.size(), values.data());
}
template void FrameFile::read(const FrameRecord&, int, std::int64_t, std::span<float>) const;
template void FrameFile::read(const FrameRecord&, int, std::int64_t, std::span<double>) const;
template void FrameFile::read(const FrameRecord&, int, std::int64_t, std::span<std::int64_t>) const;
template void FrameFile::read(const FrameRecord&, int, std::int64_t, std::span<std::uint64_t>) const;

void FrameFile::read(const FrameField& field, int c, int first, int last, std::span<double> values) const {
  const std::array<hsize_t, 3> start{static_cast<hsize_t>(first), 0, 0};
  const std::array<hsize_t, 3> count{static_cast<hsize_t>(last - first), static_cast<hsize_t>(field.cells.y()),
                                     static_cast<hsize_t>(field.cells.x())};
  const hsize_t n = count[0] * count[1] * count[2];
  FRESHET_EXPECT(values.size() == n);
  const h5::Handle dataset = implementation_->dataset(field, c);
  const h5::Handle memory(H5Screate_simple(1, &n, nullptr), H5Sclose, "describe memory");
  const h5::Handle file(H5Dget_space(dataset.id()), H5Sclose, "read the shape of a field");
  h5::check(H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
            "select layers");
  h5::check(H5Dread(dataset.id(), h5::type_of<double>(), memory.id(), file.id(), H5P_DEFAULT, values.data()),
            "read a field");
}

}  // namespace freshet
