// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace freshet {

/// Writes lines for the user to standard output, and to a file once one is open. Only the root rank writes.
///
/// Every line is flushed, so that the file of a killed run is complete.
class Log {
 public:
  enum class Speaker { root, silent };
  enum class FileMode { replace, append };

  explicit Log(Speaker speaker) : speaker_(speaker) {}
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// Write later lines to this file too; a file that was open before is closed.
  /// \return false if the file cannot be opened; always true where the log is silent
  [[nodiscard]] bool open(const std::string& path, FileMode mode);

  template <class... Args>
  void info(fmt::format_string<Args...> format, Args&&... args) {
    if (speaker_ == Speaker::root) write(fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void warn(fmt::format_string<Args...> format, Args&&... args) {
    if (speaker_ == Speaker::root) write("warning: " + fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  void write(std::string_view line);

  Speaker speaker_;
  std::FILE* file_ = nullptr;
};

}  // namespace freshet
