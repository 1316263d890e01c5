// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/shape_maker.hpp"

#include "freshet/core/error.hpp"
#include "freshet/geometry/input_files.hpp"
#include "freshet/geometry/mesh_shape.hpp"
#include "freshet/geometry/sampled_shape.hpp"
#include "freshet/geometry/triangle_mesh.hpp"
#include "placement.hpp"

#include <fmt/format.h>

namespace freshet {
namespace {

std::string remark_on(const std::string& path, const TriangleMesh& mesh, const MeshRepairs& repairs) {
  std::string text = fmt::format("{}: {} triangles", path, mesh.triangles.size());
  if (repairs.without_area > 0) text += fmt::format("; {} without area were left out", repairs.without_area);
  if (repairs.stitched > 0) text += fmt::format("; {} points beside cracks were joined to others", repairs.stitched);
  if (repairs.holes > 0)
    text += fmt::format("; {} holes of {} edges in all were closed", repairs.holes, repairs.open_edges);
  return text;
}

/// A warning about large faces that close holes: they are a guess, and may enclose another volume than is meant. Empty
/// if there are none.
std::string warning_on(const std::string& path, const MeshRepairs& repairs) {
  constexpr double large = 0.25;  // of the mesh's own area; a lid on a half sphere has 0.5
  if (!(repairs.cap_area > large * repairs.own_area)) return "";
  return fmt::format(
      "{}: the faces that close its {} holes have {:.0f} % of its own area, so it may enclose another volume than is "
      "meant. Close the holes in the mesh",
      path, repairs.holes, 100.0 * repairs.cap_area / repairs.own_area);
}

}  // namespace

ShapeMaker::ShapeMaker(const Communicator& comm, const std::string& case_file, const SampleLattice& corners)
    : comm_(comm), case_file_(case_file), corners_(corners) {}

ShapeMaker::~ShapeMaker() = default;

const TriangleMesh& ShapeMaker::mesh_of(const ShapeParameters& parameters) {
  const std::string path = input_path(case_file_, parameters.file);
  const auto known = meshes_.find(path);
  if (known != meshes_.end()) return known->second;
  TriangleMesh mesh;
  std::string remark, warning;
  on_root(comm_, parameters.where, [&] {
    const std::string bytes = read_input_file(path, "mesh");
    check_hash(hash_of_bytes(bytes), parameters.file_hash, path, "mesh", "file_hash");
    mesh = parse_mesh(bytes, path);
    const MeshRepairs repairs = close_mesh(mesh, path);
    remark = remark_on(path, mesh, repairs);
    warning = warning_on(path, repairs);
  });
  comm_.broadcast(mesh.points);
  comm_.broadcast(mesh.triangles);
  remarks_.push_back(comm_.broadcast(remark));
  warning = comm_.broadcast(warning);
  if (!warning.empty()) warnings_.push_back(warning);
  return meshes_.emplace(path, std::move(mesh)).first->second;
}

std::shared_ptr<const Shape> ShapeMaker::operator()(const ShapeParameters& parameters) {
  ShapeSpace space;
  space.dimension = corners_.dimension;
  SampleLattice lattice = corners_;
  if (corners_.dimension == 2) lattice.origin.z() = space.plane = corners_.origin.z() + 0.5 * corners_.spacing;
  return build_shape(parameters, Placement(), space, [&](const ShapeParameters& p, const Placement& placement) {
    TriangleMesh placed = mesh_of(p);
    for (Vec3& x : placed.points) x = placement.point(x);
    return std::make_shared<SampledShape>(std::make_shared<MeshShape>(placed), lattice);
  });
}

}  // namespace freshet
