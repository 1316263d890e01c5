// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/mpi_test.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace freshet::test {

/// A folder that all ranks see, with what rank 0 puts into it; it goes with the object.
class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("freshet_" + name + "_" + world().broadcast(std::to_string(getpid())))) {
    if (world().is_root()) std::filesystem::create_directories(path_);
    world().barrier();
  }
  ~Folder() {
    world().barrier();
    if (world().is_root()) std::filesystem::remove_all(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& name, const std::string& bytes) const {
    if (world().is_root()) std::ofstream(path_ / name, std::ios::binary) << bytes;
    world().barrier();
  }
  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace freshet::test
