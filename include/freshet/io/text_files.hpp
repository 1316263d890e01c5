// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace freshet {

/// Write a file under a temporary name, then rename it: readers see the old text or the new one, never a part.
/// For one rank. Errors: FileError; the temporary file is removed
void write_text_atomically(const std::string& path, const std::string& text);

/// Take the rows out of a table of CsvWriter's whose first number is larger than `last`, and a row that was cut short.
/// Nothing happens if there is no such file. For one rank. Errors: FileError; the table is then as it was
void trim_csv(const std::string& path, std::int64_t last);

/// A column of a table: its name, and its unit if it has one.
struct CsvColumn {
  std::string name;
  std::string unit;  ///< empty: a pure number
};

/// A table in a text file, one line a row, on the disk as soon as it is written. For one rank.
///
/// The first line names the columns with their units, "t [s],dt [s],particles"; numbers are written so that they read
/// back to the same bits.
class CsvWriter {
 public:
  enum class FileMode { replace, append };

  /// append: go on after the rows of an earlier run; the first line must then name the same columns.
  /// Errors: FileError
  CsvWriter(const std::string& path, std::vector<CsvColumn> columns, FileMode mode);

  /// One value a column: numbers as text, or text without commas. Errors: FileError
  void row(const std::vector<std::string>& values);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void write_line(std::size_t n_values);

  std::string path_;
  std::size_t n_columns_ = 0;
  std::string line_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace freshet
