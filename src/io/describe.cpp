// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/snapshot.hpp"
#include "h5.hpp"
#include "openpmd.hpp"
#include "seal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>

namespace freshet {
namespace {

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

/// The lines on one object and what is below it. \param[in] unit  of the enclosing record, as text
void describe_object(hid_t parent, const std::string& name, const std::string& path, std::string unit,
                     std::string& text) {
  const h5::Handle object(H5Oopen(parent, name.c_str(), H5P_DEFAULT), H5Oclose, "open '" + path + "'");
  if (h5::has_attribute(object.id(), "unitDimension")) {
    unit = openpmd::unit_text(h5::read_numbers(object.id(), "unitDimension"));
  }
  if (H5Iget_type(object.id()) == H5I_DATASET) {
    text += fmt::format("  {:<36} {:<8} {:>22}  {}\n", path, type_text(object.id()), shape_text(object.id()),
                        unit.empty() ? "" : "[" + unit + "]");
  } else if (h5::has_attribute(object.id(), "value")) {
    text += fmt::format("  {:<36} {:<8} {:>22}  [{}]\n", path, "constant",
                        h5::read_number<double>(object.id(), "value"), unit);
  } else {
    for (const std::string& child : h5::names_in(object.id())) {
      if (child == "particlePatches" || child == "positionOffset") continue;  // how the file is made, not what is in it
      describe_object(object.id(), child, path.empty() ? child : path + "/" + child, unit, text);
    }
  }
}

/// Smallest box around the patches.
Box patches_box(hid_t patches) {
  Box box{Vec3::Constant(std::numeric_limits<double>::infinity()),
          Vec3::Constant(-std::numeric_limits<double>::infinity())};
  const auto read = [&](const std::string& name) {
    const h5::Handle dataset(H5Dopen2(patches, name.c_str(), H5P_DEFAULT), H5Dclose, "open '" + name + "'");
    const h5::Handle space(H5Dget_space(dataset.id()), H5Sclose, "read the shape of '" + name + "'");
    std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.id())));
    h5::check(H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "read " + name);
    return values;
  };
  const std::vector<double> counts = read("numParticles");
  for (int d = 0; d < 3; ++d) {
    const std::string& axis = openpmd::axis_names[static_cast<std::size_t>(d)];
    const std::vector<double> offset = read("offset/" + axis);
    const std::vector<double> extent = read("extent/" + axis);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0.0) continue;
      box.lower[d] = std::min(box.lower[d], offset[i]);
      box.upper[d] = std::max(box.upper[d], offset[i] + extent[i]);
    }
  }
  return box;
}

std::string describe_iteration(hid_t data, const std::string& name) {
  const h5::Handle iteration(H5Gopen2(data, name.c_str(), H5P_DEFAULT), H5Gclose, "open the iteration " + name);
  std::string text =
      fmt::format("output {}: t = {:.9g} s, dt = {:.9g} s\n", name, h5::read_number<double>(iteration.id(), "time"),
                  h5::read_number<double>(iteration.id(), "dt"));
  constexpr const char* patches_path = "particles/liquid/particlePatches";
  const bool has_patches = H5Lexists(iteration.id(), "particles", H5P_DEFAULT) > 0 &&
                           H5Lexists(iteration.id(), "particles/liquid", H5P_DEFAULT) > 0 &&
                           H5Lexists(iteration.id(), patches_path, H5P_DEFAULT) > 0;
  if (has_patches) {
    const h5::Handle patches(H5Gopen2(iteration.id(), patches_path, H5P_DEFAULT), H5Gclose, "open the patches");
    const Box box = patches_box(patches.id());
    const h5::Handle position(H5Dopen2(iteration.id(), "particles/liquid/position/x", H5P_DEFAULT), H5Dclose,
                              "open the particles' position");
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

std::string describe_header(hid_t root, const std::string& path) {
  const auto text_of = [&](const char* name) {
    return h5::has_attribute(root, name) ? h5::read_text(root, name) : std::string("unknown");
  };
  const auto number_of = [&](const char* name) {
    return h5::has_attribute(root, name) ? fmt::format("{}", h5::read_number<std::int64_t>(root, name)) : "unknown";
  };
  return fmt::format("{}\n{}, whole\nwritten {} on {} by freshet {} (commit {})\nstep {}, {} ranks x {} threads\n",
                     path, text_of("freshetKind"), text_of("date"), text_of("machine"), text_of("softwareVersion"),
                     text_of("freshetCommit"), number_of("freshetStep"), number_of("freshetRanks"),
                     number_of("freshetThreads"));
}

}  // namespace

std::string describe_file(const std::string& path) {
  h5::silence_errors();
  const h5::Handle file = open_whole_file(path);
  std::string text = describe_header(file.id(), path);
  if (H5Lexists(file.id(), "data", H5P_DEFAULT) > 0) {
    const h5::Handle data(H5Gopen2(file.id(), "data", H5P_DEFAULT), H5Gclose, "open the group 'data'");
    for (const std::string& iteration : h5::names_in(data.id())) text += describe_iteration(data.id(), iteration);
  }
  return text;
}

}  // namespace freshet
