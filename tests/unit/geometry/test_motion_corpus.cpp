// SPDX-License-Identifier: Apache-2.0
#include "fuzz/motion_properties.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

/// What the fuzzer of motions starts from and found worth keeping, through the same checks, without a fuzzer.
namespace freshet {
namespace {

namespace fs = std::filesystem;

TEST(MotionCorpus, motions_are_sound_or_refused) {
  std::size_t n_files = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(FRESHET_SOURCE_DIR) / "tests" / "fuzz" / "corpus" / "motion")) {
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    ++n_files;
    EXPECT_NO_THROW(fuzz::check_motion(bytes)) << entry.path();
  }
  EXPECT_GE(n_files, 10U);
}

TEST(MotionCorpus, a_property_that_does_not_hold_is_found) {
  EXPECT_THROW(fuzz::require_motion({}, 3), fuzz::Finding);
  const MotionSample at_rest{1.0, Vec3::Zero(), Vec3::Zero()};
  EXPECT_NO_THROW(fuzz::require_motion({at_rest}, 2));
  EXPECT_THROW(fuzz::require_motion({at_rest, at_rest}, 3), fuzz::Finding);
  EXPECT_THROW(fuzz::require_motion({{0.0, Vec3(0, 0, 1), Vec3::Zero()}}, 2), fuzz::Finding);
}

}  // namespace
}  // namespace freshet
