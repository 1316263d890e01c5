// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

#include <filesystem>
#include <fstream>

namespace freshet::test {
namespace {

/// The line that an error names.
std::string place_of(const std::string& message) {
  return message.substr(0, message.find(": "));
}

std::string with_crlf(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return result;
}

TEST(Text, byte_order_mark_and_crlf_are_tolerated) {
  const Parameters p = parse(minimal_case);
  EXPECT_EQ(parse("\xEF\xBB\xBF" + minimal_case).input_hash, p.input_hash);
  EXPECT_EQ(parse(with_crlf(minimal_case)).input_hash, p.input_hash);
  EXPECT_EQ(place_of(error_of("\xEF\xBB\xBF" + with_crlf(minimal_case + "x = 1\n"))), "case.toml:11");
}

TEST(Text, errors_name_the_line_of_the_key) {
  EXPECT_EQ(place_of(error_of("[run]\n\n\nend_time = -1.0\n")), "case.toml:4");
  EXPECT_EQ(place_of(error_of("[run]\nend_time = [\n1.0\n]\n")), "case.toml:2");
  EXPECT_EQ(place_of(error_of("# comment\n[run]\nmax_steps = 1\n")), "case.toml:2");  // the table that lacks a key
  EXPECT_EQ(place_of(error_of("")), "case.toml:1");
  EXPECT_EQ(place_of(error_of(minimal_case + "time.cfl = 0\n")), "case.toml:11");
}

TEST(Text, errors_in_a_list_name_the_line_of_the_entry) {
  EXPECT_EQ(place_of(error_of(minimal_case + "[output]\nfields = [\n\"label\",\n\"x\"\n]\n")), "case.toml:14");
}

TEST(Text, messages_are_problem_why_and_what_to_do) {
  for (const char* lines : {"[time]\ncfl = 9\n", "[time]\nclf = 1\n", "[time]\ncfl = true\n", "[time\n",
                            "[motion]\nscheme = \"rk\"\n", "[domain.boundary]\nz_low = \"periodic\"\n"}) {
    const std::string message = error_of(minimal_case + lines);
    EXPECT_EQ(message.rfind("case.toml:1", 0), 0u) << message;
    EXPECT_TRUE(contains(message, " (")) << message;
    EXPECT_TRUE(contains(message, "). ")) << message;
  }
}

TEST(Text, that_is_not_text_is_refused) {
  EXPECT_TRUE(contains(error_of(minimal_case + std::string(1, '\0')), "case.toml:11: not a text file"));
  std::string garbage;
  for (int i = 1; i < 256; ++i) garbage += static_cast<char>(i);
  EXPECT_TRUE(contains(error_of(garbage), "not valid TOML"));
  EXPECT_TRUE(contains(error_of("title = \"\xe9\"\n"), "utf-8"));
}

TEST(Text, without_end_is_refused) {
  std::string key;
  for (int i = 0; i < 100000; ++i) key += "a.";
  EXPECT_TRUE(contains(error_of(key + "a = 1\n"), "a key of too many parts"));
  EXPECT_TRUE(contains(error_of("[[" + key + "a]]\n"), "a key of too many parts"));
  EXPECT_TRUE(contains(error_of("a = " + std::string(100000, '[') + "\n"), "not valid TOML"));
  EXPECT_TRUE(contains(error_of(minimal_case, {key + "a=1"}), "a key of too many parts"));
}

TEST(TextFile, is_read_as_it_is) {
  const auto path = std::filesystem::temp_directory_path() / "freshet_test_text_file.toml";
  const std::string text = with_crlf(minimal_case) + std::string(1, '\0') + "\xff";
  std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(read_text_file(path.string()), text);
  std::filesystem::remove(path);
}

TEST(TextFile, that_cannot_be_read_is_an_input_error) {
  EXPECT_THROW(read_text_file("/nowhere/case.toml"), InputError);
  EXPECT_THROW(read_text_file(std::filesystem::temp_directory_path().string()), InputError);
  EXPECT_THROW(read_text_file(""), InputError);
  EXPECT_THROW(read_text_file("/dev/zero"), InputError);
}

}  // namespace
}  // namespace freshet::test
