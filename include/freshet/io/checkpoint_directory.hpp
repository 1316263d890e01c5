// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/io/checkpoint.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace freshet {

/// `checkpoints/` of an output directory: chk_<step>.h5, the newest of them kept, and `latest`, a text file that names
/// the last one.
class CheckpointDirectory {
 public:
  /// Reads nothing and makes nothing yet. \param[in] output_directory  of the run
  CheckpointDirectory(const Communicator& comm, const std::string& output_directory);

  /// Write the checkpoint of a step, then name it in `latest`, then remove all but the `keep` newest. A step that this
  /// object has written already is not written again.
  /// \return the file's size [bytes]; 0: not written again. Parallel: collective. Errors: FileError on all ranks
  std::int64_t write(const CheckpointState& state, const InputRecord& input, int keep);

  /// Numbers of the steps that have a file, newest first; not whether they are whole. Collective. Errors: FileError
  std::vector<std::int64_t> steps() const;
  std::string path_of(std::int64_t step) const;
  const std::string& path() const { return directory_; }
  /// The step that was written last, or gone on from; -1: none.
  std::int64_t last_step() const { return last_step_; }

  /// A run goes on from `step`: later checkpoints belong to a future that will not come. They get the ending
  /// .superseded, which nothing reads, and `latest` names this one. Collective. Errors: FileError
  void go_on_from(std::int64_t step);
  /// A run starts anew: remove the checkpoints of the one before. For rank 0. Errors: std::filesystem::filesystem_error
  void clear() const;
  /// Whether there is no checkpoint. For rank 0
  bool is_empty() const;

 private:
  const Communicator& comm_;
  std::string directory_;
  std::int64_t last_step_ = -1;
};

}  // namespace freshet
