// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/text_files.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

namespace freshet {
namespace {

[[noreturn]] void fail(const char* what, const std::string& path) {
  throw FileError(fmt::format("cannot {} {} ({}).", what, path, std::strerror(errno)));
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

void write_text_atomically(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".tmp";
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (file == nullptr) fail("create", temporary);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    std::remove(temporary.c_str());
    errno = error;
    fail("write", path);
  }
}

void trim_csv(const std::string& path, std::int64_t last) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return;
  std::string line;
  std::string kept;
  if (std::getline(file, line) && !file.eof()) kept = line + "\n";
  while (std::getline(file, line) && !file.eof()) {  // a line without an end was cut short
    std::int64_t first = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), first);
    if (error == std::errc() && *end == ',' && first <= last) kept += line + "\n";
  }
  if (file.bad()) fail("read", path);
  write_text_atomically(path, kept);
}

CsvWriter::CsvWriter(const std::string& path, std::vector<CsvColumn> columns, FileMode mode)
    : path_(path), n_columns_(columns.size()) {
  for (const CsvColumn& column : columns) {
    line_ += fmt::format("{}{}", line_.empty() ? "" : ",", column.name);
    if (!column.unit.empty()) line_ += fmt::format(" [{}]", column.unit);
  }
  const std::string old_header = mode == FileMode::append ? first_line(path) : "";
  if (!old_header.empty() && old_header != line_) {
    throw FileError(fmt::format("cannot go on with {} (it has other columns). Move it away.", path));
  }
  file_.reset(std::fopen(path.c_str(), old_header.empty() ? "wb" : "ab"));
  if (!file_) fail("open", path);
  if (old_header.empty()) write_line(n_columns_);
}

void CsvWriter::row(const std::vector<std::string>& values) {
  line_ = fmt::format("{}", fmt::join(values, ","));
  write_line(values.size());
}

void CsvWriter::write_line(std::size_t n_values) {
  FRESHET_EXPECT(n_values == n_columns_);
  static_cast<void>(n_values);
  line_ += '\n';
  if (std::fwrite(line_.data(), 1, line_.size(), file_.get()) != line_.size() || std::fflush(file_.get()) != 0) {
    fail("write", path_);
  }
}

}  // namespace freshet
