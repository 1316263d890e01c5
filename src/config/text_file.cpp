// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"
#include "freshet/core/error.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace freshet {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why, const std::string& remedy) {
  throw InputError("cannot read '" + path + "' (" + why + "). " + remedy);
}

}  // namespace

std::string read_text_file(const std::string& path) {
  constexpr std::size_t largest = 1u << 20;  // a case file is text by hand; this also ends endless devices
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse(path, "it is a directory", "Give a case file in TOML");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, std::strerror(errno), "Give the path of a case file");
  std::string text;
  char buffer[1 << 16];
  while (file.read(buffer, sizeof buffer), file.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(file.gcount()));
    if (text.size() > largest) refuse(path, "it is larger than 1 MiB", "Give a case file in TOML");
  }
  if (file.bad()) refuse(path, std::strerror(errno), "Check the file and its file system");
  return text;
}

}  // namespace freshet
