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

constexpr std::size_t longest_line = 1 << 16;  ///< bound of a line's length [B]
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view blanks = " \t";
constexpr char blank = ' ';

std::string_view trimmed(std::string_view text, std::string_view characters) {
  const std::size_t first = std::min(text.find_first_not_of(characters), text.size());
  return text.substr(first, text.find_last_not_of(characters) + 1 - first);
}

std::optional<double> number(const std::string& word) {
  return number_in<double>(word.starts_with('+') ? std::string_view(word).substr(1) : word);
}

/// The line without quotes and without units in brackets or parentheses.
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

/// Lines end with a line feed, a carriage return, or both. A line that is too long is refused before it is read whole,
/// so that memory is bounded.
bool TextTable::next_line() {
  line_.clear();
  bool any = false;
  for (int c = text_.get(); c != std::istream::traits_type::eof(); c = text_.get()) {
    if (!any) ++line_number_;
    any = true;
    if (c == '\r' && text_.peek() == '\n') c = text_.get();
    if (c == '\n' || c == '\r') break;
    if (c == '\0') refuse("not a text file", "it holds a NUL byte");
    if (line_.size() >= longest_line) refuse("a line has more than 65536 bytes", "no row needs so many");
    line_ += static_cast<char>(c);
  }
  if (text_.bad()) refuse("the file cannot be read to its end", "its compressed bytes are damaged or cut short");
  if (line_number_ == 1 && line_.starts_with(byte_order_mark)) line_.erase(0, byte_order_mark.size());
  line_.erase(std::min(line_.find('#'), line_.size()));
  return any;
}

/// Find the separator of an open table from the present line: the first line, or the first row of numbers if that row
/// lacks the separator of the names.
void TextTable::choose_separator() {
  const std::string text = without_units(line_);
  const auto has = [&text](char c) { return text.find(c) != std::string::npos; };
  if (separator_ != blank && has(separator_)) return;
  if (has(',') && has(';'))
    refuse("commas and semicolons in one row", "one of them separates entries, and numbers have a decimal point");
  separator_ = has(',') ? ',' : has(';') ? ';' : blank;
}

/// Refuse a row of a fixed table in which a comma between two digits may be a decimal comma.
void TextTable::expect_no_decimal_comma() const {
  const auto is_digit = [this](std::size_t i) { return i < line_.size() && line_[i] >= '0' && line_[i] <= '9'; };
  const auto is_one_of = [this](std::size_t i, std::string_view characters) {
    return i < line_.size() && characters.find(line_[i]) != std::string_view::npos;
  };
  std::size_t decimal = std::string::npos;
  bool others = false;  // whether the line has other separators than commas
  for (std::size_t i = 0; i < line_.size(); ++i) {
    if (line_[i] == ',' && i > 0 && is_digit(i - 1) && is_digit(i + 1)) decimal = std::min(decimal, i);
    const bool is_gap = is_one_of(i, blanks) && i > 0 && !is_one_of(i - 1, " \t,;");
    const std::size_t behind = std::min(line_.find_first_not_of(blanks, i), line_.size());
    others = others || line_[i] == ';' || (is_gap && behind < line_.size() && !is_one_of(behind, ",;"));
  }
  if (decimal == std::string::npos || !others) return;
  const std::size_t begin = line_.find_last_of(" \t;", decimal) + 1;
  const std::size_t end = std::min(line_.find_first_of(" \t;", decimal), line_.size());
  refuse("'" + printable(line_.substr(begin, end - begin)) + "' has a decimal comma", "numbers have a decimal point");
}

void TextTable::split_line() {
  words_.clear();
  const bool is_fixed = layout_ == Layout::fixed;
  if (is_fixed) expect_no_decimal_comma();
  const bool may_be_empty = !is_fixed && separator_ != blank;
  const std::string separators = is_fixed ? " \t,;" : may_be_empty ? std::string(1, separator_) : std::string(blanks);
  const std::string_view ignored = may_be_empty ? blanks : std::string_view(separators);
  for (std::string_view rest = trimmed(line_, ignored); !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(separators), rest.size());
    words_.emplace_back(trimmed(rest.substr(0, end), blanks));
    rest = rest.substr(std::min(end + 1, rest.size()));
    if (!may_be_empty) rest = trimmed(rest, separators);
  }
}

/// Refuse an entry that should be a number.
void TextTable::refuse_word(const std::string& word) const {
  const std::size_t comma = word.find(',');
  const bool is_decimal =
      comma != std::string::npos && number(word.substr(0, comma) + '.' + word.substr(comma + 1)).has_value();
  if (is_decimal) refuse("'" + printable(word) + "' has a decimal comma", "numbers have a decimal point");
  const std::size_t gap = word.find_first_of(blanks);
  if (gap != std::string::npos && number(word.substr(0, gap)))
    refuse("'" + printable(word) + "' is not a number",
           "commas separate entries here, and numbers have a decimal point");
  refuse("'" + printable(word) + "' is not a number");
}

/// \return whether the first row names the columns: some entry is no number, in an open table the first entry
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
  n_named_ = words_.size();
  return true;
}

bool TextTable::next_row() {
  while (next_line()) {
    if (trimmed(line_, blanks).empty()) continue;
    if (layout_ == Layout::open && !has_rows_) choose_separator();
    split_line();
    if (words_.empty() || (n_needed_ == 0 && read_first_row())) continue;
    has_rows_ = true;
    if (words_.size() < n_needed_ || (layout_ == Layout::fixed && words_.size() > n_needed_))
      refuse(fmt::format("{} entries where {} are needed", words_.size(), n_needed_));
    while (has_names_ && words_.size() > n_named_ && words_.back().empty()) words_.pop_back();
    if (has_names_ && words_.size() > n_named_)
      refuse(fmt::format("{} entries below {} names of columns", words_.size(), n_named_),
             "numbers have a decimal point, and one kind of sign separates them");
    return true;
  }
  return false;
}

double TextTable::operator[](std::size_t column) const {
  const std::string& word = words_[static_cast<std::size_t>(column_[column])];
  const std::optional<double> value = number(word);
  if (!value) refuse_word(word);
  if (!std::isfinite(*value)) refuse("'" + printable(word) + "' is not a finite number");
  return *value;
}

}  // namespace freshet
