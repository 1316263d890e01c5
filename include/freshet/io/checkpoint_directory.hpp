// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/io/checkpoint.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace freshet {

/// The folder `checkpoints` of an output directory. It holds the newest files chk_<step>.h5 and the text file `latest`,
/// which names the last one.
class CheckpointDirectory {
 public:
  /// The constructor touches no file. \param[in] output_directory  output directory of the run
  CheckpointDirectory(const Communicator& comm, const std::string& output_directory);

  /// Write the checkpoint of a step, name it in `latest`, and remove all but the `keep` newest. A step that is the last
  /// one written already is skipped. \return size of the file [bytes]; 0 if the step was skipped. Parallel: collective.
  /// Errors: FileError on all ranks
  std::int64_t write(const CheckpointState& state, const InputRecord& input, int keep);

  /// Steps with a checkpoint file, newest first; the files may be damaged. Collective. Errors: FileError
  std::vector<std::int64_t> steps() const;
  std::string path_of(std::int64_t step) const;
  const std::string& path() const { return directory_; }
  /// The step of the last checkpoint that was written or from which the run went on; -1: there is none.
  std::int64_t last_step() const { return last_step_; }

  /// Prepare for a run that goes on from `step`. Checkpoints of later steps get the ending .superseded, so that they
  /// are never read, and `latest` names the checkpoint of `step`. Collective. Errors: FileError
  void go_on_from(std::int64_t step);
  /// Remove all checkpoints, for a run that starts anew. For rank 0. Errors: std::filesystem::filesystem_error
  void clear() const;
  /// Whether there is no checkpoint. For rank 0
  bool is_empty() const;

 private:
  const Communicator& comm_;
  std::string directory_;
  std::int64_t last_step_ = -1;
};

}  // namespace freshet
