// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace freshet {

/// What the program asks of an earlier run's run.json, which RunOutput writes.
struct RunRecord {
  std::string input;            ///< path of the case file; empty if it is not named
  bool is_done = false;         ///< the run has come to the end of its case
  bool has_checkpoint = false;  ///< it has written a checkpoint
};

/// The record of the run in a directory; nothing if there is no run.json, or none that can be read. For one rank
std::optional<RunRecord> read_run_record(const std::string& directory);

}  // namespace freshet
