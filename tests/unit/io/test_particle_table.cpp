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

ParticleChunk read(const std::string& text) {
  std::istringstream stream(text);
  ParticleTable table(stream, "file");
  ParticleChunk chunk;
  while (table.read(2, chunk)) {
  }
  return chunk;
}

std::string problem_of(const std::string& text) {
  try {
    read(text);
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

TEST(ParticleTable, tables_with_and_without_names_and_velocities) {
  expect_two(read("1,2,3\n-0.5,1e-3,4\n"), false);
  expect_two(read("# three columns\n\n1 2\t3\r\n-.5 0.001 +4"), false);
  expect_two(read("1;2;3;4;5;6\n-0.5;1e-3;4;7;8;9\n"), true);
  expect_two(read("id,z [m],y,x,vx,vy,vz\n0,3,2,1,0,0,0\n1,4,1e-3,-0.5,7,8,9\n"), true);
  expect_two(read("x, y, z\n1, 2, 3\n-0.5, 0.001, 4\n"), false);
  expect_two(read("1,2,3,water\n-0.5,1e-3,4\n"), false);
  expect_two(read("x,y,z,0,X\n1,2,3,9,8\n-0.5,1e-3,4,9,8\n"), false);  // other columns may have any names
  EXPECT_TRUE(read("").position.empty());
}

TEST(ParticleTable, capitals_and_a_byte_order_mark_do_no_harm) {
  const std::string mark = "\xef\xbb\xbf";
  expect_two(read("Z [m],X,Y\n3,1,2\n4,-0.5,1e-3\n"), false);
  expect_two(read(mark + "\"X\",Y,Z,Vx,VY,vz\n1,2,3,4,5,6\n-0.5,1e-3,4,7,8,9\n"), true);
  expect_two(read(mark + "1,2,3\r\n-0.5,1e-3,4\r\n"), false);
  EXPECT_TRUE(read(mark).position.empty());
  EXPECT_NE(problem_of("1,2,3\n" + mark + "1,2,3\n").find("file:2: "), std::string::npos);
}

TEST(ParticleTable, flaws_are_named_with_their_line) {
  EXPECT_NE(problem_of("1,2,3\n1,2\n").find("file:2: 2 entries where 3 are needed"), std::string::npos);
  EXPECT_NE(problem_of("1,2,3\n1,,3\n").find("file:2: '' is not a number"), std::string::npos);
  EXPECT_NE(problem_of("1,2,3\n1 2,3,4\n").find("file:2: '1 2' is not a number"), std::string::npos);
  EXPECT_NE(problem_of("1,2,3\n1,nan,3\n").find("file:2: 'nan' is not a finite number"), std::string::npos);
  EXPECT_NE(problem_of("1,2,1e200\n").find("file:1: a coordinate is beyond 1e100 m"), std::string::npos);
  EXPECT_NE(problem_of("1,2,3x\n").find("'3x' is not a number"), std::string::npos);
  EXPECT_NE(problem_of("a,b,c\n1,2,3\n").find("file:1: there is no column of the name 'x'"), std::string::npos);
  EXPECT_NE(problem_of("0,0,0,1e31,0,0\n").find("a velocity is beyond"), std::string::npos);
  EXPECT_NE(problem_of(std::string("1,2,3\0\n", 7)).find("NUL"), std::string::npos);
  EXPECT_NE(problem_of(std::string(70000, '1')).find("65536"), std::string::npos);
}

TEST(ParticleTable, one_character_separates_the_entries_of_a_table) {
  expect_two(read("x;y;z;what\n1;2;3;a,b\n-0.5;1e-3;4;1,5\n"), false);
  expect_two(read("x,y,z,what\n1,2,3,a;b\n-0.5,1e-3,4,c\n"), false);
  expect_two(read("x y z\n1, 2, 3\n-0.5, 0.001, 4\n"), false);
  expect_two(read("1,2,3\r-0.5,1e-3,4\r"), false);  // lines of old Macs
  for (const char* text : {"x;y;z\n1,5;2,5;3,5\n", "1;2;3\n1,5;2,5;3,5\n", "1 2 3\n1,5 2,5 3,5\n"})
    EXPECT_NE(problem_of(text).find("file:2: '1,5' has a decimal comma"), std::string::npos) << problem_of(text);
  EXPECT_NE(problem_of("1,5;2,5;3,5\n").find("file:1: commas and semicolons in one row"), std::string::npos);
  EXPECT_NE(problem_of("1,5\t2,5\t3,5\t4\n").find("commas separate entries here"), std::string::npos);
  EXPECT_NE(problem_of("1,2;3,4\n").find("commas and semicolons in one row"), std::string::npos);
}

TEST(ParticleTable, what_the_fuzzer_kept_is_read_or_refused) {
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
