// SPDX-License-Identifier: Apache-2.0
#include "fuzz/mesh_properties.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

/// What the fuzzer of meshes found worth keeping, through the same checks, without a fuzzer.
namespace freshet {
namespace {

namespace fs = std::filesystem;

TEST(MeshCorpus, meshes_are_sound_or_refused) {
  std::size_t n_files = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(FRESHET_SOURCE_DIR) / "tests" / "fuzz" / "corpus" / "mesh")) {
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    ++n_files;
    EXPECT_NO_THROW(fuzz::check_mesh(bytes)) << entry.path();
  }
  EXPECT_GE(n_files, 10U);
}

TEST(MeshCorpus, a_property_that_does_not_hold_is_found) {
  TriangleMesh mesh;
  mesh.triangles = {{0, 1, 2}};
  EXPECT_THROW(fuzz::require_sound(mesh), fuzz::MeshFinding);
}

}  // namespace
}  // namespace freshet
