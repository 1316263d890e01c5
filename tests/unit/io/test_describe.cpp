// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "support/snapshot_scene.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <fstream>

namespace freshet::test {
namespace {

std::string write_one(const std::string& directory) {
  const auto domain = domain_parameters(3, {16, 16, 16});
  const Scene scene(domain, 1.0, 20);
  OutputOptions options;
  options.fields = {"pressure"};
  options.particles = {"velocity", "id"};
  SnapshotWriter writer(world(), directory, options, InputRecord());
  return writer.write(scene.state(4));
}

std::string file_error(const std::string& path) {
  try {
    describe_file(path);
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST(DescribeFile, names_time_step_particles_and_records_with_types_and_units) {
  const SharedDirectory directory("describe");
  const std::string text = describe_file(write_one(directory.path()));
  for (const char* part :
       {"snapshot, whole", "t = 0.5 s", "step 28", "particles: ", "box: (", "particles/liquid/velocity/x", "float64",
        "[m s^-1]", "meshes/pressure", "16 x 16 x 16", "[m^-1 kg s^-2]"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
}

TEST(DescribeFile, missing_file_is_refused) {
  EXPECT_NE(file_error("/nonexistent/snap.h5").find("No such file"), std::string::npos);
  EXPECT_FALSE(file_error("/nonexistent/snap.h5").ends_with("..")) << "two full stops";
}

TEST(DescribeFile, pipe_and_folder_are_refused_at_once) {
  const SharedDirectory directory("pipe");
  const std::string pipe = directory.path() + "/pipe.h5";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(file_error(pipe).find("does not end with a seal"), std::string::npos);
  EXPECT_EQ(file_error(directory.path()).find(directory.path() + ": it is a directory"), 0u)
      << file_error(directory.path());
}

TEST(DescribeFile, text_file_is_refused) {
  const SharedDirectory directory("text");
  std::ofstream(directory.path() + "/a.h5") << "no HDF5";
  EXPECT_NE(file_error(directory.path() + "/a.h5").find("does not end with a seal"), std::string::npos);
}

TEST(DescribeFile, file_of_another_program_is_refused) {
  const SharedDirectory directory("foreign");
  const std::string path = directory.path() + "/a.h5";
  H5Fclose(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  EXPECT_NE(file_error(path).find("not written by freshet"), std::string::npos);
}

TEST(DescribeFile, truncated_file_is_refused) {
  const SharedDirectory directory("truncated");
  const std::string path = write_one(directory.path());
  const auto whole = std::filesystem::file_size(path);
  for (const auto left : {whole - 1, whole / 2, std::uintmax_t{512}, std::uintmax_t{100}, std::uintmax_t{0}}) {
    std::filesystem::resize_file(path, left);
    EXPECT_NE(file_error(path).find("cut short"), std::string::npos) << file_error(path);
  }
}

TEST(DescribeFile, a_turned_bit_anywhere_is_found) {
  const SharedDirectory directory("flipped");
  const std::string path = write_one(directory.path());
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
  for (int n = 0; n < 200; ++n) {
    const std::int64_t place = n < 100 ? bytes - 512 + n : n * 7919 % bytes;
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(place);
    const auto old = static_cast<char>(file.get());
    file.seekp(place);
    file.put(static_cast<char>(old ^ (1 << n % 8)));
    file.close();
    EXPECT_NE(file_error(path), "") << "bit " << n % 8 << " of byte " << place;
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(place).put(old);
  }
  EXPECT_EQ(file_error(path), "");
}

}  // namespace
}  // namespace freshet::test
