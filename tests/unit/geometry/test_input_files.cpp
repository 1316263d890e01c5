// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/geometry/input_files.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

namespace freshet::test {
namespace {

/// Why a file is not read; empty if it is.
std::string problem_of_file(const std::string& path) {
  try {
    read_input_file(path, "mesh", 4);
    hash_of_file(path, "mesh");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(InputFiles, are_read_whole_and_told_apart_by_their_hash) {
  Folder folder("input_files");
  folder.write("a.obj", std::string("v\0\n", 3));
  folder.write("b.obj", "v 1");
  EXPECT_EQ(read_input_file(folder.path("a.obj"), "mesh"), std::string("v\0\n", 3));
  EXPECT_EQ(hash_of_file(folder.path("a.obj"), "mesh"), hash_of_bytes(std::string("v\0\n", 3)));
  EXPECT_NE(hash_of_file(folder.path("a.obj"), "mesh"), hash_of_file(folder.path("b.obj"), "mesh"));
  EXPECT_EQ(problem_of_file(folder.path("a.obj")), "");
}

TEST(InputFiles, that_are_no_regular_files_are_refused_at_once) {
  Folder folder("no_input_files");
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("loop", folder.path("loop"));
  EXPECT_NE(problem_of_file(folder.path("pipe")).find("it is a"), std::string::npos);
  EXPECT_NE(problem_of_file("/dev/zero").find("it is a"), std::string::npos);
  EXPECT_NE(problem_of_file(folder.path("")).find("it is a"), std::string::npos);
  EXPECT_NE(problem_of_file(folder.path("nothing")).find("there is no such file"), std::string::npos);
  EXPECT_NE(problem_of_file(folder.path("loop")).find("Too many levels of symbolic links"), std::string::npos);
  EXPECT_NE(problem_of_file(folder.path(std::string(300, 'a'))).find("File name too long"), std::string::npos);
}

TEST(InputFiles, that_are_too_long_are_refused) {
  Folder folder("long_input_file");
  folder.write("a.obj", "v 1 2 3");
  EXPECT_NE(problem_of_file(folder.path("a.obj")).find("it has 7 bytes, more than 4"), std::string::npos);
}

TEST(InputFiles, of_a_case_are_found_from_its_folder) {
  EXPECT_EQ(input_path("cases/a.toml", "b.stl"), "cases/b.stl");
  EXPECT_EQ(input_path("a.toml", "b.stl"), "b.stl");
  EXPECT_EQ(input_path("cases/a.toml", "/b.stl"), "/b.stl");
}

TEST(InputFiles, of_another_hash_are_refused_and_those_without_one_are_not) {
  EXPECT_NO_THROW(check_hash("01", "", "a.obj", "mesh", "file_hash"));
  EXPECT_NO_THROW(check_hash("01", "01", "a.obj", "mesh", "file_hash"));
  EXPECT_THROW(check_hash("01", "02", "a.obj", "mesh", "file_hash"), InputError);
}

TEST(Printable, cuts_long_words_and_hides_what_is_no_text) {
  EXPECT_EQ(printable("abc"), "abc");
  EXPECT_EQ(printable("a\x1b[2J"), "a?[2J");
  EXPECT_EQ(printable(std::string(50, 'a')), std::string(40, 'a') + "...");
}

}  // namespace
}  // namespace freshet::test
