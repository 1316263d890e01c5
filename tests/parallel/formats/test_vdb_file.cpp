// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/formats/vdb_file.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace freshet {
namespace {

using test::world;

/// A ball of radius 1 m on a lattice of 0.1 m, whose blocks the ranks take in turn.
struct Ball {
  explicit Ball(const Communicator& comm) {
    lattice.dx = 0.1;
    lattice.band = 0.3F;
    int number = 0;
    for (int k = -2; k < 2; ++k)
      for (int j = -2; j < 2; ++j)
        for (int i = -2; i < 2; ++i)
          if (number++ % comm.size() == comm.rank()) add({8 * i, 8 * j, 8 * k});
    for (std::size_t b = 0; b < firsts.size(); ++b) blocks.push_back({firsts[b], values[b].data()});
  }

  void add(const Vec3i& first) {
    std::vector<float> phi(512);
    for (int c = 0; c < 512; ++c) {
      const Vec3i at = first + Vec3i{c % 8, c / 8 % 8, c / 64};
      phi[static_cast<std::size_t>(c)] =
          std::clamp(static_cast<float>(0.1 * at.cast<double>().norm() - 1.0), -0.3F, 0.3F);
    }
    firsts.push_back(first);
    values.push_back(std::move(phi));
  }

  LevelSetLattice lattice;
  std::vector<Vec3i> firsts;
  std::vector<std::vector<float>> values;
  std::vector<LevelSetBlock> blocks;
};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(VdbFile, a_level_set_has_the_same_length_on_any_number_of_ranks) {
  const test::Folder folder("vdb");
  const std::string path = folder.path("ball.vdb"), reference = folder.path("one.vdb");
  const Ball ball(world());
  if (openvdb_version().empty()) {
    EXPECT_THROW(write_level_set_vdb(ball.blocks, ball.lattice, path, world()), InputError);
    return;
  }
  write_level_set_vdb(ball.blocks, ball.lattice, path, world());
  const Communicator alone(MPI_COMM_SELF);
  if (world().is_root()) {
    const Ball whole(alone);
    write_level_set_vdb(whole.blocks, whole.lattice, reference, alone);
    EXPECT_GT(bytes_of(path).size(), 10000u);
    EXPECT_EQ(bytes_of(path).size(), bytes_of(reference).size());  // each file has a number of its own in its head
    EXPECT_NE(bytes_of(path).find("surface"), std::string::npos);
    std::filesystem::create_symlink("/dev/full", folder.path("full.vdb.tmp"));
  }
  world().barrier();
  EXPECT_THROW(write_level_set_vdb(ball.blocks, ball.lattice, folder.path("full.vdb"), world()), FileError);
  EXPECT_FALSE(std::filesystem::exists(folder.path("full.vdb")));
}

}  // namespace
}  // namespace freshet
