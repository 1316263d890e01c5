// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/text_files.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/error.hpp"
#include "freshet/core/text.hpp"
#include "freshet/io/atomic_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <utility>

namespace freshet {
namespace {

[[noreturn]] void fail(const char* what, const std::string& path) {
  throw FileError(fmt::format("cannot {} {} ({}).", what, path, std::strerror(errno)));
}

/// Read the first line of a regular file; nothing if there is no such file.
std::optional<std::string> first_line(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return std::nullopt;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The part of a table that an earlier run leaves.
struct KeptRows {
  std::string text;           ///< first line and kept rows
  std::string last;           ///< last kept row; empty: there is none
  std::int64_t n_broken = 0;  ///< number of incomplete rows, which are left out
};

/// Keep the first line of a table and those complete rows whose first number is at most `last`.
KeptRows rows_up_to(const std::string& path, std::int64_t last, std::size_t n_columns) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  KeptRows kept;
  if (std::getline(file, line) && !file.eof()) kept.text = line + "\n";
  while (std::getline(file, line)) {
    const auto first = number_in<std::int64_t>(std::string_view(line).substr(0, line.find(',')));
    const auto n_commas = static_cast<std::size_t>(std::ranges::count(line, ','));
    if (file.eof() || !first || n_commas + 1 != n_columns) {  // a line without an end was cut short
      ++kept.n_broken;
    } else if (*first <= last) {
      kept.text += line + "\n";
      kept.last = line;
    }
  }
  if (file.bad()) fail("read", path);
  return kept;
}

/// Describe a row's place, "step 8, t = 0.25 s", from its first columns.
std::string place_of(const std::string& row, const std::vector<CsvColumn>& columns) {
  if (row.empty()) return "its first line";
  const std::size_t end = row.find(',');
  std::string place = columns.front().name + " " + row.substr(0, end);
  if (columns.size() > 1)
    place += fmt::format(", {} = {} {}", columns[1].name, row.substr(end + 1, row.find(',', end + 1) - end - 1),
                         columns[1].unit);
  return place;
}

}  // namespace

void write_text_atomically(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

CsvWriter::CsvWriter(const std::string& path, const std::vector<CsvColumn>& columns,
                     std::optional<std::int64_t> go_on_after, Warn warn, Clock::duration longest_wait)
    : path_(path), columns_(columns), warn_(std::move(warn)), longest_wait_(longest_wait) {
  for (const CsvColumn& column : columns) {
    header_ += fmt::format("{}{}", header_.empty() ? "" : ",", column.name);
    if (!column.unit.empty()) header_ += fmt::format(" [{}]", column.unit);
  }
  open(go_on_after);
}

/// Open the file after the rows that stay, or begin the table.
void CsvWriter::open(std::optional<std::int64_t> keep_up_to) {
  std::string text;
  if (keep_up_to) {
    const std::optional<std::string> found = first_line(path_);
    if (found == header_) {
      text = keep_rows(*keep_up_to);
    } else if (!found || found->empty()) {
      if (*keep_up_to > 0 && warn_) warn_(fmt::format("{} was removed or emptied; the table begins anew", path_));
    } else {
      put_aside();
    }
  }
  if (text.empty()) text = header_ + "\n";
  write_text_atomically(path_, text);
  file_.reset(std::fopen(path_.c_str(), "ab"));
  if (!file_) fail("open", path_);
  bytes_ = static_cast<std::int64_t>(text.size());
}

/// Read the rows that stay. Errors: FileError
std::string CsvWriter::keep_rows(std::int64_t up_to) const {
  KeptRows kept = rows_up_to(path_, up_to, columns_.size());
  if (kept.n_broken > 0 && warn_)
    warn_(fmt::format("{}: {} not whole (a run that was killed leaves such) and left out; the table goes on after {}",
                      path_, kept.n_broken == 1 ? "a row is" : fmt::format("{} rows are", kept.n_broken),
                      place_of(kept.last, columns_)));
  return std::move(kept.text);
}

/// Rename a file with other columns that has the table's name. Errors: FileError
void CsvWriter::put_aside() {
  const std::string aside = path_ + ".other";
  if (std::rename(path_.c_str(), aside.c_str()) != 0) fail("rename", path_);
  if (warn_)
    warn_(fmt::format("{} has other columns than this run's table; it is {} now, and the table begins anew", path_,
                      aside));
}

/// Whether the path still leads to the open file, and nobody else has changed its length.
bool CsvWriter::is_in_place() const {
  using Status = struct stat;
  Status open_file{};
  Status named_file{};
  if (::fstat(::fileno(file_.get()), &open_file) != 0 || ::stat(path_.c_str(), &named_file) != 0) return false;
  return open_file.st_dev == named_file.st_dev && open_file.st_ino == named_file.st_ino && named_file.st_size == bytes_;
}

void CsvWriter::row(const std::vector<std::string>& values) {
  FRESHET_EXPECT(values.size() == columns_.size());
  fmt::format_to(std::back_inserter(waiting_), "{}\n", fmt::join(values, ","));
  if (Clock::now() - written_ >= longest_wait_) flush();
}

void CsvWriter::flush() {
  written_ = Clock::now();
  if (waiting_.empty()) return;
  const std::string rows = std::exchange(waiting_, {});
  if (!is_in_place()) open(std::numeric_limits<std::int64_t>::max());
  if (std::fwrite(rows.data(), 1, rows.size(), file_.get()) != rows.size() || std::fflush(file_.get()) != 0)
    fail("write", path_);
  bytes_ += static_cast<std::int64_t>(rows.size());
}

}  // namespace freshet
