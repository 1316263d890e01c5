// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/snapshot.hpp"
#include "h5.hpp"
#include "openpmd.hpp"
#include "seal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

namespace freshet {
namespace {

constexpr std::size_t most_text = 1 << 20;  ///< bytes of a description
constexpr int most_depth = 16;              ///< of groups
constexpr hssize_t most_patches = 1 << 24;  ///< one a rank

/// Errors: FileError in words that tell a missing file from a foreign or a damaged one.
h5::Handle open_whole_file(const std::string& path) {
  const std::string damage = find_damage(path);
  if (!damage.empty()) throw FileError(damage + ".");
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "read " + path};
}

std::string type_text(hid_t dataset) {
  const h5::Handle type(H5Dget_type(dataset), H5Tclose, "read the type of a dataset");
  const std::size_t bits = 8 * H5Tget_size(type.id());
  switch (H5Tget_class(type.id())) {
    case H5T_FLOAT:
      return fmt::format("float{}", bits);
    case H5T_INTEGER:
      return fmt::format("{}int{}", H5Tget_sign(type.id()) == H5T_SGN_NONE ? "u" : "", bits);
    default:
      return "text";
  }
}

std::string shape_text(hid_t dataset) {
  const h5::Handle space(H5Dget_space(dataset), H5Sclose, "read the shape of a dataset");
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space.id()), 0)));
  if (!extents.empty()) H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr);
  return fmt::format("{}", fmt::join(extents, " x "));
}

/// Text of a file for a terminal: control characters become '?'.
std::string plain(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

/// The lines on one object and what is below it. \param[in] unit  of the enclosing record, as text
/// Errors: FileError; also for a group that contains itself
void describe_object(hid_t parent, const std::string& name, const std::string& path, std::string unit,
                     std::string& text) {
  const h5::Handle object = h5::open_object(parent, name, "open '" + plain(path) + "'");
  if (h5::has_attribute(object.id(), "unitDimension")) {
    unit = openpmd::unit_text(h5::read_numbers(object.id(), "unitDimension"));
  }
  if (text.size() > most_text) throw FileError("there is more in the file than can be described.");
  if (H5Iget_type(object.id()) == H5I_DATASET) {
    text += fmt::format("  {:<36} {:<8} {:>22}  {}\n", plain(path), type_text(object.id()), shape_text(object.id()),
                        unit.empty() ? "" : "[" + unit + "]");
  } else if (h5::has_attribute(object.id(), "value")) {
    text += fmt::format("  {:<36} {:<8} {:>22}  [{}]\n", plain(path), "constant",
                        h5::read_number<double>(object.id(), "value"), unit);
  } else {
    if (std::count(path.begin(), path.end(), '/') > most_depth) throw FileError("the groups of the file are too deep.");
    for (const std::string& child : h5::names_in(object.id())) {
      if (child == "particlePatches" || child == "positionOffset") continue;  // they describe the file, not the liquid
      describe_object(object.id(), child, path.empty() ? child : path + "/" + child, unit, text);
    }
  }
}

/// Smallest box around the patches.
Box patches_box(hid_t patches) {
  Box box{Vec3::Constant(std::numeric_limits<double>::infinity()),
          Vec3::Constant(-std::numeric_limits<double>::infinity())};
  const auto read = [&](const std::string& name) {
    const h5::Handle dataset = h5::open_object(patches, name, H5I_DATASET, "open '" + name + "'");
    const h5::Handle space(H5Dget_space(dataset.id()), H5Sclose, "read the shape of '" + name + "'");
    const hssize_t n = H5Sget_simple_extent_npoints(space.id());
    if (n < 0 || n > most_patches) throw FileError("a record of patches is too long.");
    std::vector<double> values(static_cast<std::size_t>(n));
    h5::check(H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "read " + name);
    return values;
  };
  const std::vector<double> counts = read("numParticles");
  for (int d = 0; d < 3; ++d) {
    const std::string& axis = openpmd::axis_names[static_cast<std::size_t>(d)];
    const std::vector<double> offset = read("offset/" + axis);
    const std::vector<double> extent = read("extent/" + axis);
    if (offset.size() != counts.size() || extent.size() != counts.size())
      throw FileError("the records of patches have different lengths.");
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0.0) continue;
      box.lower[d] = std::min(box.lower[d], offset[i]);
      box.upper[d] = std::max(box.upper[d], offset[i] + extent[i]);
    }
  }
  return box;
}

/// The group at the end of a path; a closed handle if there is no such group.
h5::Handle find_group(hid_t parent, std::span<const char* const> path) {
  if (H5Lexists(parent, path.front(), H5P_DEFAULT) <= 0) return {};
  h5::Handle group = h5::open_object(parent, path.front(), H5I_GROUP, std::string("open the group ") + path.front());
  return path.size() == 1 ? std::move(group) : find_group(group.id(), path.subspan(1));
}

std::string describe_iteration(hid_t data, const std::string& name) {
  const h5::Handle iteration = h5::open_object(data, name, H5I_GROUP, "open the iteration " + plain(name));
  std::string text =
      fmt::format("output {}: t = {:.9g} s, dt = {:.9g} s\n", plain(name),
                  h5::read_number<double>(iteration.id(), "time"), h5::read_number<double>(iteration.id(), "dt"));
  const h5::Handle species = find_group(iteration.id(), std::array{"particles", "liquid"});
  if (species.is_open() && H5Lexists(species.id(), "particlePatches", H5P_DEFAULT) > 0) {
    const h5::Handle patches = h5::open_object(species.id(), "particlePatches", H5I_GROUP, "open the patches");
    const Box box = patches_box(patches.id());
    const h5::Handle position =
        h5::open_object(species.id(), "position/x", H5I_DATASET, "open the particles' position");
    text += fmt::format("particles: {}\n", shape_text(position.id()));
    if ((box.lower.array() <= box.upper.array()).all()) {
      text += fmt::format("box: ({:.6g}, {:.6g}, {:.6g}) to ({:.6g}, {:.6g}, {:.6g}) m\n", box.lower.x(), box.lower.y(),
                          box.lower.z(), box.upper.x(), box.upper.y(), box.upper.z());
    }
  }
  text += "records:\n";
  describe_object(data, name, "", "", text);
  return text;
}

/// Numbers and records of a checkpoint; empty if the file is none.
std::string describe_checkpoint(hid_t root) {
  const h5::Handle state = find_group(root, std::array{"state"});
  if (!state.is_open()) return "";
  std::string text = "state:\n";
  for (const std::string& name : h5::attributes_of(state.id()))
    text += h5::is_whole_number(state.id(), name)
                ? fmt::format("  {:<36} {}\n", plain(name), h5::read_number<std::int64_t>(state.id(), name))
                : fmt::format("  {:<36} {}\n", plain(name), h5::read_number<double>(state.id(), name));
  text += "records:\n";
  for (const char* group : {"blocks", "particles"})
    if (H5Lexists(root, group, H5P_DEFAULT) > 0) describe_object(root, group, group, "", text);
  return text;
}

std::string describe_header(hid_t root, const std::string& path) {
  const auto text_of = [&](const char* name) {
    return h5::has_attribute(root, name) ? plain(h5::read_text(root, name)) : std::string("unknown");
  };
  const auto number_of = [&](const char* name) {
    return h5::has_attribute(root, name) ? fmt::format("{}", h5::read_number<std::int64_t>(root, name)) : "unknown";
  };
  return fmt::format("{}\n{}, whole\nwritten {} on {} by freshet {} (commit {})\nstep {}, {} ranks x {} threads\n",
                     path, text_of("freshetKind"), text_of("date"), text_of("machine"), text_of("softwareVersion"),
                     text_of("freshetCommit"), number_of("freshetStep"), number_of("freshetRanks"),
                     number_of("freshetThreads"));
}

/// All lines about a file. Errors: FileError, perhaps without the file's name
std::string describe_contents(const std::string& path) {
  const h5::Handle file = open_whole_file(path);
  std::string text = describe_header(file.id(), path);
  text += describe_checkpoint(file.id());
  if (H5Lexists(file.id(), "data", H5P_DEFAULT) > 0) {
    const h5::Handle data = h5::open_object(file.id(), "data", H5I_GROUP, "open the group 'data'");
    for (const std::string& iteration : h5::names_in(data.id())) text += describe_iteration(data.id(), iteration);
  }
  return text;
}

}  // namespace

std::string describe_file(const std::string& path) {
  h5::silence_errors();
  try {
    return describe_contents(path);
  } catch (const FileError& error) {
    const std::string problem = error.what();
    throw FileError(problem.find(path) == std::string::npos ? path + ": " + problem : problem);
  }
}

}  // namespace freshet
