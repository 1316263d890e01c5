// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/atomic_file.hpp"

#include "freshet/core/error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace freshet {
namespace {

[[noreturn]] void throw_system_error(const char* what, const std::string& path) {
  throw FileError(fmt::format("cannot {} {} ({}).", what, path, std::strerror(errno)));
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), temporary_(path + ".tmp") {
  file_.reset(std::fopen(temporary_.c_str(), "wb"));
  if (!file_) throw_system_error("create", temporary_);
}

AtomicFile::~AtomicFile() {
  file_.reset();
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) throw_system_error("write", path_);
}

void AtomicFile::commit() {
  if (std::fclose(file_.release()) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0)
    throw_system_error("write", path_);
  temporary_.clear();
}

}  // namespace freshet
