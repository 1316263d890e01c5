// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "support/snapshot_scene.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <fstream>

namespace freshet::test {
namespace {

std::string write_one(const std::string& directory) {
  const auto domain = domain_parameters(3, {16, 16, 16});
  const Scene scene(domain, 1.0, 20);
  Parameters parameters;
  parameters.domain = domain;
  parameters.liquids.resize(1);
  parameters.output.fields = {"pressure"};
  parameters.output.particles = {"velocity", "id"};
  SnapshotWriter writer(world(), directory, parameters);
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
       {"snapshot, complete", "t = 0.5 s", "step 28", "particles: ", "box: (", "particles/liquid/velocity/x", "float64",
        "[m s^-1]", "meshes/pressure", "16 x 16 x 16", "[m^-1 kg s^-2]"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
}

TEST(DescribeFile, missing_file_is_refused) {
  EXPECT_NE(file_error("/nonexistent/snap.h5").find("No such file"), std::string::npos);
}

TEST(DescribeFile, text_file_is_refused) {
  const SharedDirectory directory("text");
  std::ofstream(directory.path() + "/a.h5") << "no HDF5";
  EXPECT_NE(file_error(directory.path() + "/a.h5").find("no HDF5 file"), std::string::npos);
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
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_NE(file_error(path).find("truncated"), std::string::npos) << file_error(path);
}

TEST(DescribeFile, file_without_the_last_flag_is_called_incomplete) {
  const SharedDirectory directory("incomplete");
  const std::string path = write_one(directory.path());
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Adelete(file, "freshetComplete");
  H5Fclose(file);
  EXPECT_NE(describe_file(path).find("NOT COMPLETE"), std::string::npos);
}

}  // namespace
}  // namespace freshet::test
