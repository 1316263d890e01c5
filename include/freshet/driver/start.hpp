// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/driver/commands.hpp"
#include "freshet/driver/directory_lock.hpp"
#include "freshet/io/checkpoint.hpp"
#include "freshet/parallel/communicator.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace freshet {

/// What happens to an earlier run that the output directory holds.
enum class Existing {
  refuse,
  replace,
  go_on  ///< keep what it wrote up to the checkpoint
};

/// How a run begins.
struct Start {
  std::optional<RestoredState> state;  ///< of the checkpoint; empty: the run begins at time 0
  std::string checkpoint;              ///< path of the checkpoint's file
  Existing existing = Existing::refuse;
  std::vector<std::string> new_gauges;  ///< names of gauges that the checkpoint's run did not have
  std::vector<std::string> remarks;     ///< lines for the log: checkpoints that were skipped, keys that have changed
};

/// Lock a directory that holds a run before any of its files is read, so that no other process changes them between
/// the choice of a checkpoint and the first write. A directory without a run is left alone.
/// \return on the root rank the lock; else nothing
/// Errors: InputError on all ranks if another process has it. Parallel: collective
std::unique_ptr<DirectoryLock> lock_earlier_run(const Communicator& comm, const std::string& output_directory);

/// Follow --restart and --force.
///
/// `--restart auto` goes on from the newest checkpoint of the output directory that is whole, and says which newer ones
/// it skipped; if there is none at all, the run starts at time 0. `--restart PATH` goes on from that checkpoint, or
/// from the newest whole one of that output directory. The files of the output directory are kept, up to the
/// checkpoint's step, if the checkpoint is its own. Errors: InputError if keys have changed that may not (all of them
/// are named), or for both options at once; FileError if no checkpoint can be read, though there are some. Parallel:
/// collective
Start choose_start(const Communicator& comm, const RunOptions& options, const Parameters& parameters);

}  // namespace freshet
