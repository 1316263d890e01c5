// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "fuzz/particle_properties.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace freshet::test {
namespace {

ParticleChunk read(const std::string& text, ParticleFormat format) {
  std::istringstream stream(text);
  ParticleText file(stream, format, "file");
  ParticleChunk chunk;
  while (file.read(2, chunk)) {
  }
  return chunk;
}

std::string problem_of(const std::string& text, ParticleFormat format) {
  try {
    read(text, format);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void expect_two(const ParticleChunk& chunk, bool moving) {
  ASSERT_EQ(chunk.position.size(), 2u);
  ASSERT_EQ(chunk.velocity.size(), 2u);
  EXPECT_EQ(chunk.position[0], Vec3(1, 2, 3));
  EXPECT_EQ(chunk.position[1], Vec3(-0.5, 1e-3, 4));
  EXPECT_EQ(chunk.velocity[1], moving ? Vec3(7, 8, 9) : Vec3(0, 0, 0));
}

TEST(ParticleText, tables_with_and_without_names_and_velocities) {
  expect_two(read("1,2,3\n-0.5,1e-3,4\n", ParticleFormat::csv), false);
  expect_two(read("# three columns\n\n1 2\t3\r\n-.5 0.001 +4", ParticleFormat::csv), false);
  expect_two(read("1;2;3;4;5;6\n-0.5;1e-3;4;7;8;9\n", ParticleFormat::csv), true);
  expect_two(read("id,z [m],y,x,vx,vy,vz\n0,3,2,1,0,0,0\n1,4,1e-3,-0.5,7,8,9\n", ParticleFormat::csv), true);
  expect_two(read("x, y, z\n1, 2, 3\n-0.5, 0.001, 4\n", ParticleFormat::csv), false);
  EXPECT_TRUE(read("", ParticleFormat::csv).position.empty());
}

TEST(ParticleText, vertices_of_a_mesh) {
  expect_two(read("# mesh\no thing\nv 1 2 3\nvn 0 0 1\nv -0.5 0.001 4 1.0\nf 1 2 1\n", ParticleFormat::obj), false);
}

TEST(ParticleText, points_of_houdini_with_attributes) {
  expect_two(read("PGEOMETRY V5\nNPoints 2 NPrims 0\nNPointGroups 0 NPrimGroups 0\nNPointAttrib 3 NVertexAttrib 0 "
                  "NPrimAttrib 0 NAttrib 0\nPointAttrib\nlife 2 float 0 0\nname 1 index 2 a b\nv 3 vector 0 0 0\n"
                  "1 2 3 1 (0 1 0 4 5 6)\n-0.5 0.001 4 1 (0 1\t1  7 8 9)\nbeginExtra\nendExtra\n",
                  ParticleFormat::geo),
             true);
  expect_two(read("PGEOMETRY V5\nNPoints 2 NPrims 0\nNPointAttrib 0 NVertexAttrib 0\n1 2 3 1\n-0.5 0.001 4 1\n",
                  ParticleFormat::geo),
             false);
}

TEST(ParticleText, flaws_are_named_with_their_line) {
  const auto csv = [](const std::string& text) { return problem_of(text, ParticleFormat::csv); };
  EXPECT_NE(csv("1,2,3\n1,2\n").find("file:2: 2 entries"), std::string::npos);
  EXPECT_NE(csv("1,2,3\n1,,3\n").find("file:2: '-' is no number"), std::string::npos);
  EXPECT_NE(csv("1,2,3\n1,nan,3\n").find("file:2: 'nan' is no place"), std::string::npos);
  EXPECT_NE(csv("1,2,1e200\n").find("file:1: '1e200' is no place"), std::string::npos);
  EXPECT_NE(csv("1,2,3x\n").find("'3x' is no number"), std::string::npos);
  EXPECT_NE(csv("a,b,c\n1,2,3\n").find("file:1: no columns x, y and z"), std::string::npos);
  EXPECT_NE(csv("0,0,0,1e31,0,0\n").find("a velocity beyond"), std::string::npos);
  EXPECT_NE(csv(std::string("1,2,3\0\n", 7)).find("NUL"), std::string::npos);
  EXPECT_NE(csv(std::string(70000, '1')).find("65536"), std::string::npos);
  const auto geo = [](const std::string& text) { return problem_of(text, ParticleFormat::geo); };
  EXPECT_NE(geo("[\"fileversion\"").find("version 5"), std::string::npos);
  EXPECT_NE(geo("PGEOMETRY V5\nNPoints 3\nNPointAttrib 0\n0 0 0 1\n").find("2 points are missing"), std::string::npos);
  EXPECT_NE(geo("PGEOMETRY V5\nNPoints -3\nNPointAttrib 0\n").find("no count"), std::string::npos);
  EXPECT_NE(geo("PGEOMETRY V5\nNPoints 1\nNPointAttrib 9999\n").find("1024"), std::string::npos);
  EXPECT_NE(problem_of("v 1 2\n", ParticleFormat::obj).find("file:1: 3 entries"), std::string::npos);
}

TEST(ParticleText, what_the_fuzzer_kept_is_read_or_refused) {
  const auto folder = std::filesystem::path(FRESHET_SOURCE_DIR) / "tests" / "fuzz" / "corpus" / "particles";
  std::size_t n_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    EXPECT_NO_THROW(fuzz::check_particles({std::istreambuf_iterator<char>(stream), {}})) << entry.path();
    ++n_files;
  }
  EXPECT_GE(n_files, 5u);
}

}  // namespace
}  // namespace freshet::test
