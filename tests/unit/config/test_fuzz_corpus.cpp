// SPDX-License-Identifier: Apache-2.0
#include "fuzz/config_properties.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

/// What the fuzzers found worth keeping, through the same checks, without a fuzzer.
namespace freshet::test {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

template <class Check>
std::size_t replay(const std::string& name, Check&& check) {
  std::size_t n_files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(FRESHET_SOURCE_DIR) / "tests" / "fuzz" / "corpus" / name)) {
    ++n_files;
    EXPECT_NO_THROW(check(bytes_of(entry.path()))) << entry.path();
  }
  return n_files;
}

TEST(FuzzCorpus, cases_are_read_and_written_without_loss) {
  EXPECT_GE(replay("case", [](const std::string& bytes) { fuzz::check_case(bytes); }), 100u);
}

TEST(FuzzCorpus, earlier_inputs_are_compared_both_ways) {
  EXPECT_GE(replay("compare", [](const std::string& bytes) { fuzz::check_compare(bytes); }), 100u);
}

TEST(FuzzCorpus, a_property_that_does_not_hold_is_found) {
  EXPECT_THROW(fuzz::require_plain("\x1b[2J"), fuzz::Finding);
  EXPECT_THROW(fuzz::require(false, "never"), fuzz::Finding);
}

TEST(FuzzCorpus, an_earlier_case_of_an_override_is_compared) {
  EXPECT_TRUE(fuzz::compare_with_today(fuzz::todays_case + "slip = \"no_slip\"\n"));
  EXPECT_FALSE(fuzz::compare_with_today(fuzz::todays_case + "slip = 1\n"));
}

TEST(FuzzCorpus, overrides_follow_the_separator) {
  const fuzz::CaseBytes bytes("title = 1\n\x1erun.seed=3\ntime.cfl=1");
  EXPECT_EQ(bytes.text, "title = 1\n");
  EXPECT_EQ(bytes.overrides, (std::vector<std::string>{"run.seed=3", "time.cfl=1"}));
  EXPECT_TRUE(fuzz::CaseBytes("title = 1").overrides.empty());
}

}  // namespace
}  // namespace freshet::test
