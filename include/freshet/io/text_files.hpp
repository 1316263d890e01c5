// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace freshet {

/// Write a file under a temporary name, then rename it: readers find the old text or the new one, never a part.
/// For one rank. Errors: FileError; the temporary file is removed
void write_text_atomically(const std::string& path, const std::string& text);

/// A column of a table: its name, and its unit if it has one.
struct CsvColumn {
  std::string name;
  std::string unit;  ///< unit without brackets; empty: a pure number
};

/// A table in a text file, one line for each row. For one rank.
///
/// Rows are written once the oldest of them has waited for `longest_wait`, and by flush(). The destructor
/// writes no rows.
///
/// The first line names the columns with their units: "t [s],dt [s],particles". Numbers read back to the same bits. If
/// somebody moves, replaces or empties the file between two rows, a new table begins with the next rows, with a
/// warning; a file with other columns in its place is renamed first.
class CsvWriter {
 public:
  using Warn = std::function<void(const std::string& warning)>;
  using Clock = std::chrono::steady_clock;

  /// If `go_on_after` is given, rows of an earlier run stay if their first number is at most `go_on_after`. Later rows
  /// are dropped, and so are rows that were cut short: they have no end of line or another number of columns. If
  /// `go_on_after` is not given, the file is replaced.
  ///
  /// \param[in] warn          called with a sentence when a table was lost, and when rows were cut short
  /// \param[in] longest_wait  longest time for which a row waits
  /// Errors: FileError
  CsvWriter(const std::string& path, const std::vector<CsvColumn>& columns,
            std::optional<std::int64_t> go_on_after = std::nullopt, Warn warn = {},
            Clock::duration longest_wait = Clock::duration::zero());

  /// Add a row with one value for each column: a number as text, or text without commas. Errors: FileError
  void row(const std::vector<std::string>& values);
  /// Write the rows that wait. Errors: FileError; these rows are then lost
  void flush();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void open(std::optional<std::int64_t> keep_up_to);
  bool is_in_place() const;
  std::string keep_rows(std::int64_t up_to) const;
  void put_aside();

  std::string path_;
  std::string header_;
  std::vector<CsvColumn> columns_;
  Warn warn_;
  std::unique_ptr<std::FILE, Close> file_;
  std::int64_t bytes_ = 0;  ///< size of the file after the last row
  std::string waiting_;     ///< rows that are not in the file yet
  Clock::duration longest_wait_;
  Clock::time_point written_ = Clock::now() - std::chrono::hours(1);
};

}  // namespace freshet
