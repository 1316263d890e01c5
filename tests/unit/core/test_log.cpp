// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/log.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace freshet {
namespace {

std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class LogFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path_ = testing::TempDir() + "freshet_test_log.txt";
};

TEST_F(LogFile, root_writes_to_standard_output_and_to_the_file) {
  testing::internal::CaptureStdout();
  Log log(Log::Speaker::root);
  log.info("before {}", 1);
  ASSERT_TRUE(log.open(path_, Log::FileMode::replace));
  log.info("step {:4d}", 12);
  log.warn("{} left", "few");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "before 1\nstep   12\nwarning: few left\n");
  EXPECT_EQ(contents(path_), "step   12\nwarning: few left\n");  // flushed though the log still lives
}

TEST_F(LogFile, append_keeps_what_an_earlier_run_wrote) {
  testing::internal::CaptureStdout();
  for (const auto mode : {Log::FileMode::replace, Log::FileMode::append}) {
    Log log(Log::Speaker::root);
    ASSERT_TRUE(log.open(path_, mode));
    log.info("run");
  }
  testing::internal::GetCapturedStdout();
  EXPECT_EQ(contents(path_), "run\nrun\n");
}

TEST_F(LogFile, silent_rank_writes_nothing) {
  testing::internal::CaptureStdout();
  Log log(Log::Speaker::silent);
  EXPECT_TRUE(log.open(path_, Log::FileMode::replace));
  log.info("hello");
  log.warn("hello");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(LogFile, impossible_path_is_reported) {
  Log log(Log::Speaker::root);
  EXPECT_FALSE(log.open(testing::TempDir() + "no/such/folder/log.txt", Log::FileMode::replace));
}

}  // namespace
}  // namespace freshet
