// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/io/json.hpp"
#include "freshet/io/text_files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace freshet::test {
namespace {

std::string path_of(const std::string& name) {
  return (std::filesystem::temp_directory_path() / ("freshet_" + std::to_string(getpid()) + "_" + name)).string();
}

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(WriteTextAtomically, replaces_the_old_text_and_leaves_nothing_else) {
  const std::string path = path_of("atomic.txt");
  write_text_atomically(path, "a much longer first text\n");
  write_text_atomically(path, "second\n");
  EXPECT_EQ(content(path), "second\n");
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
  std::filesystem::remove(path);
}

TEST(WriteTextAtomically, directory_that_is_not_there_is_an_error) {
  EXPECT_THROW(write_text_atomically("/nonexistent/a.txt", "text"), FileError);
}

TEST(CsvWriter, names_columns_with_units_and_puts_rows_on_the_disk_at_once) {
  const std::string path = path_of("rows.csv");
  {
    CsvWriter table(path, {{"step", ""}, {"t", "s"}, {"note", ""}}, CsvWriter::FileMode::replace);
    table.row({"1", "0.30000000000000004", "x"});
    EXPECT_EQ(content(path), "step,t [s],note\n1,0.30000000000000004,x\n") << "not on the disk at once";
  }
  std::filesystem::remove(path);
}

TEST(CsvWriter, goes_on_after_the_rows_that_are_there) {
  const std::string path = path_of("append.csv");
  const std::vector<CsvColumn> columns{{"step", ""}, {"t", "s"}};
  CsvWriter(path, columns, CsvWriter::FileMode::append).row({"1", "0.5"});
  CsvWriter(path, columns, CsvWriter::FileMode::append).row({"2", "1"});
  EXPECT_EQ(content(path), "step,t [s]\n1,0.5\n2,1\n");
  EXPECT_THROW(CsvWriter(path, {{"step", ""}, {"dt", "s"}}, CsvWriter::FileMode::append), FileError);
  CsvWriter(path, columns, CsvWriter::FileMode::replace).row({"3", "2"});
  EXPECT_EQ(content(path), "step,t [s]\n3,2\n");
  std::filesystem::remove(path);
}

TEST(JsonWriter, nests_objects_and_arrays) {
  JsonWriter json;
  json.begin_object().member("ranks", 4).member("ok", true).key("phases").begin_array();
  json.begin_object().member("name", "deposit").member("avg", 0.25).end_object();
  json.value(1).end_array().key("none").begin_array().end_array().end_object();
  EXPECT_EQ(json.text(),
            "{\n  \"ranks\": 4,\n  \"ok\": true,\n  \"phases\": [\n    {\n      \"name\": \"deposit\",\n"
            "      \"avg\": 0.25\n    },\n    1\n  ],\n  \"none\": []\n}\n");
}

TEST(JsonWriter, escapes_text_and_has_no_infinities) {
  JsonWriter json;
  json.begin_array().value("a\"b\\c\n\x01").value(INFINITY).value(std::uint64_t{18446744073709551615U}).end_array();
  EXPECT_EQ(json.text(), "[\n  \"a\\\"b\\\\c\\n\\u0001\",\n  null,\n  18446744073709551615\n]\n");
}

}  // namespace
}  // namespace freshet::test
