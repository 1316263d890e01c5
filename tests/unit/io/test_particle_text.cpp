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

TEST(ParticleText, capitals_and_a_byte_order_mark_do_no_harm) {
  const std::string mark = "\xef\xbb\xbf";
  expect_two(read("Z [m],X,Y\n3,1,2\n4,-0.5,1e-3\n", ParticleFormat::csv), false);
  expect_two(read(mark + "\"X\",Y,Z,Vx,VY,vz\n1,2,3,4,5,6\n-0.5,1e-3,4,7,8,9\n", ParticleFormat::csv), true);
  expect_two(read(mark + "1,2,3\r\n-0.5,1e-3,4\r\n", ParticleFormat::csv), false);
  expect_two(read(mark + "v 1 2 3\nv -0.5 1e-3 4\n", ParticleFormat::obj), false);
  EXPECT_TRUE(read(mark, ParticleFormat::csv).position.empty());
  EXPECT_NE(problem_of("1,2,3\n" + mark + "1,2,3\n", ParticleFormat::csv).find("file:2: "), std::string::npos);
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

/// A JSON .geo of Houdini's, with what else stands in one.
std::string geo_json(const std::string& point_attributes, const std::string& n_points = "2") {
  return "[\n\"fileversion\",\"18.5.596\",\"hasindex\",false,\"pointcount\"," + n_points +
         ",\"vertexcount\",0,\n\"info\",{\"artist\":\"a\",\"bounds\":[0,1,[2]]},\n\"topology\",[\"pointref\",["
         "\"indices\",[]]],"
         "\n\"attributes\",[\"vertexattributes\",[[[\"name\",\"P\"],[\"size\",1]]],\"pointattributes\",[\n" +
         point_attributes + "\n]],\"primitives\",[]\n]\n";
}

/// One numeric attribute of three components.
std::string attribute(const std::string& name, const std::string& layout) {
  return "[[\"scope\",\"public\",\"type\",\"numeric\",\"name\",\"" + name +
         "\",\"options\",{\"type\":{\"type\":\"string\",\"value\":\"point\"}}],\n[\"size\",3,\"storage\",\"fpreal32\","
         "\"defaults\",[\"size\",1,\"values\",[0]],\"values\",[\"size\",3,\"storage\",\"fpreal32\",\n" +
         layout + "]]]";
}

const std::string two_tuples = attribute("P", "\"tuples\",[[1,2,3],\n[-0.5,1e-3,4]]");

TEST(ParticleText, points_of_houdini_in_json) {
  const auto points = [](const std::string& attributes) { return read(geo_json(attributes), ParticleFormat::geo); };
  expect_two(points(two_tuples), false);
  expect_two(points(attribute("v", "\"tuples\",[[4,5,6],[7,8,9]]") + "," + two_tuples), true);
  expect_two(points(attribute("P", "\"arrays\",[[1,-0.5],[2,1e-3],[3,4]]")), false);
  expect_two(points("[[\"type\",\"string\",\"name\",\"v\"],[\"strings\",[\"a\"],\"indices\",[]]]," + two_tuples),
             false);
  EXPECT_TRUE(read(geo_json(attribute("P", "\"tuples\",[]"), "0"), ParticleFormat::geo).position.empty());
}

TEST(ParticleText, pages_of_houdini_in_json) {
  const std::string v = attribute("v", "\"packing\",[3],\"pagesize\",1024,\"rawpagedata\",[4,5,6,7,8,9]");
  const std::string whole = attribute("P", "\"pagesize\",1024,\"rawpagedata\",[1,2,3,-0.5,1e-3,4]");
  expect_two(read(geo_json(v + "," + whole), ParticleFormat::geo), true);
  // pages of two points; packs of (x, y) and (z); z constant in the first page, x and y in the second
  const ParticleChunk split = read(
      geo_json(
          attribute("P",
                    "\"packing\",[2,1],\"pagesize\",2,\"constantpageflags\",[[false,true,false],[true,false,false]],"
                    "\"rawpagedata\",[1,2,3,4,9, 5,6,7,8, 10,11,12]"),
          "5"),
      ParticleFormat::geo);
  EXPECT_EQ(split.position, (std::vector<Vec3>{{1, 2, 9}, {3, 4, 9}, {5, 6, 7}, {5, 6, 8}, {10, 11, 12}}));
  // a constant velocity, and flags that say nothing
  const ParticleChunk moving = read(
      geo_json(attribute("v", "\"packing\",[3],\"pagesize\",2,\"constantpageflags\",[[true]],\"rawpagedata\",[7,8,9]") +
               "," +
               attribute("P",
                         "\"packing\",[3],\"pagesize\",2,\"constantpageflags\",[[]],"
                         "\"rawpagedata\",[1,2,3,-0.5,1e-3,4]")),
      ParticleFormat::geo);
  expect_two(moving, true);
}

TEST(ParticleText, flaws_of_json_are_named_with_their_line) {
  const auto text = [](const std::string& content) { return problem_of(content, ParticleFormat::geo); };
  const auto points = [&](const std::string& attributes, const std::string& n = "2") {
    return text(geo_json(attributes, n));
  };
  EXPECT_EQ(points(attribute("P", "\"tuples\",[[1,2,3],\n[4,5]]")),
            "file:9: a tuple of 2 numbers (P has 3). Correct the file");
  EXPECT_NE(points(attribute("P", "\"tuples\",[[1,2,3],\n[4,5,1e101]]")).find("file:9: 1e+101 in P"),
            std::string::npos);
  EXPECT_NE(points(attribute("v", "\"tuples\",[[1,2,1e31]]")).find("file:8: 1e+31 in v"), std::string::npos);
  EXPECT_NE(points(attribute("P", "\"tuples\",[[1,2,1e999]]")).find("file:8: no JSON: number overflow"),
            std::string::npos);
  EXPECT_NE(points(attribute("P", "\"tuples\",[[1,2,nan]]")).find("file:8: no JSON"), std::string::npos);
  EXPECT_NE(points(attribute("P", "\"tuples\",[[1,2,\"3\"]]")).find("file:8: a text out of place"), std::string::npos);
  EXPECT_NE(points(attribute("P", "\"tuples\",[[1,2,[3]]]")).find("a list among numbers"), std::string::npos);
  EXPECT_NE(points(attribute("P", "\"tuples\",[7]")).find("a number out of place"), std::string::npos);
  EXPECT_NE(points(attribute("P", "\"rawpagedata\",[1,2,3]")).find("no pagesize"), std::string::npos);
  EXPECT_NE(points(two_tuples + "," + two_tuples).find("P twice"), std::string::npos);
  EXPECT_NE(points("").find("no attribute P"), std::string::npos);
  EXPECT_NE(points(two_tuples, "3").find("6 numbers for 3 points of 3 components"), std::string::npos);
  EXPECT_NE(points(two_tuples, "1e300").find("file:2: 1e+300 is no count"), std::string::npos);
  EXPECT_NE(points(two_tuples, "-2").find("-2 is no count"), std::string::npos);
  EXPECT_NE(points(attribute("P", "\"arrays\",[[1,2],[3],[4,5,6]]")).find("arrays of different lengths"),
            std::string::npos);
  const auto pages = [&](const std::string& layout, const std::string& n) { return points(attribute("P", layout), n); };
  EXPECT_NE(pages("\"packing\",[2,2],\"pagesize\",4,\"rawpagedata\",[1]", "2").find("packing"), std::string::npos);
  EXPECT_NE(pages("\"pagesize\",4,\"rawpagedata\",[1,2,3]", "2").find("the pages end at point 0 of 2"),
            std::string::npos);
  EXPECT_NE(pages("\"pagesize\",4,\"rawpagedata\",[1,2,3,4]", "1").find("1 numbers too many"), std::string::npos);
  EXPECT_NE(pages("\"pagesize\",4,\"constantpageflags\",[[true,true]],\"rawpagedata\",[1,2,3]", "2").find("of 2 pages"),
            std::string::npos);
  // few numbers for very many points: refused before memory is taken for them
  const std::string most = "281474976710656";
  EXPECT_NE(pages("\"pagesize\"," + most + ",\"constantpageflags\",[[true]],\"rawpagedata\",[1,2,3]", most)
                .find("several points"),
            std::string::npos);
  EXPECT_NE(
      pages("\"packing\",[1,2],\"pagesize\"," + most + ",\"constantpageflags\",[[true],[]],\"rawpagedata\",[1,2,3]",
            most)
          .find("the pages end"),
      std::string::npos);
  EXPECT_NE(text("[1,2]").find("file:1: a number for a key"), std::string::npos);
  EXPECT_NE(text("[\"pointcount\",2").find("file:1: no JSON: unexpected end of input"), std::string::npos);
  EXPECT_NE(text("[\"pointcount\",2] 3").find("no JSON"), std::string::npos);
  EXPECT_NE(text("[\"a\"," + std::string(100000, '[')).find("256 deep"), std::string::npos);
  EXPECT_NE(text("\x7fNSJb").find("binary"), std::string::npos);
  EXPECT_NE(text("[]").find("no pointcount"), std::string::npos);
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
  EXPECT_NE(geo("PGEOMETRY V4\n").find("PGEOMETRY V5"), std::string::npos);
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
