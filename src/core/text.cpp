// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/text.hpp"

#include <fmt/format.h>

namespace freshet {

std::optional<std::int64_t> number_in_name(std::string_view name, std::string_view prefix, std::string_view ending) {
  if (!name.starts_with(prefix) || !name.ends_with(ending) || name.size() <= prefix.size() + ending.size())
    return std::nullopt;
  const auto number = number_in<std::int64_t>(name.substr(prefix.size(), name.size() - prefix.size() - ending.size()));
  return number && *number >= 0 ? number : std::nullopt;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string quote(std::string_view text) {
  constexpr std::string_view written = "\"\\\n\t\r";
  constexpr std::string_view letter = "\"\\ntr";  // the letter that stands for the character behind a backslash
  std::string result = "\"";
  for (const char c : text) {
    const std::size_t known = written.find(c);
    const auto byte = static_cast<unsigned char>(c);
    if (known != std::string_view::npos) {
      result += {'\\', letter[known]};
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(byte));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string printable(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string text(word.substr(0, longest));
  for (char& c : text)
    if (c < 0x20 || c > 0x7e) c = '?';
  return word.size() > longest ? text + "..." : text;
}

}  // namespace freshet
