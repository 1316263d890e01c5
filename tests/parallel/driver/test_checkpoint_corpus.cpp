// SPDX-License-Identifier: Apache-2.0
// ranks: 1 3
// nightly: 3
#include "fuzz/checkpoint_properties.hpp"
#include "support/snapshot_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

/// What the fuzzers found worth keeping, through the same checks, without a fuzzer, and on several ranks.
namespace freshet::test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> corpus(const std::string& name) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(FRESHET_SOURCE_DIR) / "tests" / "fuzz" / "corpus" / name))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());  // the same order on every rank
  return files;
}

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(CheckpointCorpus, of_any_contents_is_refused_in_words_or_read_as_a_state_that_fits_together) {
  const SharedDirectory directory("contents");
  int n_accepted = 0;
  int n_refused = 0;
  for (const fs::path& file : corpus("checkpoint")) {
    bool accepted = false;
    EXPECT_NO_THROW(accepted = fuzz::check_checkpoint(world(), bytes_of(file), directory.path() + "/a.h5")) << file;
    ++(accepted ? n_accepted : n_refused);
  }
  EXPECT_GE(n_accepted, 5);
  EXPECT_GE(n_refused, 50);
}

TEST(CheckpointCorpus, of_any_bytes_is_refused_unless_its_seal_is_right) {
  const SharedDirectory directory("seals");
  int n_whole = 0;
  int n_damaged = 0;
  for (const fs::path& file : corpus("seal")) {
    std::string damage;
    EXPECT_NO_THROW(damage = fuzz::check_seal(world(), bytes_of(file), directory.path() + "/a.h5")) << file;
    ++(damage.empty() ? n_whole : n_damaged);
  }
  EXPECT_GE(n_whole, 1);
  EXPECT_GE(n_damaged, 20);
}

TEST(CheckpointCorpus, a_right_one_in_two_and_in_three_dimensions_is_accepted) {
  const SharedDirectory directory("right");
  for (const char* bytes : {"\2\3\4\3", "\1\1\4\3"})
    EXPECT_TRUE(fuzz::check_checkpoint(world(), bytes, directory.path() + "/a.h5"));
}

TEST(CheckpointCorpus, names_are_followed_within_the_file_but_not_into_others) {
  const SharedDirectory directory("links");
  const std::string_view hard("\0\0\1\3\2\12\2\11", 8);  // the position is the velocity, by another name
  const std::string_view external("\0\0\1\3\2\12\4\11", 8);
  EXPECT_TRUE(fuzz::check_checkpoint(world(), hard, directory.path() + "/a.h5"));
  EXPECT_FALSE(fuzz::check_checkpoint(world(), external, directory.path() + "/a.h5"));
}

TEST(CheckpointCorpus, a_message_that_is_an_accident_is_found) {
  EXPECT_THROW(fuzz::require_message("std::bad_alloc"), fuzz::Finding);
  EXPECT_THROW(fuzz::require_message("the name \x1b[2J"), fuzz::Finding);
  EXPECT_NO_THROW(fuzz::require_message("a.h5 is no checkpoint."));
}

}  // namespace
}  // namespace freshet::test
