// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/log.hpp"

namespace freshet {
namespace {

void write_line(std::FILE* file, std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), file);
  std::fputc('\n', file);
  std::fflush(file);
}

}  // namespace

Log::~Log() {
  if (file_ != nullptr) std::fclose(file_);
}

bool Log::open(const std::string& path, FileMode mode) {
  if (speaker_ == Speaker::silent) return true;
  if (file_ != nullptr) std::fclose(file_);
  file_ = std::fopen(path.c_str(), mode == FileMode::append ? "a" : "w");
  return file_ != nullptr;
}

void Log::write(std::string_view line) {
  write_line(stdout, line);
  if (file_ != nullptr) write_line(file_, line);
}

}  // namespace freshet
