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

/// What to do with an earlier run in the output directory.
enum class Existing {
  refuse,
  replace,
  go_on  ///< keep its output up to the checkpoint
};

/// How a run begins.
struct Start {
  std::optional<RestoredState> state;  ///< state of the checkpoint; empty: the run begins at time 0
  std::string checkpoint;              ///< path of the checkpoint's file
  Existing existing = Existing::refuse;
  std::vector<std::string> new_gauges;  ///< names of gauges that the checkpoint's run did not have
  std::vector<std::string> changes;     ///< keys that have another value than in the checkpoint's run, with both
  std::vector<std::string> remarks;     ///< warnings on skipped checkpoints and on keys that keep the run's values
};

/// Lock a directory that holds a run before any of its files is read, so that no other process changes them between
/// the choice of a checkpoint and the first write. A directory without a run is left alone.
/// \return on the root rank the lock; else nothing
/// Errors: InputError on all ranks if another process has it. Parallel: collective
std::unique_ptr<DirectoryLock> lock_earlier_run(const Communicator& comm, const std::string& output_directory);

/// Choose how a run starts, as --restart and --force say.
///
/// `--restart auto` goes on from the newest complete checkpoint of the output directory and names newer ones that it
/// skipped; without any checkpoint the run starts at time 0. `--restart PATH` goes on from that checkpoint, or from the
/// newest complete one of that output directory. If the checkpoint lies in the output directory, the files there are
/// kept up to the checkpoint's step.
/// \param[in,out] parameters  keys that the case leaves to the program get the values with which the checkpoint's run
/// began; see keep_choices()
/// Errors: InputError if keys have changed that may not (all of them are named), or for both options at once; FileError
/// if there are checkpoints but none can be read. Parallel: collective
Start choose_start(const Communicator& comm, const RunOptions& options, Parameters& parameters);

}  // namespace freshet
