// SPDX-License-Identifier: Apache-2.0
#include "options_file.hpp"

#include "freshet/core/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <thread>

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

/// Lock a file. \return false if another process holds a lock that excludes this one for longer than writing the file
/// takes. A file system without locks always grants the lock
bool lock(int file, int kind) {
  constexpr std::chrono::seconds patience{2};
  const auto last = std::chrono::steady_clock::now() + patience;
  while (::flock(file, kind | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return true;
    if (std::chrono::steady_clock::now() > last) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

[[noreturn]] void fail(const char* what, const std::string& path) {
  throw FileError(fmt::format("cannot {} {} ({}).", what, path, std::strerror(errno)));
}

}  // namespace

OptionsFile::OptionsFile(std::string path, std::string options, Files files, Use use)
    : path_(std::move(path)), options_(std::move(options)), files_(std::move(files)), use_(use) {
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0 && errno != ENOENT && errno != ENOTDIR) fail("read", path_);
  try {
    if (file_ >= 0 && !lock(file_, LOCK_SH))
      refuse("another command begins to make files of other options", "their options are being written", "Wait for it");
    expect_no_others();
  } catch (const Error&) {
    if (file_ >= 0) ::close(file_);
    throw;
  }
}

OptionsFile::~OptionsFile() {
  if (file_ >= 0) ::close(file_);
}

/// Contents of the file; empty if it does not exist.
std::string OptionsFile::written() const {
  std::string text(1 << 16, '\0');
  const ssize_t n = file_ < 0 ? 0 : ::pread(file_, text.data(), text.size(), 0);
  if (n < 0) fail("read", path_);
  text.resize(static_cast<std::size_t>(n));
  return text;
}

void OptionsFile::refuse(const std::string& problem, const std::string& why, const std::string& remedy) const {
  throw InputError(fmt::format("{}: {} ({}). {}, or another directory by --output",
                               fs::path(path_).parent_path().string(), problem, why, remedy));
}

/// Errors: InputError if files of other options would remain beside those that the command makes
void OptionsFile::expect_no_others() const {
  const std::string before = written();
  if (before == options_) return;
  const std::string which =
      before.empty()
          ? fmt::format("there is no {} to tell them", fs::path(path_).filename().string())
          : fmt::format("{}, and now {}", first_other_line(before, options_), first_other_line(options_, before));
  std::vector<std::string> others;
  for (const std::string& file : files_.all)
    if (fs::is_regular_file(file)) others.push_back(file);
  if (others.empty()) return;
  if (use_ == Use::go_on)
    refuse("files are there that were made with other options", which, "Give --force to make them again");
  std::erase_if(others,
                [this](const std::string& file) { return std::ranges::find(files_.made, file) != files_.made.end(); });
  if (!others.empty())
    refuse(fmt::format("{} files of other frames are there that were made with other options", others.size()), which,
           "Give --force without --frames to make all of them again");
}

void OptionsFile::claim() {
  if (file_ >= 0 && written() == options_) return;
  fs::create_directories(fs::path(path_).parent_path());
  const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) fail("create", path_);
  if (file_ >= 0) ::close(file_);  // also releases its lock
  file_ = file;
  if (!lock(file_, LOCK_EX)) {
    if (lock(file_, LOCK_SH) && written() == options_) return;  // another command wrote them
    refuse("another command makes files of other options there", first_other_line(written(), options_), "Wait for it");
  }
  expect_no_others();  // another command may have run meanwhile
  for (const std::string& name : files_.all) fs::remove(name);
  write();
  lock(file_, LOCK_SH);
}

void OptionsFile::write() const {
  const auto n = static_cast<ssize_t>(options_.size());
  const bool is_written = ::pwrite(file_, options_.data(), options_.size(), 0) == n && ::ftruncate(file_, n) == 0;
  if (is_written) return;
  const int why = errno;
  fs::remove(path_);
  errno = why;
  fail("write", path_);
}

bool is_up_to_date(const std::string& file, const std::string& made_from) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  const auto then = fs::last_write_time(file, error);
  const auto source = fs::last_write_time(made_from, error);
  return error || then >= source;
}

}  // namespace freshet
