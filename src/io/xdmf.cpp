// SPDX-License-Identifier: Apache-2.0
#include "xdmf.hpp"

#include "freshet/core/pipe.hpp"
#include "freshet/core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace freshet {
namespace {

// A grid of a snapshot begins and ends with these lines, which occur nowhere else in the file.
constexpr const char* grid_begin = "      <Grid ";
constexpr const char* liquid_begin = "      <Grid Name=\"liquid\"";
constexpr const char* grid_end = "      </Grid>";

/// NumberType and Precision of a dataset, as XDMF attributes.
std::string number_type(hid_t type) {
  const char* name = H5Tget_class(type) == H5T_FLOAT ? "Float" : H5Tget_sign(type) == H5T_SGN_NONE ? "UInt" : "Int";
  const std::size_t size = H5Tget_size(type);
  if (size == 1) return fmt::format(R"(NumberType="{}Char" Precision="1")", name[0] == 'U' ? "U" : "");
  return fmt::format(R"(NumberType="{}" Precision="{}")", name, size);
}

std::string data_item(const std::string& dimensions, hid_t type, const std::string& path) {
  return fmt::format(R"(<DataItem Format="HDF" Dimensions="{}" {}>{}</DataItem>)", dimensions, number_type(type), path);
}

/// Join components, each in a dataset of its own, to one array of vectors.
std::string join(const std::string& dimensions, const std::vector<std::string>& items) {
  std::string arguments;
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    arguments += fmt::format("{}${}", i == 0 ? "" : ", ", i);
    text += items[i];
  }
  return fmt::format(R"xml(<DataItem ItemType="Function" Function="JOIN({})" Dimensions="{} {}">{}</DataItem>)xml",
                     arguments, dimensions, items.size(), text);
}

std::string attribute(const std::string& name, const char* center, const std::string& dimensions,
                      const std::vector<std::string>& items) {
  return fmt::format("        <Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"{}\">{}</Attribute>\n", name,
                     items.size() == 1 ? "Scalar" : "Vector", center,
                     items.size() == 1 ? items[0] : join(dimensions, items));
}

std::string particle_grid(const std::string& file, const SnapshotState& state, const SnapshotPlan& plan) {
  const std::string n = std::to_string(plan.n_particles);
  std::string text = fmt::format(
      "{} GridType=\"Uniform\">\n        <Time Value=\"{}\"/>\n"
      "        <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"{}\"/>\n",
      liquid_begin, state.time, n);
  for (const ParticleRecord& record : plan.particles) {
    std::vector<std::string> items;
    for (const std::string& component : record.components) {
      items.push_back(data_item(n, h5_type(record.attribute->type),
                                fmt::format("{}:/data/{}/particles/liquid/{}", file, state.iteration, component)));
    }
    if (record.attribute->name == "position") {
      text += fmt::format("        <Geometry GeometryType=\"XYZ\">{}</Geometry>\n", join(n, items));
    } else {
      text += attribute(record.attribute->name, "Node", n, items);
    }
  }
  return text + "      </Grid>\n";
}

std::string mesh_grid(const std::string& file, const SnapshotState& state, const SnapshotPlan& plan) {
  const auto extents = plan.mesh.extents();
  const Vec3 corner = plan.mesh.low_corner();
  const std::string cells = fmt::format("{} {} {}", extents[0], extents[1], extents[2]);
  std::string text = fmt::format(
      "      <Grid Name=\"fields\" GridType=\"Uniform\">\n        <Time Value=\"{}\"/>\n"
      "        <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"{} {} {}\"/>\n"
      "        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">"
      "<DataItem Format=\"XML\" Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\">{} {} {}</DataItem>"
      "<DataItem Format=\"XML\" Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\">{} {} {}</DataItem></Geometry>\n",
      state.time, extents[0] + 1, extents[1] + 1, extents[2] + 1, corner.z(), corner.y(), corner.x(), plan.mesh.dx,
      plan.mesh.dx, plan.mesh.dx);
  for (const FieldRecord* field : plan.fields) {
    if (field->centring != Centring::cell) continue;
    std::vector<std::string> items;
    for (int d = 0; d < field->n_components; ++d) {
      items.push_back(
          data_item(cells, h5_type(field->type),
                    fmt::format("{}:/data/{}/meshes/{}", file, state.iteration, component_path(*field, d))));
    }
    text += attribute(field->name, "Cell", cells, items);
  }
  return text + "      </Grid>\n";
}

std::string collection(const std::string& name, const std::string& grids) {
  return fmt::format("    <Grid Name=\"{}\" GridType=\"Collection\" CollectionType=\"Temporal\">\n{}    </Grid>\n",
                     name, grids);
}

bool has_cell_fields(const SnapshotPlan& plan) {
  return std::any_of(plan.fields.begin(), plan.fields.end(),
                     [](const FieldRecord* field) { return field->centring == Centring::cell; });
}

/// Find a grid's iteration in the path of its first dataset; -1 if there is none.
std::int64_t iteration_of(const std::string& grid) {
  constexpr std::string_view before = ":/data/";
  const std::size_t at = grid.find(before);
  if (at == std::string::npos) return -1;
  const std::string_view path = std::string_view(grid).substr(at + before.size());
  return number_in<std::int64_t>(path.substr(0, path.find('/'))).value_or(-1);
}

}  // namespace

void XdmfSeries::add(const std::string& file, const SnapshotState& state, const SnapshotPlan& plan) {
  snapshots_.erase(snapshots_.lower_bound(state.iteration), snapshots_.end());
  Grids& grids = snapshots_[state.iteration];
  if (plan.n_particles > 0) grids.particles = particle_grid(file, state, plan);
  if (has_cell_fields(plan)) grids.meshes = mesh_grid(file, state, plan);
}

void XdmfSeries::add_earlier(const std::string& path, std::int64_t iteration) {
  if (is_pipe(path)) return;
  std::ifstream file(path);
  std::string grid;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(grid_begin)) grid.clear();
    grid += line + "\n";
    if (line != grid_end) continue;
    const std::int64_t number = iteration_of(grid);
    if (number < 0 || number >= iteration) continue;
    (grid.starts_with(liquid_begin) ? snapshots_[number].particles : snapshots_[number].meshes) += grid;
  }
}

std::string XdmfSeries::text() const {
  std::string particles, meshes;
  for (const auto& [number, grids] : snapshots_) {
    particles += grids.particles;
    meshes += grids.meshes;
  }
  return "<?xml version=\"1.0\" ?>\n<Xdmf Version=\"2.0\">\n  <Domain>\n" + collection("liquid", particles) +
         (meshes.empty() ? "" : collection("fields", meshes)) + "  </Domain>\n</Xdmf>\n";
}

}  // namespace freshet
