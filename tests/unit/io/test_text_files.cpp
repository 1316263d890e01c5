// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/io/text_files.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>

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
    CsvWriter table(path, {{"step", ""}, {"t", "s"}, {"note", ""}});
    table.row({"1", "0.30000000000000004", "x"});
    EXPECT_EQ(content(path), "step,t [s],note\n1,0.30000000000000004,x\n") << "not on the disk at once";
  }
  std::filesystem::remove(path);
}

const std::vector<CsvColumn> columns{{"step", ""}, {"t", "s"}};

/// Collects warnings; take() forgets them.
struct Warnings {
  std::string text;
  CsvWriter::Warn listen() {
    return [this](const std::string& warning) { text += warning; };
  }
  std::string take() { return std::exchange(text, {}); }
};

TEST(CsvWriter, goes_on_after_the_rows_up_to_a_step) {
  const std::string path = path_of("append.csv");
  {
    CsvWriter table(path, columns);
    for (int step = 1; step < 4; ++step) table.row({fmt::format("{}", step), fmt::format("{}", 0.5 * step)});
  }
  Warnings warnings;
  CsvWriter table(path, columns, 2, warnings.listen());
  EXPECT_EQ(content(path), "step,t [s]\n1,0.5\n2,1\n");
  table.row({"3", "2"});
  EXPECT_EQ(content(path), "step,t [s]\n1,0.5\n2,1\n3,2\n");
  EXPECT_EQ(warnings.take(), "");
  CsvWriter(path, columns).row({"3", "2"});
  EXPECT_EQ(content(path), "step,t [s]\n3,2\n");
  std::filesystem::remove(path);
}

TEST(CsvWriter, says_which_table_had_a_row_that_was_cut_short_and_where_it_goes_on) {
  const std::string path = path_of("cut.csv");
  const std::string whole = "step,t [s]\n1,0.5\n2,1\n";
  for (const char* cut : {"3", "3,", "3,1.", "12,1.5", "3\n", "\n", "3,1,5\n", "x,1\n"}) {
    std::ofstream(path) << whole << cut;
    Warnings warnings;
    CsvWriter table(path, columns, 2, warnings.listen());
    EXPECT_EQ(warnings.take(), path +
                                   ": a row is not whole (a run that was killed leaves such) and left out; the table "
                                   "goes on after step 2, t = 1 s")
        << cut;
    table.row({"3", "1.5"});
    EXPECT_EQ(content(path), whole + "3,1.5\n") << cut;
    EXPECT_EQ(warnings.take(), "") << cut;
  }
  std::ofstream(path) << whole + "3\n4,2\n5,2";  // rows after the cut one stay
  Warnings warnings;
  CsvWriter(path, columns, 4, warnings.listen());
  EXPECT_EQ(content(path), whole + "4,2\n");
  EXPECT_NE(warnings.take().find("2 rows are not whole"), std::string::npos);
  std::ofstream(path) << "step,t [s]\n1";
  CsvWriter(path, columns, 4, warnings.listen());
  EXPECT_EQ(content(path), "step,t [s]\n");
  EXPECT_NE(warnings.take().find("goes on after its first line"), std::string::npos);
  std::filesystem::remove(path);
}

TEST(CsvWriter, begins_a_lost_table_anew_and_says_so_once) {
  const std::string path = path_of("lost.csv");
  Warnings warnings;
  CsvWriter table(path, columns, 7, warnings.listen());
  EXPECT_NE(warnings.take().find("begins anew"), std::string::npos);
  EXPECT_EQ(warnings.take(), "");
  table.row({"8", "1"});
  EXPECT_EQ(content(path), "step,t [s]\n8,1\n");
  std::filesystem::remove(path);
  CsvWriter(path, columns, 0, warnings.listen()).row({"1", "1"});
  EXPECT_EQ(warnings.take(), "") << "nothing is lost before the first step";
  std::filesystem::remove(path);
}

TEST(CsvWriter, puts_a_file_of_other_columns_aside) {
  const std::string path = path_of("other.csv");
  std::ofstream(path) << "step,dt [s]\n1,2\n";
  Warnings warnings;
  CsvWriter table(path, columns, 7, warnings.listen());
  EXPECT_NE(warnings.take().find("has other columns"), std::string::npos);
  EXPECT_EQ(content(path), "step,t [s]\n");
  EXPECT_EQ(content(path + ".other"), "step,dt [s]\n1,2\n");
  std::filesystem::remove(path);
  std::filesystem::remove(path + ".other");
}

TEST(CsvWriter, writes_no_row_into_a_file_that_was_taken_away) {
  const std::string path = path_of("taken.csv");
  Warnings warnings;
  CsvWriter table(path, columns, std::nullopt, warnings.listen());
  table.row({"1", "1"});
  std::filesystem::remove(path);
  table.row({"2", "2"});
  EXPECT_EQ(content(path), "step,t [s]\n2,2\n") << "removed";
  EXPECT_NE(warnings.take(), "");
  std::ofstream(path + ".new") << "step,t [s]\n1,1\n2,2\n";
  std::filesystem::rename(path + ".new", path);
  table.row({"3", "3"});
  EXPECT_EQ(content(path), "step,t [s]\n1,1\n2,2\n3,3\n") << "replaced by the same table, as some editors do";
  EXPECT_EQ(warnings.take(), "");
  std::filesystem::resize_file(path, 0);
  table.row({"4", "4"});
  EXPECT_EQ(content(path), "step,t [s]\n4,4\n") << "emptied";
  EXPECT_NE(warnings.take(), "");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace freshet::test
