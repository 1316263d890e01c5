// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/shape_maker.hpp"

#include "freshet/core/error.hpp"
#include "freshet/geometry/input_files.hpp"
#include "freshet/geometry/mesh_shape.hpp"
#include "freshet/geometry/sampled_shape.hpp"
#include "freshet/geometry/triangle_mesh.hpp"
#include "placement.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace freshet {
namespace {

std::string remark_on(const std::string& path, const TriangleMesh& mesh, const MeshRepairs& repairs) {
  std::string text = fmt::format("{}: {} triangles", path, mesh.triangles.size());
  if (repairs.without_area > 0) text += fmt::format("; {} without area were left out", repairs.without_area);
  if (repairs.stitched > 0) text += fmt::format("; {} points beside cracks were joined to others", repairs.stitched);
  if (repairs.turned > 0) text += fmt::format("; {} showed their other side and were turned", repairs.turned);
  if (repairs.holes > 0)
    text += fmt::format("; {} holes of {} edges in all were closed", repairs.holes, repairs.open_edges);
  return text;
}

/// A warning about closed holes that liquid could pass through, as the faces that close them are a guess; empty if
/// there are none. \param[in] scale  scale of the mesh in the case
std::string warning_on(const std::string& path, const MeshRepairs& repairs, double scale, double cell_size) {
  constexpr double large = 0.25;  // share of the mesh's own area: so many faces may enclose a wrong volume
  const double width = scale * repairs.widest_hole;
  if (width <= cell_size && !(repairs.cap_area > large * repairs.own_area)) return "";
  return fmt::format(
      "{}: {} {} closed, the widest of them {:.3g} m wide, by faces that have {:.0f} % of the mesh's own area: an open "
      "container becomes a block. Give its walls a thickness, with an inner and an outer surface, or close the holes "
      "in the mesh",
      path, repairs.holes, repairs.holes == 1 ? "hole was" : "holes were", width,
      100.0 * repairs.cap_area / repairs.own_area);
}

}  // namespace

/// A mesh that has been read and closed.
struct ShapeMaker::File {
  std::string path;
  TriangleMesh mesh;
  MeshRepairs repairs;
};

ShapeMaker::ShapeMaker(const Communicator& comm, const std::string& case_file, const SampleLattice& corners)
    : comm_(comm), case_file_(case_file), corners_(corners) {}

ShapeMaker::~ShapeMaker() = default;

const ShapeMaker::File& ShapeMaker::file_of(const ShapeParameters& parameters) {
  const std::string path = input_path(case_file_, parameters.file);
  const auto known = files_.find(path);
  if (known != files_.end()) return known->second;
  TriangleMesh mesh;
  std::string remark;
  std::vector<MeshRepairs> repairs(1);
  on_root(comm_, parameters.where, [&] {
    const std::string bytes = read_input_file(path, "mesh");
    check_hash(hash_of_bytes(bytes), parameters.file_hash, path, "mesh", "file_hash");
    mesh = parse_mesh(bytes, path);
    repairs.front() = close_mesh(mesh, path);
    remark = remark_on(path, mesh, repairs.front());
  });
  comm_.broadcast(mesh.points);
  comm_.broadcast(mesh.triangles);
  comm_.broadcast(repairs);
  remarks_.push_back(comm_.broadcast(remark));
  return files_.emplace(path, File{path, std::move(mesh), repairs.front()}).first->second;
}

std::shared_ptr<const Shape> ShapeMaker::operator()(const ShapeParameters& parameters) {
  ShapeSpace space;
  space.dimension = corners_.dimension;
  SampleLattice lattice = corners_;
  if (corners_.dimension == 2) lattice.origin.z() = space.plane = corners_.origin.z() + 0.5 * corners_.spacing;
  return build_shape(parameters, Placement(), space, [&](const ShapeParameters& p, const Placement& placement) {
    const File& file = file_of(p);
    const std::string warning = warning_on(file.path, file.repairs, placement.scale(), corners_.spacing);
    if (!warning.empty() && std::ranges::find(warnings_, warning) == warnings_.end()) warnings_.push_back(warning);
    TriangleMesh placed = file.mesh;
    for (Vec3& x : placed.points) x = placement.point(x);
    return std::make_shared<SampledShape>(std::make_shared<MeshShape>(placed), lattice);
  });
}

std::optional<VolumeMoments> ShapeMaker::moments(const ShapeParameters& parameters) {
  const SectionPlane plane{corners_.dimension, corners_.origin.z() + 0.5 * corners_.spacing};
  return volume_moments(parameters, plane,
                        [&](const ShapeParameters& p) -> const TriangleMesh& { return file_of(p).mesh; });
}

SurfaceFeatures ShapeMaker::features(const ShapeParameters& parameters) {
  const SectionPlane plane{corners_.dimension, corners_.origin.z() + 0.5 * corners_.spacing};
  const MeshSource mesh = [&](const ShapeParameters& p) -> const TriangleMesh& { return file_of(p).mesh; };
  return surface_features(parameters, plane, mesh, 0.5 * corners_.spacing);
}

}  // namespace freshet
