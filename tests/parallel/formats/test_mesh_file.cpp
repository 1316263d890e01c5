// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/formats/mesh_file.hpp"
#include "freshet/geometry/triangle_mesh.hpp"
#include "support/folder.hpp"
#include "support/surface_pieces.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace freshet {
namespace {

using test::sphere_in_pieces;
using test::world;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(MeshFile, bytes_do_not_depend_on_the_number_of_ranks) {
  const test::Folder folder("mesh_ranks");
  const Communicator alone(MPI_COMM_SELF);
  for (const int rings : {2, 100}) {
    const SurfaceMesh pieces = sphere_in_pieces(world(), rings);
    const SurfaceMesh whole = sphere_in_pieces(alone, rings);
    for (const MeshFormat& format : mesh_formats()) {
      if (format.write == nullptr) continue;
      const std::string path = folder.path(std::string("all.") + format.ending);
      const std::string reference = folder.path(std::string("one.") + format.ending);
      write_surface_mesh(pieces, path, world());
      if (world().is_root()) write_surface_mesh(whole, reference, alone);
      world().barrier();
      const std::string bytes = bytes_of(path);
      EXPECT_GT(bytes.size(), 100u) << format.ending;
      EXPECT_EQ(bytes, bytes_of(reference)) << format.ending << ", " << rings << " rings";
      EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
    }
  }
}

TEST(MeshFile, the_reader_of_solids_finds_the_sphere_again) {
  const test::Folder folder("mesh_back");
  const SurfaceMesh mesh = sphere_in_pieces(world(), 40);
  for (const std::string ending : {"obj", "ply", "stl"}) {
    write_surface_mesh(mesh, folder.path("sphere." + ending), world());
    TriangleMesh found = parse_mesh(bytes_of(folder.path("sphere." + ending)), "sphere." + ending);
    close_mesh(found, ending);
    double volume = 0.0;
    for (const auto& t : found.triangles)
      volume += found.points[t[0]].cross(found.points[t[1]]).dot(found.points[t[2]]) / 6.0;
    EXPECT_NEAR(volume, 0.5236, 0.003) << ending;  // a polyhedron of 3120 faces lies inside the ball
    EXPECT_EQ(std::int64_t(found.triangles.size()), mesh.n_triangles) << ending;
  }
}

TEST(MeshFile, a_surface_without_vertices_is_written) {
  const test::Folder folder("mesh_empty");
  SurfaceMesh nothing;
  nothing.attributes = {{"velocity", 3, false, {}}};
  for (const MeshFormat& format : mesh_formats()) {
    if (format.write == nullptr) continue;
    const std::string path = folder.path(std::string("nothing.") + format.ending);
    write_surface_mesh(nothing, path, world());
    EXPECT_TRUE(std::filesystem::exists(path)) << format.ending;
  }
}

TEST(MeshFile, a_full_disk_leaves_no_file) {
  const test::Folder folder("mesh_full");
  for (const MeshFormat& format : mesh_formats()) {
    if (format.write == nullptr) continue;
    const std::string path = folder.path(std::string("full.") + format.ending);
    if (world().is_root()) std::filesystem::create_symlink("/dev/full", path + ".tmp");
    world().barrier();
    EXPECT_THROW(write_surface_mesh(sphere_in_pieces(world(), 100), path, world()), FileError) << format.ending;
    world().barrier();  // rank 0 removes the file
    EXPECT_FALSE(std::filesystem::exists(path)) << format.ending;
    EXPECT_FALSE(std::filesystem::is_symlink(path + ".tmp")) << format.ending;
  }
}

TEST(MeshFile, a_missing_folder_and_an_unknown_ending_are_errors_on_all_ranks) {
  const test::Folder folder("mesh_errors");
  const SurfaceMesh mesh = sphere_in_pieces(world(), 4);
  EXPECT_THROW(write_surface_mesh(mesh, folder.path("missing/x.ply"), world()), FileError);
  try {
    write_surface_mesh(mesh, folder.path("x.plj"), world());
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("Did you mean \"ply\"?"), std::string::npos) << error.what();
  }
  SurfaceMesh huge;
  huge.n_vertices = std::int64_t{1} << 31;
  huge.n_triangles = std::int64_t{1} << 32;
  EXPECT_THROW(write_surface_mesh(huge, folder.path("x.ply"), world()), InputError);
  EXPECT_THROW(write_surface_mesh(huge, folder.path("x.stl"), world()), InputError);
  world().barrier();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));
}

}  // namespace
}  // namespace freshet
