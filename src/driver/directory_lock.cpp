// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/directory_lock.hpp"

#include "freshet/core/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>

namespace freshet {
namespace {

/// The name that the run with the lock wrote into the file.
std::string owner_of(int file) {
  std::array<char, 256> text{};
  const ssize_t n = ::pread(file, text.data(), text.size(), 0);
  const std::string_view words(text.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  return std::string(words.substr(0, words.find('\n')));
}

/// Longest wait for the lock: processes of a run that was killed take a moment to end.
constexpr std::chrono::seconds patience{5};

std::string own_name() {
  std::array<char, 200> machine{};
  gethostname(machine.data(), machine.size() - 1);
  return fmt::format("process {} on {}\n", ::getpid(), machine.data());
}

}  // namespace

DirectoryLock::DirectoryLock(const std::string& directory) {
  const std::string path = directory + "/run.lock";
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw FileError(fmt::format("cannot create {} ({}).", path, std::strerror(errno)));
  using Clock = std::chrono::steady_clock;
  const auto last = Clock::now() + patience;
  int status = 0;
  while ((status = ::flock(file_, LOCK_EX | LOCK_NB)) != 0 && errno == EWOULDBLOCK && Clock::now() < last)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  holds_ = status == 0;
  if (!holds_ && errno == EWOULDBLOCK) {
    const std::string owner = owner_of(file_);
    ::close(file_);
    throw InputError(
        fmt::format("another run writes to {} ({}). Wait for it, or choose another --output-dir "
                    "(inputs/troubleshooting.md#restart)",
                    directory, owner.empty() ? "it does not say who" : owner));
  }
  const std::string name = own_name();
  const bool named =
      ::ftruncate(file_, 0) == 0 && ::pwrite(file_, name.data(), name.size(), 0) == static_cast<ssize_t>(name.size());
  static_cast<void>(named);  // a full disk may lose the name; the lock holds
}

DirectoryLock::~DirectoryLock() {
  ::close(file_);
}

}  // namespace freshet
