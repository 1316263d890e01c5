// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/log.hpp"

#include "freshet/core/pipe.hpp"
#include "freshet/core/standard_output.hpp"

#include <utility>

namespace freshet {
namespace {

void put_line(std::FILE* file, std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), file);
  std::fputc('\n', file);
}

}  // namespace

Log::~Log() {
  if (file_ != nullptr) std::fclose(file_);
}

bool Log::open(const std::string& path, FileMode mode) {
  if (speaker_ == Speaker::silent) return true;
  if (file_ != nullptr) std::fclose(std::exchange(file_, nullptr));
  if (is_pipe(path)) return false;  // opening a pipe would wait for a reader, and writing would end with it
  file_ = std::fopen(path.c_str(), mode == FileMode::append ? "a" : "w");
  return file_ != nullptr;
}

void Log::write(std::string_view line) {
  put_line(stdout, line);
  flush_standard_output();  // a run goes on if standard output fails: the file has the same lines
  if (file_ == nullptr) return;
  put_line(file_, line);
  std::fflush(file_);
}

}  // namespace freshet
