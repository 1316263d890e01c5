// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace freshet {

/// Reads a table of numbers from a text, a row at a time. The text may hold anything.
///
/// The first row may name the columns, in capitals or small letters, with quotes and with units in brackets or
/// parentheses. Without names the columns are in the order of the known names. Empty lines and text after a # are
/// ignored. Decimal commas are refused. Errors: InputError "<file>:<line>: <problem> (<why>). Correct the file"
class TextTable {
 public:
  enum class Layout {
    fixed,  ///< every column is known, all rows are equally long; commas, semicolons and blanks separate entries
    open    ///< other columns are ignored; the names, or else the first row, tell which separator is used
  };
  /// \param[in] known       names of columns, in small letters
  /// \param[in] meaning     meaning of a row, for messages: "a particle has x, y, z"
  /// \param[in] n_required  number of the known columns, from the first one on, that must be in the table
  TextTable(std::istream& text, std::string file_name, std::vector<std::string> known, std::string meaning,
            std::size_t n_required, Layout layout);

  /// Go to the next row of numbers. \return false at the end
  bool next_row();
  /// Whether the table has the known column of this index. \pre  next_row() has been true
  bool has(std::size_t column) const { return column_[column] >= 0; }
  /// The number in the row's entry of a known column. \pre  has(column)
  double operator[](std::size_t column) const;

  bool has_names() const { return has_names_; }
  std::size_t n_entries() const { return words_.size(); }  ///< number of entries in the row

  [[noreturn]] void refuse(const std::string& problem, const std::string& why) const;
  /// Throw an InputError with the meaning of a row as the reason.
  [[noreturn]] void refuse(const std::string& problem) const { refuse(problem, meaning_); }

 private:
  bool next_line();
  void choose_separator();
  void split_line();
  void expect_no_decimal_comma() const;
  [[noreturn]] void refuse_word(const std::string& word) const;
  bool read_first_row();

  std::istream& text_;
  std::string file_name_;
  std::vector<std::string> known_;
  std::string meaning_;
  std::size_t n_required_;
  Layout layout_;
  std::string line_;
  std::size_t line_number_ = 0;
  std::vector<std::string> words_;
  std::vector<int> column_;   ///< by known name: index of its column in the file, or -1
  std::size_t n_needed_ = 0;  ///< number of entries that a row must have; 0: not known yet
  std::size_t n_named_ = 0;   ///< number of names in the first row
  bool has_names_ = false;
  bool has_rows_ = false;  ///< whether a row of numbers has been read
  char separator_ = ' ';   ///< separator in an open table; a blank stands for any number of blanks and tabs
};

}  // namespace freshet
