// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

#include <algorithm>
#include <filesystem>

/// Every file in tests/bad_inputs has one mistake; its first line says what must be answered:
///   # expect: <line>: <part of the message>
namespace freshet::test {
namespace {

namespace fs = std::filesystem;

fs::path folder() {
#ifdef FRESHET_SOURCE_DIR
  return fs::path(FRESHET_SOURCE_DIR) / "tests" / "bad_inputs";
#else
  return fs::path(__FILE__).parent_path() / ".." / ".." / "bad_inputs";
#endif
}

std::vector<fs::path> bad_inputs() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder())) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Expectation {
  std::string line;
  std::string part;
};

Expectation expectation_of(const std::string& text) {
  const std::string mark = "# expect: ";
  const std::size_t start = text.find(mark);
  const std::size_t end = text.find_first_of("\r\n");
  if (start == std::string::npos || end == std::string::npos || start > end) return {};
  const std::string rest = text.substr(start + mark.size(), end - start - mark.size());
  const std::size_t colon = rest.find(": ");
  return {rest.substr(0, colon), rest.substr(colon + 2)};
}

class BadInputs : public testing::TestWithParam<fs::path> {};

TEST_P(BadInputs, are_answered_with_line_and_reason) {
  const std::string text = read_text_file(GetParam().string());
  const std::string name = GetParam().filename().string();
  const Expectation expected = expectation_of(text);
  ASSERT_FALSE(expected.part.empty()) << name << " has no '# expect: <line>: <part>'";
  try {
    parse_parameters(text, name);
    FAIL() << name << " is taken for a legal case";
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.rfind(name + ":" + expected.line + ": ", 0), 0u) << message;
    EXPECT_TRUE(contains(message, expected.part)) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, BadInputs, testing::ValuesIn(bad_inputs()),
                         [](const auto& file) { return file.param.stem().string(); });

TEST(BadInputs, are_all_there) {
  EXPECT_GE(bad_inputs().size(), 35u);
}

}  // namespace
}  // namespace freshet::test
