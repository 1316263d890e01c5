// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/text_table.hpp"

#include "freshet/core/error.hpp"
#include "freshet/core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <istream>
#include <iterator>
#include <optional>
#include <string_view>

namespace freshet {
namespace {

constexpr std::size_t longest_line = 1 << 16;  ///< [bytes]
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text, std::string_view characters) {
  const std::size_t first = std::min(text.find_first_not_of(characters), text.size());
  return text.substr(first, text.find_last_not_of(characters) + 1 - first);
}

std::optional<double> number(const std::string& word) {
  return number_in<double>(word.starts_with('+') ? std::string_view(word).substr(1) : word);
}

/// The line without quotes, and without units in brackets or parentheses.
std::string without_units(std::string_view line) {
  std::string text;
  int depth = 0;
  for (const char c : line) {
    if (c == '[' || c == '(') ++depth;
    if (depth == 0 && c != '"') text += c;
    if ((c == ']' || c == ')') && depth > 0) --depth;
  }
  return text;
}

}  // namespace

TextTable::TextTable(std::istream& text, std::string file_name, std::vector<std::string> known, std::string meaning,
                     std::size_t n_required, Layout layout)
    : text_(text),
      file_name_(std::move(file_name)),
      known_(std::move(known)),
      meaning_(std::move(meaning)),
      n_required_(n_required),
      layout_(layout),
      column_(known_.size(), -1) {}

void TextTable::refuse(const std::string& problem, const std::string& why) const {
  throw InputError(fmt::format("{}:{}: {} ({}). Correct the file", file_name_, line_number_, problem, why));
}

/// A line that is too long is refused before it is read whole, so that memory is bounded.
bool TextTable::next_line() {
  line_.clear();
  bool any = false;
  for (int c = text_.get(); c != std::istream::traits_type::eof(); c = text_.get()) {
    if (!any) ++line_number_;
    any = true;
    if (c == '\n') break;
    if (c == '\0') refuse("not a text file", "it holds a NUL byte");
    if (line_.size() >= longest_line) refuse("a line has more than 65536 bytes", "no row needs so many");
    line_ += static_cast<char>(c);
  }
  if (line_number_ == 1 && line_.starts_with(byte_order_mark)) line_.erase(0, byte_order_mark.size());
  line_.erase(std::min(line_.find('#'), line_.size()));
  return any;
}

void TextTable::split_line() {
  words_.clear();
  const bool by_commas = layout_ == Layout::open && line_.find_first_of(",;") != std::string::npos;
  const std::string_view separators = by_commas ? ",;" : " \t\r,;";
  const std::string_view ignored = by_commas ? blanks : separators;  // between entries; there are no empty ones then
  for (std::string_view rest = trimmed(line_, ignored); !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(separators), rest.size());
    words_.emplace_back(trimmed(rest.substr(0, end), blanks));
    rest = rest.substr(std::min(end + 1, rest.size()));
    if (!by_commas) rest = trimmed(rest, separators);
  }
}

/// \return whether the first row names the columns: if an entry is not a number, or in an open layout the first entry
bool TextTable::read_first_row() {
  const bool is_open = layout_ == Layout::open;
  const std::size_t n_examined = is_open ? 1 : words_.size();
  if (std::all_of(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(n_examined),
                  [](const std::string& word) { return number(word).has_value(); })) {
    n_needed_ = !is_open ? words_.size() : words_.size() < known_.size() ? n_required_ : known_.size();
    for (std::size_t i = 0; i < std::min(n_needed_, known_.size()); ++i) column_[i] = static_cast<int>(i);
    return false;
  }
  has_names_ = true;
  line_ = without_units(line_);
  split_line();
  std::string other, stray;  // a name that is not known, a number among names
  for (std::size_t w = 0; w < words_.size(); ++w) {
    const auto found = std::ranges::find(known_, lower_case(words_[w])) - known_.begin();
    if (found == std::ssize(known_)) {
      std::string& first = number(words_[w]) ? stray : other;
      if (first.empty()) first = words_[w];
      continue;
    }
    int& column = column_[static_cast<std::size_t>(found)];
    if (column >= 0 && !is_open) refuse("two columns have the name '" + printable(words_[w]) + "'");
    if (column < 0) column = static_cast<int>(w);
  }
  if (!is_open && !other.empty()) refuse("'" + printable(other) + "' is neither a number nor the name of a column");
  if (!is_open && !stray.empty()) refuse("the number '" + printable(stray) + "' stands among names of columns");
  for (std::size_t i = 0; i < n_required_; ++i)
    if (column_[i] < 0) refuse("there is no column of the name '" + known_[i] + "'");
  n_needed_ = is_open ? static_cast<std::size_t>(*std::ranges::max_element(column_)) + 1 : words_.size();
  return true;
}

bool TextTable::next_row() {
  while (next_line()) {
    split_line();
    if (words_.empty() || (n_needed_ == 0 && read_first_row())) continue;
    if (words_.size() < n_needed_ || (layout_ == Layout::fixed && words_.size() > n_needed_))
      refuse(fmt::format("{} entries where {} are needed", words_.size(), n_needed_));
    return true;
  }
  return false;
}

double TextTable::operator[](std::size_t column) const {
  const std::string& word = words_[static_cast<std::size_t>(column_[column])];
  const std::optional<double> value = number(word);
  if (!value) refuse("'" + printable(word) + "' is not a number");
  if (!std::isfinite(*value)) refuse("'" + printable(word) + "' is not a finite number");
  return *value;
}

}  // namespace freshet
