// SPDX-License-Identifier: Apache-2.0
#include "options_file.hpp"

#include "freshet/core/error.hpp"
#include "freshet/io/atomic_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace freshet {
namespace {

namespace fs = std::filesystem;

/// The first line of one text that the other lacks.
std::string first_other_line(const std::string& text, const std::string& other) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (("\n" + other).find("\n" + line + "\n") == std::string::npos) return line;
  return "nothing else";
}

}  // namespace

bool OptionsFile::any_file() const {
  return std::any_of(files_.begin(), files_.end(), [](const std::string& file) { return fs::is_regular_file(file); });
}

std::string OptionsFile::written() const {
  std::ifstream stream(path_);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void OptionsFile::expect_same() const {
  const std::string before = written();
  if (before == options_ || !any_file()) return;
  const std::string which =
      before.empty()
          ? fmt::format("there is no {} to tell them", fs::path(path_).filename().string())
          : fmt::format("{}, and now {}", first_other_line(before, options_), first_other_line(options_, before));
  throw InputError(
      fmt::format("{}: files are there that were made with other options ({}). Give --force to make them again, or "
                  "another directory by --output",
                  fs::path(path_).parent_path().string(), which));
}

void OptionsFile::claim() const {
  if (written() == options_) return;
  for (const std::string& file : files_) fs::remove(file);
  AtomicFile file(path_);
  file.write(options_);
  file.commit();
}

}  // namespace freshet
