// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/snapshot.hpp"
#include "h5.hpp"
#include "openpmd.hpp"
#include "seal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace freshet {
namespace {

constexpr std::size_t most_text = 1 << 20;  ///< largest size of a description [bytes]
constexpr int most_depth = 16;              ///< largest depth of nested groups
constexpr hsize_t most_patches = 1 << 24;   ///< largest number of patches, of which each rank has one

/// Unit as text for people: "m s^-1"; "1" for a pure number.
std::string unit_text(const std::vector<double>& powers) {
  static const std::array<const char*, 7> units{"m", "kg", "s", "A", "K", "mol", "cd"};
  std::string text;
  for (std::size_t i = 0; i < units.size() && i < powers.size(); ++i) {
    if (powers[i] == 0.0) continue;
    text += fmt::format("{}{}", text.empty() ? "" : " ", units[i]);
    if (powers[i] != 1.0) text += fmt::format("^{}", powers[i]);
  }
  return text.empty() ? "1" : text;
}

std::string type_text(hid_t dataset) {
  const h5::Handle type = h5::element_type(dataset);
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
  return fmt::format("{}", fmt::join(h5::shape_of(dataset), " x "));
}

/// Make text of a file safe for a terminal: control characters become '?'.
std::string plain(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

/// Append lines on an object and the objects below it. \param[in] unit  unit of the enclosing record as text
/// Errors: FileError; also for a group that contains itself
void describe_object(hid_t parent, const std::string& name, const std::string& path, std::string unit,
                     std::string& text) {
  const h5::Handle object = h5::open_object(parent, name, "open '" + plain(path) + "'");
  if (h5::has_attribute(object.id(), "unitDimension")) {
    unit = unit_text(h5::read_numbers(object.id(), "unitDimension"));
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
      if (child == "particlePatches" || child == "positionOffset") continue;  // these describe the file, not the liquid
      describe_object(object.id(), child, path.empty() ? child : path + "/" + child, unit, text);
    }
  }
}

/// The smallest box around all patches.
Box patches_box(hid_t patches) {
  Box box{Vec3::Constant(std::numeric_limits<double>::infinity()),
          Vec3::Constant(-std::numeric_limits<double>::infinity())};
  const auto read = [&](const std::string& name) {
    const h5::Handle dataset = h5::open_object(patches, name, H5I_DATASET, "open '" + name + "'");
    const hsize_t n = h5::n_elements(dataset.id());
    if (n > most_patches) throw FileError("a record of patches is too long.");
    return h5::read_elements<double>(dataset.id(), 0, n);
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

/// Open the group with a name; a closed handle if there is none.
h5::Handle find_group(hid_t parent, const std::string& name) {
  if (H5Lexists(parent, name.c_str(), H5P_DEFAULT) <= 0) return {};
  return h5::open_object(parent, name, H5I_GROUP, "open the group '" + name + "'");
}

/// Describe number and bounding box of the particles; empty text if there are none.
std::string describe_particles(hid_t iteration) {
  const h5::Handle particles = find_group(iteration, "particles");
  const h5::Handle species = particles.is_open() ? find_group(particles.id(), "liquid") : h5::Handle();
  const h5::Handle patches = species.is_open() ? find_group(species.id(), "particlePatches") : h5::Handle();
  if (!patches.is_open()) return "";
  const h5::Handle position = h5::open_object(species.id(), "position/x", H5I_DATASET, "open the particles' position");
  const Box box = patches_box(patches.id());
  std::string text = fmt::format("particles: {}\n", shape_text(position.id()));
  if ((box.lower.array() <= box.upper.array()).all())
    text += fmt::format("box: ({:.6g}, {:.6g}, {:.6g}) to ({:.6g}, {:.6g}, {:.6g}) m\n", box.lower.x(), box.lower.y(),
                        box.lower.z(), box.upper.x(), box.upper.y(), box.upper.z());
  return text;
}

std::string describe_iteration(hid_t data, const std::string& name) {
  const h5::Handle iteration = h5::open_object(data, name, H5I_GROUP, "open the iteration " + plain(name));
  std::string text =
      fmt::format("output {}: t = {:.9g} s, dt = {:.9g} s\n", plain(name),
                  h5::read_number<double>(iteration.id(), "time"), h5::read_number<double>(iteration.id(), "dt"));
  text += describe_particles(iteration.id());
  text += "records:\n";
  describe_object(data, name, "", "", text);
  return text;
}

/// Describe numbers and records of a checkpoint; empty text if the file is no checkpoint.
std::string describe_checkpoint(hid_t root) {
  const h5::Handle state = find_group(root, "state");
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

/// Describe a file. Errors: FileError, perhaps without the file's name
std::string describe_contents(const std::string& path) {
  const std::string damage = find_damage(path);
  if (!damage.empty()) throw FileError(damage + ".");
  const h5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "read " + path);
  std::string text = describe_header(file.id(), path);
  text += describe_checkpoint(file.id());
  if (const h5::Handle data = find_group(file.id(), "data"); data.is_open())
    for (const std::string& iteration : h5::names_in(data.id())) text += describe_iteration(data.id(), iteration);
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
