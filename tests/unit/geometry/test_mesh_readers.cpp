// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/geometry/mesh_shape.hpp"
#include "freshet/geometry/triangle_mesh.hpp"
#include "support/meshes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace freshet {
namespace {

/// Bytes of a number in an order.
template <class T>
std::string bytes_of(T value, std::endian order = std::endian::little) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  if (order != std::endian::native) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

std::string binary_stl(const TriangleMesh& mesh, std::string header) {
  header.resize(80, ' ');
  std::string bytes = header + bytes_of(static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const Triangle& t : mesh.triangles) {
    for (int i = 0; i < 3; ++i) bytes += bytes_of(0.0F);
    for (const std::int32_t corner : t)
      for (int axis = 0; axis < 3; ++axis)
        bytes += bytes_of(static_cast<float>(mesh.points[static_cast<std::size_t>(corner)][axis]));
    bytes += std::string(2, '\0');
  }
  return bytes;
}

std::string text_stl(const TriangleMesh& mesh) {
  std::string text = "solid  a name of  words\r\n";
  for (const Triangle& t : mesh.triangles) {
    text += "facet normal 0 0 1\n OUTER loop\n";
    for (const std::int32_t corner : t) {
      const Vec3& x = mesh.points[static_cast<std::size_t>(corner)];
      text += fmt::format("vertex {} {:e} +{}\n", x.x(), x.y(), x.z());
    }
    text += "endloop\nendfacet\n\n";
  }
  return text + "endsolid a name of words";
}

/// With properties and an element that do not matter, between those that do.
std::string ply(const TriangleMesh& mesh, const std::string& format) {
  std::string text = "ply\nformat " + format + " 1.0\ncomment x y z\nelement vertex " +
                     std::to_string(mesh.points.size()) +
                     "\nproperty double z\nproperty uchar red\nproperty double x\nproperty double y\n"
                     "element edge 1\nproperty list uchar short ends\nelement face " +
                     std::to_string(mesh.triangles.size()) +
                     "\nproperty list uchar int vertex_indices\nproperty float quality\nend_header\n";
  const std::endian order = format == "binary_big_endian" ? std::endian::big : std::endian::little;
  const auto put = [&](auto value) {
    if (format == "ascii") {
      text += fmt::format("{} ", +value);
    } else {
      text += bytes_of(value, order);
    }
  };
  for (const Vec3& x : mesh.points) {
    put(x.z());
    put(std::uint8_t{200});
    put(x.x());
    put(x.y());
  }
  put(std::uint8_t{2});
  put(std::int16_t{0});
  put(std::int16_t{1});
  for (const Triangle& t : mesh.triangles) {
    put(std::uint8_t{3});
    for (const std::int32_t corner : t) put(corner);
    put(0.5F);
  }
  return text;
}

void expect_same(TriangleMesh found, TriangleMesh expected) {
  close_mesh(found, "found");
  close_mesh(expected, "expected");
  ASSERT_EQ(found.triangles.size(), expected.triangles.size());
  for (std::size_t t = 0; t < found.triangles.size(); ++t)
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(found.points[static_cast<std::size_t>(found.triangles[t][i])],
                expected.points[static_cast<std::size_t>(expected.triangles[t][i])]);
}

TriangleMesh example() {
  return test::box_mesh({0, 0, 0}, {1, 2, 4.5});  // 32-bit numbers hold it exactly
}

TEST(MeshReaders, every_format_gives_the_same_mesh) {
  expect_same(parse_mesh(test::obj_text(example()), "a.obj"), example());
  expect_same(parse_mesh(binary_stl(example(), "made by hand"), "a.stl"), example());
  expect_same(parse_mesh(text_stl(example()), "A.STL"), example());
  for (const char* format : {"ascii", "binary_little_endian", "binary_big_endian"})
    expect_same(parse_mesh(ply(example(), format), "a.ply"), example());
}

TEST(MeshReaders, a_binary_stl_may_begin_with_solid) {
  expect_same(parse_mesh(binary_stl(example(), "solid part"), "a.stl"), example());
  expect_same(parse_mesh(binary_stl(example(), std::string("solid\0part", 10)) + "more", "a.stl"), example());
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

TEST(MeshReaders, a_text_stl_may_part_its_ends) {
  const std::string parted = replaced(replaced(text_stl(example()), "endloop", "end loop"), "endfacet", "END facet");
  expect_same(parse_mesh(replaced(parted, "endsolid", "end solid"), "a.stl"), example());
}

TEST(MeshReaders, byte_order_marks_and_line_ends_of_any_system_do_no_harm) {
  const std::string mark = "\xef\xbb\xbf";
  const std::string stl = replaced(text_stl(example()), "\r\n", "\n");
  for (const auto& [text, name] : {std::pair(test::obj_text(example()), "a.obj"), std::pair(stl, "a.stl"),
                                   std::pair(ply(example(), "ascii"), "a.ply")})
    for (const char* end : {"\n", "\r", "\r\n"}) {
      expect_same(parse_mesh(mark + replaced(text, "\n", end), name), example());
      expect_same(parse_mesh(replaced(text, "\n", end), name), example());
    }
  expect_same(parse_mesh(binary_stl(example(), mark + "made by hand"), "a.stl"), example());
}

TEST(MeshReaders, numbers_behind_a_head_with_carriage_returns_may_begin_with_a_line_feed) {
  TriangleMesh mesh = example();
  mesh.points[0].z() = std::bit_cast<double>(std::uint64_t{0x000000000000000a});  // the first byte is a line feed
  const std::string bytes = ply(mesh, "binary_little_endian");
  const std::size_t head = bytes.find("end_header\n") + 11;
  expect_same(parse_mesh(replaced(bytes.substr(0, head), "\n", "\r") + bytes.substr(head), "a.ply"), mesh);
}

TEST(MeshReaders, corners_of_an_obj_have_several_forms) {
  const std::string points = "v 0 0 0\nv 1 0 0 1.0\nv 0 1 0 # the third\nv 0 0 1\nvt 0 0\nvn 0 0 1\n";
  const auto triangles = [&](const std::string& faces) { return parse_mesh(points + faces, "a.obj").triangles; };
  const std::vector<Triangle> expected = {{0, 2, 1}, {0, 1, 3}};
  EXPECT_EQ(triangles("f 1 3 2\nf 1 2 4\n"), expected);
  EXPECT_EQ(triangles("f 1/1 3/1 2/1\nf 1//1 2//1 4//1\n"), expected);
  EXPECT_EQ(triangles("o x\ng y\nusemtl z\nf 1/1/1 3/1/1 2/1/1 # comment\r\ns off\nf -4 -3 -1\n"), expected);
  EXPECT_EQ(triangles("f 1 \\\n3 2\nf 1 2 4"), expected);
  EXPECT_EQ(parse_mesh("f 1 3 2\nf 1 2 4\n" + points, "a.obj").triangles, expected);  // points may come later
}

TEST(MeshReaders, polygons_are_cut_into_triangles_inside_of_them) {
  // an L, whose inward corner a fan from the first corner would cross
  const std::string text = "v 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 0\nf 1 2 3 4 5 6\n";
  const TriangleMesh mesh = parse_mesh(text, "a.obj");
  ASSERT_EQ(mesh.triangles.size(), 4u);
  double area = 0.0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3& a = mesh.points[static_cast<std::size_t>(t[0])];
    const Vec3 b = mesh.points[static_cast<std::size_t>(t[1])] - a;
    const Vec3 c = mesh.points[static_cast<std::size_t>(t[2])] - a;
    const double its = (b.x() * c.y() - b.y() * c.x()) / 2.0;
    EXPECT_GT(its, 0.0);  // none turned over
    area += its;
  }
  EXPECT_DOUBLE_EQ(area, 3.0);
}

TEST(MeshReaders, polygons_that_cannot_be_cut_well_are_cut_anyhow) {
  EXPECT_EQ(parse_mesh("v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 4\n", "a.obj").triangles.size(), 2u);
  std::string ring;
  std::string face = "f";
  for (int i = 1; i <= 400; ++i) {
    ring += fmt::format("v {} {} 0\n", std::cos(0.0157 * i), std::sin(0.0157 * i));
    face += fmt::format(" {}", i);
  }
  EXPECT_EQ(parse_mesh(ring + face, "a.obj").triangles.size(), 398u);
}

TEST(MeshReaders, a_negative_zero_is_a_zero) {
  TriangleMesh mesh =
      parse_mesh("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv -0 -0 0\nf 1 3 2\nf 5 2 4\nf 1 4 3\nf 2 3 4\n", "a.obj");
  EXPECT_EQ(close_mesh(mesh, "a.obj").holes, 0);
}

std::string error_of(const std::string& bytes, const std::string& name) {
  try {
    TriangleMesh mesh = parse_mesh(bytes, name);
    close_mesh(mesh, name);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(MeshReaders, what_is_wrong_is_named_with_its_place) {
  const std::string two = "v 0 0 0\nv 1 0 0\n";
  const std::string stl = binary_stl(example(), "x");
  const std::string head =
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
  const std::string little =
      "ply\nformat binary_little_endian 1.0\nelement vertex 1000000000000\nproperty float x\n"
      "property float y\nproperty float z\nend_header\n";
  std::string with_nan = stl;
  with_nan.replace(84 + 12, 4, bytes_of(std::numeric_limits<float>::quiet_NaN()));
  std::string lying = stl;
  lying.replace(80, 4, bytes_of(std::uint32_t{0xffffffff}));
  const struct {
    std::string bytes, name, expected;
  } table[] = {
      {"", "a.obj", "a.obj: the mesh holds no triangle"},
      {"", "a.stl", "a.stl:byte 0: the file ends within its header"},
      {"", "a.ply", "does not begin with 'ply'"},
      {"", "a.fbx", "a.fbx: unknown kind of mesh"},
      {"", "obj", "unknown kind of mesh"},
      {two + "v 1 x 0\n", "a.obj", "a.obj:3: 'x' is not a number"},
      {two + "v 1 2\n", "a.obj", "a.obj:3: a number is missing at the end of the line"},
      {two + "v 1 nan 0\n", "a.obj", "a.obj:3: a coordinate is not a finite number"},
      {two + "v 1 1e400 0\n", "a.obj", "a.obj:3: a coordinate is not a finite number"},
      {two + "v 1 -2e30 0\n", "a.obj", "a.obj:3: a coordinate is -2e+30"},
      {two + "v 0 1 0\n\nf 1 2 4\n", "a.obj", "a.obj:5: a face has point 3, counted from 0 (the mesh has 3 points)"},
      {two + "f 1 2 99999999999\n", "a.obj", "a.obj:3: a face has point 99999999998"},
      {two + "f 1 2 99999999999999999999\n", "a.obj", "is not an integer"},
      {two + "f 0 1 2\n", "a.obj", "a.obj:3: a face has point 0"},
      {two + "f 1 2 -3\n", "a.obj", "a.obj:3: a face has point -3"},
      {two + "f 1 2\n", "a.obj", "a.obj:3: a face has 2 corners"},
      {two + "f 1 2 \x1b[2J\n", "a.obj", "'?[2J' is not an integer"},
      {two + "f 1 2 2\n", "a.obj", "no triangle with an area"},
      {stl.substr(0, 500), "a.stl", "a.stl:byte 80: 12 triangles (the file has room for 8)"},
      {lying, "a.stl", "a.stl:byte 80: 4294967295 triangles"},
      {with_nan, "a.stl", "a.stl:byte 96: a coordinate is not a finite number"},
      {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3\nvertex 1 2\n", "a.stl",
       "a.stl:5: a number is missing at the end"},
      {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3\nendloop\n", "a.stl",
       "a.stl:5: 'endloop' within a facet"},
      {"solid x\nfacet normal 0 0 1\n", "a.stl", "a.stl:2: the file ends within a facet"},
      {"solid x\ntriangle\n", "a.stl", "a.stl:2: 'triangle' where a facet belongs"},
      {"ply\nformat ascii 1.0\n", "a.ply", "a.ply:2: the file ends within its header"},
      {"ply\nend_header\n", "a.ply", "a.ply:2: the line 'format' is missing"},
      {"ply\nformat utf8 1.0\n", "a.ply", "a.ply:2: 'utf8' is not a format"},
      {"ply\nproperty int x\n", "a.ply", "a.ply:2: a property before the first element"},
      {"ply\nelement vertex -3\n", "a.ply", "a.ply:2: -3 elements"},
      {"ply\nelement vertex 3\nproperty half x\n", "a.ply", "a.ply:3: 'half' is not a type"},
      {"ply\nelement face 3\nproperty list float int x\n", "a.ply", "a.ply:3: the length of a list is not an integer"},
      {"ply\nwater\n", "a.ply", "a.ply:2: unknown word 'water'"},
      {head + "end_header\n1 2", "a.ply", "a.ply:8: a number is missing at the end of the line"},
      {head + "element face 1\nproperty list uchar int vertex_indices\nend_header\n1 2 3\n3 0 0 1\n", "a.ply",
       "a.ply:11: a face has point 1"},
      {head + "element face 1\nproperty list int int vertex_indices\nend_header\n1 2 3\n-3\n", "a.ply",
       "a.ply:11: a list of -3 entries"},
      {head + "element face 1\nproperty list int int corners\nend_header\n1 2 3\n", "a.ply", "lack a list of integers"},
      {head + "element face 1\nproperty list int float vertex_index\nend_header\n1 2 3\n", "a.ply",
       "lack a list of integers"},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty list int int y\nproperty float "
       "z\nend_header\n",
       "a.ply", "lack a property x, y or z"},
      {little, "a.ply", "1000000000000 elements 'vertex'"},
      {ply(example(), "binary_big_endian").substr(0, 400), "a.ply", "the file ends where numbers belong"},
  };
  for (const auto& row : table) {
    const std::string message = error_of(row.bytes, row.name);
    EXPECT_NE(message.find(row.expected), std::string::npos) << message << "\n  expected: " << row.expected;
    EXPECT_EQ(message.find('\x1b'), std::string::npos);
  }
}

TEST(MeshReaders, any_part_of_a_file_is_a_mesh_or_an_error) {
  for (const auto& [bytes, name] :
       {std::pair(test::obj_text(example()), "a.obj"), std::pair(binary_stl(example(), "solid"), "a.stl"),
        std::pair(text_stl(example()), "a.stl"), std::pair(ply(example(), "ascii"), "a.ply"),
        std::pair(ply(example(), "binary_little_endian"), "a.ply")})
    for (std::size_t size = 0; size < bytes.size(); ++size) error_of(bytes.substr(0, size), name);
}

TEST(MeshReaders, the_meshes_of_the_inputs_are_whole) {
  namespace fs = std::filesystem;
  std::int64_t bytes = 0;
  for (const char* name : {"cube.stl", "gear.obj", "torus_knot.ply", "figure.stl", "hull.obj"}) {
    const fs::path path = fs::path(FRESHET_SOURCE_DIR) / "inputs" / "meshes" / name;
    std::ifstream stream(path, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(stream), {}};
    bytes += static_cast<std::int64_t>(content.size());
    TriangleMesh mesh = parse_mesh(content, name);
    const MeshRepairs repairs = close_mesh(mesh, name);
    EXPECT_EQ(repairs.holes, 0) << name;
    EXPECT_EQ(repairs.without_area, 0) << name;
  }
  EXPECT_LT(bytes, 2'000'000);
}

}  // namespace
}  // namespace freshet
