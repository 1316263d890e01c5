// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace freshet {

/// Keeps a second run out of an output directory for as long as the object lives: a lock on its file run.lock, which
/// the system drops when the process ends, however it ends. The constructor waits some seconds for a run that is just
/// ending. On file systems without locks nothing keeps a second run out. For one rank.
class DirectoryLock {
 public:
  /// Errors: InputError if another process has the lock; FileError if the file cannot be made
  explicit DirectoryLock(const std::string& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  bool holds() const { return holds_; }  ///< false: the file system has no locks

 private:
  int file_;
  bool holds_ = false;
};

}  // namespace freshet
