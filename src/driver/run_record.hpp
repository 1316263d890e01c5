// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace freshet {

/// What the program reads from an earlier run's run.json, which RunOutput writes.
struct RunRecord {
  std::string input;            ///< path of the case file; empty if run.json lacks it
  bool is_done = false;         ///< the run reached the end of its case
  bool has_checkpoint = false;  ///< the run wrote a checkpoint
};

/// The record of the run in a directory; nothing if there is no readable run.json. For one rank
std::optional<RunRecord> read_run_record(const std::string& directory);

}  // namespace freshet
