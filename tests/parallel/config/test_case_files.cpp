// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"
#include "freshet/core/error.hpp"
#include "freshet/geometry/rigid_motion.hpp"
#include "freshet/geometry/shape_maker.hpp"
#include "support/folder.hpp"
#include "support/meshes.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace freshet {
namespace {

using test::Folder;
using test::world;

Parameters parameters_of(const Folder& folder, const std::string& solid) {
  return parse_parameters(
      "[run]\nend_time = 1.0\n[domain]\ncells = [16, 16, 16]\ncell_size = 0.125\n[[liquid]]\nshape = \"box\"\n"
      "lower = [0, 0, 0]\nupper = [1, 1, 1]\n[[solid]]\n" +
          solid,
      folder.path("case.toml"));
}

ShapeMaker maker_of(const Parameters& parameters) {
  return {world(), parameters.source_file, shape_lattice(parameters.domain)};
}

/// What f throws, on every rank the same; "" if nothing.
template <class Function>
std::string error_of(Function&& f) {
  std::string message;
  try {
    f();
  } catch (const InputError& error) {
    message = error.what();
  }
  EXPECT_EQ(world().broadcast(message), message);
  return message;
}

TEST(CaseFiles, all_ranks_get_the_mesh_that_rank_0_reads) {
  const Folder folder("meshes");
  folder.write("ball.obj", test::obj_text(test::icosphere(3)));
  const Parameters parameters =
      parameters_of(folder,
                    "shape = \"difference\"\nscale = 0.5\ntranslate = [1, 1, 1]\nparts = [{ shape = \"mesh\", file = "
                    "\"ball.obj\" }, { shape = \"box\", lower = [-2, 0.5, -2], upper = [2, 2, 2] }]\n");
  ShapeMaker make = maker_of(parameters);
  const auto shape = make(parameters.solids.at(0).shape);
  EXPECT_NEAR(shape->signed_distance({1.0, 1.0, 1.0}), -0.25, 1e-9);   // the cut is half as high
  EXPECT_NEAR(shape->signed_distance({1.0, 0.25, 1.0}), 0.25, 0.005);  // the sagitta of 1280 triangles, h^2 / 8
  EXPECT_GT(shape->signed_distance({1.0, 1.4, 1.0}), 0.0);
  ASSERT_EQ(make.remarks().size(), 1U);
  EXPECT_EQ(make.remarks()[0], folder.path("ball.obj") + ": 1280 triangles");
  EXPECT_EQ(make(parameters.solids.at(0).shape)->signed_distance({1, 1, 1}), shape->signed_distance({1, 1, 1}));
  EXPECT_EQ(make.remarks().size(), 1U);  // read once
}

TEST(CaseFiles, repairs_are_told) {
  const Folder folder("meshes");
  TriangleMesh cube = test::box_mesh({0, 0, 0}, {1, 1, 1});
  cube.triangles.pop_back();
  cube.triangles.push_back({0, 0, 1});
  folder.write("cube.obj", test::obj_text(cube));
  const Parameters parameters = parameters_of(folder, "shape = \"mesh\"\nfile = \"cube.obj\"\n");
  ShapeMaker make = maker_of(parameters);
  make(parameters.solids.at(0).shape);
  EXPECT_EQ(make.remarks().at(0), folder.path("cube.obj") +
                                      ": 14 triangles; 1 without area were left out; 1 holes of 3 edges in all were "
                                      "closed");
  ASSERT_EQ(make.warnings().size(), 1U);  // the hole is as wide as the cube
  EXPECT_EQ(make.warnings()[0].rfind(folder.path("cube.obj") + ": 1 hole was closed, the widest", 0), 0U);
}

TEST(CaseFiles, cracks_are_told_and_lids_that_are_large_are_warned_of) {
  const Folder folder("meshes");
  TriangleMesh cube = test::box_mesh({0, 0, 0}, {1, 1, 1});
  cube.points.emplace_back(1e-5, 0, 0);
  cube.triangles[0][0] = 8;
  folder.write("cracked.obj", test::obj_text(cube));
  TriangleMesh half = test::box_mesh({0, 0, 0}, {1, 1, 1});
  half.triangles.resize(6);  // three faces of six: the other three are to be guessed
  folder.write("half.obj", test::obj_text(half));
  const Parameters parameters =
      parameters_of(folder,
                    "shape = \"union\"\nparts = [{ shape = \"mesh\", file = \"cracked.obj\" }, "
                    "{ shape = \"mesh\", file = \"half.obj\" }]\n");
  ShapeMaker make = maker_of(parameters);
  make(parameters.solids.at(0).shape);
  EXPECT_EQ(make.remarks().at(0),
            folder.path("cracked.obj") + ": 12 triangles; 1 points beside cracks were joined to others");
  ASSERT_EQ(make.warnings().size(), 1U);
  EXPECT_EQ(
      make.warnings()[0].rfind(folder.path("half.obj") + ": 1 hole was closed, the widest of them 1.41 m wide", 0), 0u)
      << make.warnings()[0];
}

TEST(CaseFiles, errors_are_the_same_on_all_ranks) {
  const Folder folder("meshes");
  folder.write("bad.obj", "v 0 0 0\nv 0 0 nan\n");
  const Parameters missing = parameters_of(folder, "shape = \"mesh\"\nfile = \"no.obj\"\n");
  const std::string absent = error_of([&] { maker_of(missing)(missing.solids.at(0).shape); });
  EXPECT_NE(absent.find(folder.path("case.toml") + ":12: cannot read the mesh"), std::string::npos) << absent;
  const Parameters bad = parameters_of(folder, "shape = \"mesh\"\nfile = \"bad.obj\"\n");
  const std::string broken = error_of([&] { maker_of(bad)(bad.solids.at(0).shape); });
  EXPECT_NE(broken.find(folder.path("bad.obj") + ":2: a coordinate"), std::string::npos) << broken;
}

TEST(CaseFiles, a_hash_tells_one_file_from_another) {
  const Folder folder("meshes");
  folder.write("cube.obj", test::obj_text(test::box_mesh({0, 0, 0}, {1, 1, 1})));
  Parameters first = parameters_of(folder, "shape = \"mesh\"\nfile = \"cube.obj\"\n");
  const std::uint64_t hash_without = first.input_hash;
  identify_files(world(), first);
  EXPECT_EQ(first.solids.at(0).shape.file_hash.size(), 16U);
  EXPECT_NE(first.input_hash, hash_without);
  // the resolved text holds it: the same file is taken, another one is not
  Parameters again = parse_parameters(resolved_toml(first), folder.path("case.toml"));
  EXPECT_EQ(again.input_hash, first.input_hash);
  EXPECT_EQ(error_of([&] { identify_files(world(), again); }), "");
  folder.write("cube.obj", test::obj_text(test::box_mesh({0, 0, 0}, {1, 1, 2})));
  EXPECT_NE(error_of([&] { identify_files(world(), again); }).find("is not the file that file_hash names"),
            std::string::npos);
  EXPECT_NE(error_of([&] { maker_of(again)(again.solids.at(0).shape); }).find("file_hash"), std::string::npos);
  // and a restart names the shape
  Parameters other = parameters_of(folder, "shape = \"mesh\"\nfile = \"cube.obj\"\n");
  identify_files(world(), other);
  const InputChanges changes = compare_inputs(resolved_toml(first), other);
  ASSERT_EQ(changes.refused.size(), 1U);
  EXPECT_EQ(changes.refused[0].find("solid.0.file_hash: "), 0U);
}

TEST(CaseFiles, hashes_tell_motions_and_files_of_particles_from_others_too) {
  const Folder folder("meshes");
  folder.write("roll.csv", "0 0 0 0\n1 1 0 0\n");
  folder.write("drops.csv", "1,1,1\n");
  const std::string head =
      "[run]\nend_time = 1.0\n[domain]\ncells = [16, 16, 16]\ncell_size = 0.125\n[frame]\nmotion_file = "
      "\"roll.csv\"\n[[liquid]]\nshape = \"particles\"\nfile = \"drops.csv\"\n[[solid]]\nshape = \"sphere\"\n"
      "center = [1, 1, 1]\nradius = 0.25\nmotion_file = \"roll.csv\"\n";
  Parameters first = parse_parameters(head, folder.path("case.toml"));
  identify_files(world(), first);
  EXPECT_EQ(first.solids.at(0).motion.file_hash.size(), 16U);
  EXPECT_EQ(first.frame.file_hash, first.solids.at(0).motion.file_hash);
  Parameters again = parse_parameters(resolved_toml(first), folder.path("case.toml"));
  EXPECT_EQ(again.input_hash, first.input_hash);
  EXPECT_EQ(error_of([&] { identify_files(world(), again); }), "");
  folder.write("drops.csv", "1,1,2\n");
  folder.write("roll.csv", "0 0 0 0\n1 2 0 0\n");
  // a restart names what is another one
  Parameters other = parse_parameters(head, folder.path("case.toml"));
  identify_files(world(), other);
  EXPECT_NE(other.input_hash, first.input_hash);
  const InputChanges changes = compare_inputs(resolved_toml(first), other);
  ASSERT_EQ(changes.refused.size(), 3U);
  for (const char* name : {"frame.motion_file_hash: ", "liquid.0.file_hash: ", "solid.0.motion_file_hash: "})
    EXPECT_TRUE(std::any_of(changes.refused.begin(), changes.refused.end(), [&](const std::string& line) {
      return line.find(name) != std::string::npos;
    })) << name;
  // the resolved text takes no other files, wherever they are read
  EXPECT_NE(error_of([&] { identify_files(world(), again); }).find("the file of particles"), std::string::npos);
  EXPECT_NE(error_of([&] { make_motion(world(), again.frame, again.source_file, 3); }).find("motion_file_hash"),
            std::string::npos);
}

TEST(CaseFiles, files_that_are_not_there_are_named_with_the_line_of_the_case) {
  const Folder folder("meshes");
  Parameters parameters =
      parameters_of(folder, "shape = \"sphere\"\ncenter = [1, 1, 1]\nradius = 0.25\nmotion_file = \"no.csv\"\n");
  const std::string problem = error_of([&] { identify_files(world(), parameters); });
  EXPECT_NE(problem.find("case.toml:14: cannot read the table of a motion"), std::string::npos) << problem;
}

TEST(CaseFiles, links_that_lead_in_a_circle_are_called_so) {
  const Folder folder("meshes");
  if (world().is_root()) std::filesystem::create_symlink(folder.path("loop.obj"), folder.path("loop.obj"));
  world().barrier();
  Parameters parameters = parameters_of(folder, "shape = \"mesh\"\nfile = \"loop.obj\"\n");
  const std::string problem = error_of([&] { identify_files(world(), parameters); });
  EXPECT_NE(problem.find("Too many levels of symbolic links"), std::string::npos) << problem;
}

TEST(CaseFiles, in_two_dimensions_a_mesh_is_cut_by_the_middle_plane) {
  const Folder folder("meshes");
  folder.write("ball.obj", test::obj_text(test::icosphere(5)));
  const Parameters parameters = parse_parameters(
      "[run]\nend_time = 1.0\n[domain]\ndimension = 2\ncells = [64, 64]\ncell_size = 0.0625\norigin = [-2, -2, 0]\n"
      "[[liquid]]\nshape = \"mesh\"\nfile = \"ball.obj\"\ntranslate = [0, 0, 0.63125]\n",
      folder.path("case.toml"));
  ShapeMaker make = maker_of(parameters);
  const auto shape = make(parameters.liquids.at(0).shape);
  // the plane z = 0.03125 is 0.6 below the centre: a circle of radius 0.8
  for (const double angle : {0.0, 0.7, 2.0, 4.0}) {
    const Vec3 out(std::cos(angle), std::sin(angle), 0.0);
    EXPECT_LT(shape->signed_distance(0.79 * out), 0.0);
    EXPECT_GT(shape->signed_distance(0.81 * out), 0.0);
  }
}

}  // namespace
}  // namespace freshet
