// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/formats/point_file.hpp"
#include "freshet/formats/vdb_file.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace freshet {
namespace {

using test::world;

PointCloud some_points(std::int64_t n, std::int64_t first_id = 7) {
  PointCloud cloud;
  cloud.radius = 0.01F;
  cloud.time = 0.5;
  cloud.attributes = {{"velocity", 3, false, {}, {}},
                      {"id", 1, true, {}, {}},
                      {"color", 3, false, {}, {}},
                      {"stress", 2, false, {}, {}}};
  for (std::int64_t p = 0; p < n; ++p) {
    const auto x = static_cast<float>(p);
    for (const float shift : {0.1F, -3.0F, 1e-7F}) cloud.positions.push_back(0.37F * x + shift);
    for (const float factor : {1.0F, -2.5F, 1e-12F}) cloud.attributes[0].reals.push_back(factor * x);
    cloud.attributes[1].integers.push_back(first_id + p);
    for (const float share : {0.2F, 0.4F, 0.8F}) cloud.attributes[2].reals.push_back(share);
    for (const float factor : {3.0F, 4.0F}) cloud.attributes[3].reals.push_back(factor * x);
  }
  return cloud;
}

const PointAttribute* find(const PointCloud& cloud, const std::string& name) {
  for (const PointAttribute& attribute : cloud.attributes)
    if (attribute.name == name) return &attribute;
  return nullptr;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(PointFile, what_is_written_is_read_back_to_the_same_bits) {
  const test::Folder folder("points_back");
  constexpr std::int64_t n = 40000;  // more than a piece
  const PointCloud cloud = some_points(n);
  int n_formats = 0;
  for (const PointFormat& format : point_formats()) {
    if (format.open == nullptr) continue;
    ++n_formats;
    const std::string path = folder.path(std::string("points.") + format.ending);
    EXPECT_TRUE(write_points(cloud, format, path).empty());
    const auto reader = format.open(path);
    std::int64_t done = 0;
    for (PointCloud piece; reader->read(12345, piece), piece.size() > 0; done += piece.size()) {
      const PointAttribute *velocity = find(piece, "velocity"), *id = find(piece, "id"), *color = find(piece, "color");
      ASSERT_TRUE(velocity != nullptr && id != nullptr && color != nullptr) << format.ending;
      for (std::int64_t p = 0; p < piece.size(); ++p)
        for (int d = 0; d < 3; ++d) {
          ASSERT_EQ(piece.positions[3 * p + d], cloud.positions[3 * (p + done) + d]) << format.ending;
          ASSERT_EQ(velocity->reals[3 * p + d], cloud.attributes[0].reals[3 * (p + done) + d]) << format.ending;
          ASSERT_EQ(color->reals[3 * p + d], cloud.attributes[2].reals[3 * (p + done) + d]) << format.ending;
          const double number = id->integer ? static_cast<double>(id->integers[p]) : double{id->reals[p]};
          ASSERT_EQ(number, static_cast<double>(7 + p + done)) << format.ending;
        }
    }
    EXPECT_EQ(done, n) << format.ending;
  }
  EXPECT_EQ(n_formats, 5);
}

TEST(PointFile, compressed_files_are_read_like_others) {
  const test::Folder folder("points_packed");
  constexpr std::int64_t n = 30000;  // more than a piece of a packed file
  const PointCloud cloud = some_points(n);
  for (const PointFormat& format : point_formats()) {
    if (format.open == nullptr) continue;
    const std::string path = folder.path(std::string("points.") + format.ending);
    write_points(cloud, format, path);
    ASSERT_EQ(std::system(("gzip -f " + path).c_str()), 0);
    std::int64_t done = 0;
    const auto reader = format.open(path + ".gz");
    for (PointCloud piece; reader->read(12345, piece), piece.size() > 0; done += piece.size())
      for (std::int64_t i = 0; i < 3 * piece.size(); ++i)
        ASSERT_EQ(piece.positions[i], cloud.positions[i + 3 * done]) << format.ending;
    EXPECT_EQ(done, n) << format.ending;
    const std::string whole = bytes_of(path + ".gz");
    std::ofstream(path, std::ios::binary) << whole.substr(0, whole.size() / 2);  // the name need not say it
    try {
      const auto cut = format.open(path);
      for (PointCloud piece; cut->read(12345, piece), piece.size() > 0;) {
      }
      FAIL() << format.ending;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("compressed bytes end too early"), std::string::npos) << error.what();
    }
  }
}

TEST(PointFile, two_points_as_classic_geometry_by_hand) {
  const test::Folder folder("points_geo");
  PointCloud cloud;
  cloud.positions = {0.5F, 1.0F, 1.5F, -2.0F, 0.25F, 1e-6F};
  cloud.attributes = {{"velocity", 3, false, {1.0F, 0.0F, -1.0F, 0.0F, 2.0F, 0.0F}, {}}, {"tag", 1, true, {}, {3, 4}}};
  write_points(cloud, find_point_format("geo"), folder.path("two.geo"));
  EXPECT_EQ(bytes_of(folder.path("two.geo")),
            "PGEOMETRY V5\nNPoints 2 NPrims 0\nNPointGroups 0 NPrimGroups 0\n"
            "NPointAttrib 2 NVertexAttrib 0 NPrimAttrib 0 NAttrib 0\nPointAttrib\nv 3 vector 0 0 0\ntag 1 int 0\n"
            "0.5 1 1.5 1 (1 0 -1\t3)\n-2 0.25 1e-06 1 (0 2 0\t4)\nbeginExtra\nendExtra\n");
  write_points(cloud, find_point_format("bgeo"), folder.path("two.bgeo"));
  const std::string binary = bytes_of(folder.path("two.bgeo"));
  const std::string head(
      "BgeoV\0\0\0\5\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\1v\0\3\0\0\0\5", 50);
  EXPECT_EQ(binary.substr(0, 50), head);
  EXPECT_EQ(binary.size(), 41u + (3 + 6 + 12) + (5 + 6 + 4) + 2 * (16 + 12 + 4) + 2);
}

TEST(PointFile, sizes_of_mayas_structures_by_hand) {
  const test::Folder folder("points_pdb");
  PointCloud cloud;
  cloud.positions = {0.5F, 1.0F, 1.5F};
  write_points(cloud, find_point_format("pdb"), folder.path("one.pdb"));
  // header 60, then 6 + 36 bytes, "position" and its end, 20 bytes, three numbers
  EXPECT_EQ(bytes_of(folder.path("one.pdb")).size(), 60u + 6 + 36 + 9 + 20 + 12);
  write_points(cloud, find_point_format("ptc"), folder.path("one.ptc"));
  EXPECT_EQ(bytes_of(folder.path("one.ptc")).size(), 4u + 4 + 8 + 24 + 64 + 64 + 12 + 8 + 20);
}

TEST(PointFile, integers_beyond_a_format_are_left_out_and_named) {
  const test::Folder folder("points_wide");
  const PointCloud cloud = some_points(10, std::int64_t{1} << 40);
  for (const PointFormat& format : point_formats()) {
    if (format.write == nullptr) continue;
    const bool narrow = format.largest_integer < (std::int64_t{1} << 40);
    const auto left_out = write_points(cloud, format, folder.path(std::string("wide.") + format.ending));
    EXPECT_EQ(left_out, narrow ? std::vector<std::string>{"id"} : std::vector<std::string>{}) << format.ending;
  }
}

TEST(PointFile, no_points_are_points_too) {
  const test::Folder folder("points_none");
  for (const PointFormat& format : point_formats()) {
    if (format.write == nullptr) continue;
    const std::string path = folder.path(std::string("none.") + format.ending);
    write_points(some_points(0), format, path);
    EXPECT_TRUE(std::filesystem::exists(path));
    if (format.open == nullptr) continue;
    PointCloud cloud;
    format.open(path)->read(10, cloud);
    EXPECT_EQ(cloud.size(), 0) << format.ending;
  }
}

TEST(PointFile, a_full_disk_leaves_no_file) {
  const test::Folder folder("points_full");
  for (const PointFormat& format : point_formats()) {
    if (format.write == nullptr) continue;
    const std::string path = folder.path(std::string("full.") + format.ending);
    std::filesystem::create_symlink("/dev/full", path + ".tmp");
    EXPECT_THROW(write_points(some_points(20000), format, path), FileError) << format.ending;
    EXPECT_TRUE(!std::filesystem::exists(path) && !std::filesystem::is_symlink(path + ".tmp")) << format.ending;
  }
}

TEST(PointFile, files_that_were_cut_or_changed_are_read_or_refused) {
  const test::Folder folder("points_damage");
  for (const PointFormat& format : point_formats()) {
    if (format.open == nullptr) continue;
    const std::string path = folder.path(std::string("x.") + format.ending);
    write_points(some_points(3), format, path);
    const std::string whole = bytes_of(path);
    int n_refused = 0;
    const auto try_to_read = [&](const std::string& bytes) {
      std::ofstream(path, std::ios::binary) << bytes;
      try {
        const auto reader = format.open(path);
        PointCloud cloud;
        do reader->read(1000, cloud);
        while (cloud.size() > 0);
      } catch (const InputError&) {
        ++n_refused;
      }
    };
    for (std::size_t length = 0; length < whole.size(); ++length) try_to_read(whole.substr(0, length));
    EXPECT_GT(n_refused, static_cast<int>(whole.size() / 2)) << format.ending;
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 0xC1);
      try_to_read(changed);
    }
  }
}

TEST(PointFile, formats_give_a_case_its_particles) {
  const test::Folder folder("points_case");
  for (const PointFormat& format : point_formats()) {
    if (format.open == nullptr && std::string(format.ending) != "csv") continue;
    const std::string path = folder.path(std::string("points.") + format.ending);
    const PointCloud cloud = some_points(70000);  // more than a chunk
    write_points(cloud, format, path);
    std::size_t n = 0;
    double sum = 0.0, wanted = 0.0;
    read_points(world(), path, "liquid", [&](const ParticleChunk& chunk) {
      EXPECT_EQ(static_cast<std::size_t>(chunk.first), n);
      n += chunk.position.size();
      for (std::size_t p = 0; p < chunk.position.size(); ++p)
        sum += double{static_cast<float>(chunk.position[p].x())} + double{static_cast<float>(chunk.velocity[p].y())};
    });
    for (std::size_t p = 0; p < 70000; ++p)
      wanted += double{cloud.positions[3 * p]} + double{cloud.attributes[0].reals[3 * p + 1]};
    EXPECT_EQ(n, 70000u) << format.ending;
    EXPECT_EQ(sum, wanted) << format.ending;
  }
  folder.write("nothing.pda", "ATTRIBUTES\n position\nTYPES\n V\nNUMBER_OF_PARTICLES: 0\nBEGIN DATA\n");
  EXPECT_THROW(read_points(world(), folder.path("nothing.pda"), "", [](const ParticleChunk&) {}), InputError);
  folder.write("nan.pda", "ATTRIBUTES\n position\nTYPES\n V\nNUMBER_OF_PARTICLES: 1\nBEGIN DATA\n1 nan 2\n");
  EXPECT_THROW(read_points(world(), folder.path("nan.pda"), "", [](const ParticleChunk&) {}), InputError);
  folder.write("fast.pda",
               "ATTRIBUTES\n position velocity\nTYPES\n V V\nNUMBER_OF_PARTICLES: 1\nBEGIN DATA\n1 1 2 0 inf 0\n");
  EXPECT_THROW(read_points(world(), folder.path("fast.pda"), "", [](const ParticleChunk&) {}), InputError);
  folder.write("x.xyz", "1 2 3\n");
  EXPECT_THROW(read_points(world(), folder.path("x.xyz"), "", [](const ParticleChunk&) {}), InputError);
}

TEST(PointFile, misspelt_formats_get_a_suggestion) {
  try {
    find_point_format("bgoe");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("Did you mean \"bgeo\"?"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace freshet
