// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace freshet {

/// A file that is written in order under a temporary name, which commit() changes to the final one: a file with the
/// final name is complete. Without commit() no file is left. For one rank. Errors: FileError, also if another process
/// writes the same file
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::string temporary_;  ///< temporary name; empty once the file has its final name
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace freshet
