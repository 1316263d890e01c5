// SPDX-License-Identifier: Apache-2.0
#include "driver/run_record.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>

/// That runs write such files is shown by tests/regression/check_run_control.py.
namespace freshet {
namespace {

std::optional<RunRecord> record_of(const std::string& text) {
  const test::Folder folder("record");
  folder.write("run.json", text);
  return read_run_record(folder.path(""));
}

TEST(RunRecord, tells_the_case_and_how_far_the_run_has_come) {
  const auto done = record_of("{\n  \"input\": \"/a \\\"b\\\"/c\\n.toml\",\n  \"status\": \"done\"\n}\n");
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->input, "/a \"b\"/c\n.toml");
  EXPECT_TRUE(done->is_done);
  EXPECT_FALSE(done->has_checkpoint);
  const auto stopped = record_of(R"({"status":"stopped early","last_checkpoint":12})");
  ASSERT_TRUE(stopped.has_value());
  EXPECT_EQ(stopped->input, "");
  EXPECT_FALSE(stopped->is_done);
  EXPECT_TRUE(stopped->has_checkpoint);
}

TEST(RunRecord, is_of_the_members_not_of_the_words_in_the_file) {
  const auto record = record_of(R"({"input": "\"status\": \"done\", \"last_checkpoint\": 3", "status": "running"})");
  ASSERT_TRUE(record.has_value());
  EXPECT_FALSE(record->is_done);
  EXPECT_FALSE(record->has_checkpoint);
}

TEST(RunRecord, of_a_damaged_file_is_nothing) {
  for (const char* text : {"", "{", "[]", "{\"status\": \"done\", ", "1"}) EXPECT_FALSE(record_of(text)) << text;
  const test::Folder folder("record");
  EXPECT_FALSE(read_run_record(folder.path("")));
  const auto others = record_of(R"({"status": 1, "input": null})");
  ASSERT_TRUE(others.has_value());
  EXPECT_FALSE(others->is_done);
}

}  // namespace
}  // namespace freshet
