// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"
#include "freshet/parallel/environment.hpp"

#include <mpi.h>
#include <omp.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

/// MPI and a place in memory for a fuzzer of files.
namespace freshet::fuzz {

/// From the first call to the end of the program.
class Surroundings {
 public:
  static const Surroundings& get() {
    static const Surroundings surroundings;
    return surroundings;
  }
  const Communicator& comm() const { return comm_; }
  const std::string& path() const { return path_; }
  void remove_file() const { std::filesystem::remove(path_); }  ///< after each input: fuzzers end without destructors

 private:
  Surroundings()
      : environment_("fuzz", {}),
        comm_(MPI_COMM_SELF),
        path_((std::filesystem::exists("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path().string()) +
              "/freshet_fuzz_" + std::to_string(getpid()) + ".h5") {
    omp_set_num_threads(1);
  }

  Environment environment_;
  Communicator comm_;
  std::string path_;
};

}  // namespace freshet::fuzz

/// MPI loses memory of its own; what HDF5 holds is counted by the properties.
extern "C" const char*
__asan_default_options() {  // NOLINT(bugprone-reserved-identifier, readability-identifier-naming)
  return "detect_leaks=0";
}
