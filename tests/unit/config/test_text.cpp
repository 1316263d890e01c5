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
  EXPECT_TRUE(contains(error_of(key + "a = 1\n"), "a key has too many parts"));
  EXPECT_TRUE(contains(error_of("[[" + key + "a]]\n"), "a key has too many parts"));
  EXPECT_TRUE(contains(error_of("a = " + std::string(100000, '[') + "\n"), "not valid TOML"));
  EXPECT_TRUE(contains(error_of(minimal_case, {key + "a=1"}), "a key has too many parts"));
  EXPECT_TRUE(contains(error_of(minimal_case, {"title={" + key + "a=1}"}), "the value is not TOML"));
}

TEST(Text, dots_count_in_keys_only) {
  const std::string dots(1000, '.');
  for (const std::string& line :
       {"title = \"" + dots + "\"", "title = '" + dots + "'", "title = \"\\\"" + dots + "\"", "# " + dots,
        "title = \"\"\"" + dots + "\\\n" + dots + "\"\"\"\"", "title = 'x' # '" + dots}) {
    EXPECT_NO_THROW(parse(line + "\n" + minimal_case)) << line;
  }
  EXPECT_EQ(parse(minimal_case, {"title=" + dots}).title, dots);
}

TEST(Text, strings_hide_no_endless_key) {
  std::string key;
  for (int i = 0; i < 1000; ++i) key += "a.";
  for (const std::string start :
       {R"("""x"y""")", "'''x'y'''", R"("""x""""")", R"("\\")", R"('\')", R"("#")", R"("")", R"("x\"")"}) {
    const std::string message = error_of("x = { a = " + start + ", " + key + "a = 1 }\n");
    EXPECT_TRUE(contains(message, "a key has too many parts")) << message;
  }
}

TEST(Text, beyond_ascii_stands_in_strings_and_comments_only) {
  EXPECT_EQ(parse("title = \"é\" # ü\n" + minimal_case).title, "é");
  EXPECT_EQ(parse("title = \"\"\"a \\\n  b\"\"\"\n" + minimal_case).title, "a b");
  EXPECT_EQ(parse(minimal_case, {"title=é"}).title, "é");
  for (const std::string line :
       {"é = 1", "x = é", "x = [1.Т¢]", "x = [1, \xd0\xa2\n]", "x = 1 \xc2\xa7", "x = 2y=[{z=\"\xef\xbb\xaf#\""}) {
    const std::string message = error_of(minimal_case + line + "\n");
    EXPECT_TRUE(contains(message, "case.toml:11: not valid TOML (a character beyond ASCII stands outside")) << message;
  }
  for (const std::string line : {"title = \"\"\"\\\n\xc2\xa7\"\"\"", "title = \"\"\"a \\ \t\r\n\n  \xd0\xa2\"\"\""}) {
    EXPECT_TRUE(contains(error_of(line + "\n" + minimal_case), "a character beyond ASCII after a backslash")) << line;
  }
}

TEST(Text, is_not_longer_than_a_case) {
  EXPECT_TRUE(contains(error_of(std::string((4u << 20) + 1, '\n')), "a text of 4194305 bytes"));
  const std::string title(2u << 20, '"');  // each is written as two
  EXPECT_TRUE(contains(error_of("title = '" + title + "'\n" + minimal_case), "with all its values written out"));
}

TEST(Text, a_line_of_text_has_no_control_characters) {
  for (const char* text : {"a\\u0000b", "a\\nb", "a\\rb", "a\\tb", "\\u001b[2J", "\\u007f", "\\u009b2J"}) {
    for (const char* key : {"title", "reference"}) {
      const std::string message = error_of(std::string(key) + " = \"" + text + "\"\n" + minimal_case);
      EXPECT_TRUE(contains(message, "is not a line of plain text")) << message;
    }
  }
  EXPECT_EQ(parse("title = \"Wasser é 水 \\u00a0\"\n" + minimal_case).title, "Wasser é 水 \xc2\xa0");
}

TEST(Text, messages_show_no_control_characters) {
  for (const char* key : {"\"\\u001b[2J\"", "\"a\\nb\"", "\"\\u009b2J\""}) {
    const std::string message = error_of(minimal_case + std::string(key) + " = 1\n");
    EXPECT_TRUE(contains(message, "?")) << message;
    EXPECT_EQ(message.find_first_of("\x1b\n\x9b"), std::string::npos) << message;
  }
}

TEST(Text, long_text_is_cut_between_characters) {
  const std::string message = error_of(minimal_case, {"motion.scheme=" + std::string("a") + [] {
                                         std::string text;
                                         for (int i = 0; i < 100; ++i) text += "é";
                                         return text;
                                       }()});
  EXPECT_TRUE(contains(message, "é...")) << message;
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

TEST(Text, comments_do_not_count_towards_the_length_of_a_case) {
  const std::string comments = [] {
    std::string text;
    while (text.size() < (5u << 20)) text += "# measured by hand, see the notebook\n";
    return text;
  }();
  EXPECT_EQ(parse(comments + minimal_case).domain.cells.x(), 16);
  EXPECT_TRUE(contains(error_of("title = \"" + std::string(5u << 20, 'a') + "\"\n" + minimal_case),
                       "bytes besides its comments (a case has at most"));
}

}  // namespace
}  // namespace freshet::test
