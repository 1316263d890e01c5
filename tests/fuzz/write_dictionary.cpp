// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"

#include <cstdio>
#include <set>
#include <sstream>
#include <string>

/// Prints the words of the schema as a dictionary for libFuzzer: every key, its parts, and the words of its range.
int main() {
  std::set<std::string> words = {
      "[[liquid]]", "[[solid]]",           " = ",       "\"\"\"",  "'''",       "{ ",  " }",  "true",      "1e308",
      "-1",         "9223372036854775807", "[1, 1, 1]", "\"box\"", "\"union\"", "nan", "inf", "1979-05-27"};
  std::istringstream lines(freshet::schema_text());
  for (std::string line; std::getline(lines, line);) {
    std::string part;
    for (const char c : line.substr(0, line.find(' ')) + ".") {
      if (c != '.') {
        part += c;
        continue;
      }
      words.insert(part);
      part.clear();
    }
    const std::size_t range = line.rfind(" [");
    if (range == std::string::npos || line.back() != ']') continue;
    std::istringstream choices(line.substr(range + 2, line.size() - range - 3));
    for (std::string word; choices >> word;)
      if (word != "|" && word != "..") words.insert('"' + word + '"');
  }
  for (const std::string& word : words) {
    std::string escaped;
    for (const char c : word) escaped += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
    std::printf("\"%s\"\n", escaped.c_str());
  }
}
