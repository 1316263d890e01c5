// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/atomic_file.hpp"

#include "freshet/core/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace freshet {
namespace {

[[noreturn]] void throw_system_error(const char* what, const std::string& path) {
  throw FileError(fmt::format("cannot {} {} ({}).", what, path, std::strerror(errno)));
}

/// A file descriptor that is closed unless it is released.
class Descriptor {
 public:
  explicit Descriptor(const std::string& path) : number_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  void release() { number_ = -1; }

 private:
  int number_;
};

/// Whether a path still leads to an open file; another process may have renamed the file.
bool leads_to(const std::string& path, int file) {
  using Status = struct stat;
  Status open_file{};
  Status named_file{};
  return ::fstat(file, &open_file) == 0 && ::stat(path.c_str(), &named_file) == 0 &&
         open_file.st_dev == named_file.st_dev && open_file.st_ino == named_file.st_ino;
}

bool is_regular(int file) {
  using Status = struct stat;
  Status status{};
  return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

/// Create an empty file, locked against other processes that write it. File systems without locks do not lock it.
std::FILE* open_alone(const std::string& path) {
  for (;;) {
    Descriptor file(path);
    if (file.number() < 0) throw_system_error("create", path);
    if (is_regular(file.number())) {
      if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        throw FileError(fmt::format("cannot create {} (another process is writing it).", path));
      if (!leads_to(path, file.number())) continue;  // the other process has just finished
      if (::ftruncate(file.number(), 0) != 0) throw_system_error("write", path);
    }
    std::FILE* const stream = ::fdopen(file.number(), "wb");
    if (stream == nullptr) throw_system_error("create", path);
    file.release();
    return stream;
  }
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), temporary_(path + ".tmp") {
  file_.reset(open_alone(temporary_));
}

AtomicFile::~AtomicFile() {
  if (file_ && !temporary_.empty()) std::remove(temporary_.c_str());  // the file goes before its lock ends
}

void AtomicFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) throw_system_error("write", path_);
}

/// The lock is held until the file has its final name. Closing a second descriptor shows whether all of it was written.
void AtomicFile::commit() {
  if (std::fflush(file_.get()) != 0 || ::close(::dup(::fileno(file_.get()))) != 0 ||
      std::rename(temporary_.c_str(), path_.c_str()) != 0)
    throw_system_error("write", path_);
  temporary_.clear();
  file_.reset();
}

}  // namespace freshet
