// SPDX-License-Identifier: Apache-2.0
#include "openpmd.hpp"

#include <fmt/format.h>

namespace freshet::openpmd {
namespace {

std::vector<double> file_order(const Vec3& v) {
  return {v.z(), v.y(), v.x()};
}

}  // namespace

std::string unit_text(std::span<const double> powers) {
  static const std::array<const char*, 7> units{"m", "kg", "s", "A", "K", "mol", "cd"};
  std::string text;
  for (std::size_t i = 0; i < units.size() && i < powers.size(); ++i) {
    if (powers[i] == 0.0) continue;
    text += fmt::format("{}{}", text.empty() ? "" : " ", units[i]);
    if (powers[i] != 1.0) text += fmt::format("^{}", powers[i]);
  }
  return text.empty() ? "1" : text;
}

void write_root(hid_t root) {
  using h5::write_attribute;
  write_attribute(root, "openPMD", "1.1.0");
  write_attribute(root, "openPMDextension", std::uint32_t{0});
  write_attribute(root, "basePath", "/data/%T/");
  write_attribute(root, "iterationEncoding", "fileBased");
  write_attribute(root, "iterationFormat", "snap_%06T.h5");
  write_attribute(root, "meshesPath", "meshes/");
  write_attribute(root, "particlesPath", "particles/");
}

void write_iteration(hid_t iteration, double time, double dt) {
  h5::write_attribute(iteration, "time", time);
  h5::write_attribute(iteration, "dt", dt);
  h5::write_attribute(iteration, "timeUnitSI", 1.0);
}

void write_solid_poses(hid_t iteration, std::span<const Pose> poses) {
  if (poses.empty()) return;
  std::vector<double> rows;
  for (const Pose& pose : poses)
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) rows.push_back(pose.rotation(i, j));
      rows.push_back(pose.translation[i]);
    }
  const std::array<hsize_t, 3> shape{poses.size(), 3, 4};
  h5::write_attribute(iteration, "freshetSolidPoses", h5::type_of<double>(), shape, rows.data());
}

void write_record(hid_t record, const UnitPowers& unit) {
  h5::write_attribute(record, "unitDimension", std::vector<double>(unit.begin(), unit.end()));
  h5::write_attribute(record, "timeOffset", 0.0);
}

void write_component(hid_t component) {
  h5::write_attribute(component, "unitSI", 1.0);
}

void write_constant_component(hid_t record, const std::string& name, double value, std::uint64_t count) {
  const h5::Handle component = h5::create_group(record, name);
  h5::write_attribute(component.id(), "value", value);
  h5::write_attribute(component.id(), "shape", std::vector<std::uint64_t>{count});
  write_component(component.id());
}

std::array<hsize_t, 3> Mesh::extents() const {
  const Vec3i n = cells.upper - cells.lower;
  return {static_cast<hsize_t>(n.z()), static_cast<hsize_t>(n.y()), static_cast<hsize_t>(n.x())};
}

void write_mesh_record(hid_t record, const Mesh& mesh, const UnitPowers& unit) {
  using h5::write_attribute;
  write_record(record, unit);
  write_attribute(record, "geometry", "cartesian");
  write_attribute(record, "dataOrder", "C");
  write_attribute(record, "axisLabels", std::vector<std::string>{"z", "y", "x"});
  write_attribute(record, "gridSpacing", std::vector<double>(3, mesh.dx));
  write_attribute(record, "gridGlobalOffset", file_order(mesh.low_corner()));
  write_attribute(record, "gridUnitSI", 1.0);
}

void write_mesh_component(hid_t component, const Vec3& position) {
  write_component(component);
  h5::write_attribute(component, "position", file_order(position));
}

}  // namespace freshet::openpmd
