// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/start.hpp"

#include "freshet/config/read.hpp"
#include "freshet/io/checkpoint_directory.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace freshet {
namespace {

namespace fs = std::filesystem;

/// f() of rank 0, on all ranks.
template <class Function>
bool asked_on_root(const Communicator& comm, Function&& f) {
  return comm.any(comm.is_root() && f());
}

/// Read one checkpoint, if its run may go on with these parameters. Collective.
void load(const Communicator& comm, const std::string& path, const Parameters& parameters, Start& start) {
  std::vector<std::string> changed;
  start.state = read_checkpoint(comm, path, parameters, [&](const std::string& earlier) {
    const InputChanges changes = compare_inputs(earlier, parameters);
    if (!changes.refused.empty())
      throw InputError(fmt::format(
          "{}: a run cannot go on from {} with other values of\n  {}\nGive them as they were, or start anew",
          parameters.source_file, path, fmt::join(changes.refused, "\n  ")));
    changed = changes.allowed;
  });
  start.checkpoint = path;
  for (const std::string& change : changed) start.remarks.push_back("changed since the checkpoint: " + change);
}

/// The newest checkpoint of an output directory that is whole. \return false if there is none at all. Collective
bool load_newest(const Communicator& comm, const std::string& output_directory, const Parameters& parameters,
                 Start& start) {
  const CheckpointDirectory directory(comm, output_directory);
  const std::vector<std::int64_t> steps = directory.steps();
  for (const std::int64_t step : steps) {
    try {
      load(comm, directory.path_of(step), parameters, start);
      return true;
    } catch (const FileError& error) {
      start.remarks.push_back(fmt::format("skipped {}: {}", directory.path_of(step), error.what()));
    }
  }
  if (steps.empty()) return false;
  throw FileError(fmt::format("none of the checkpoints in {} can be read:\n  {}\nStart anew with --force",
                              directory.path(), fmt::join(start.remarks, "\n  ")));
}

bool same_place(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

/// Whether a run.json is that of a run that came to its end.
bool says_done(const fs::path& run_json) {
  std::ifstream file(run_json);
  for (std::string line; std::getline(file, line);)
    if (line.find("\"status\": \"done\"") != std::string::npos) return true;
  return false;
}

/// --restart PATH. Collective.
void load_given(const Communicator& comm, const RunOptions& options, const Parameters& parameters, Start& start) {
  const fs::path path(options.restart);
  if (!asked_on_root(comm, [&] { return fs::exists(path); }))
    throw InputError(fmt::format("--restart {}: there is no such file. Give a checkpoint, or auto", options.restart));
  fs::path output_directory = path;
  if (asked_on_root(comm, [&] { return fs::is_directory(path); })) {
    if (!load_newest(comm, options.restart, parameters, start))
      throw InputError(fmt::format("--restart {}: no checkpoints in this directory", options.restart));
  } else {
    load(comm, options.restart, parameters, start);
    output_directory = fs::absolute(path).parent_path().parent_path();
  }
  if (asked_on_root(comm, [&] { return same_place(output_directory, options.output_dir); }))
    start.existing = Existing::go_on;
}

}  // namespace

Start choose_start(const Communicator& comm, const RunOptions& options, const Parameters& parameters) {
  Start start;
  start.existing = options.force ? Existing::replace : Existing::refuse;
  if (options.restart.empty()) return start;
  if (options.restart != "auto") {
    load_given(comm, options, parameters, start);
    return start;
  }
  if (options.force) throw InputError("--force starts anew and --restart auto goes on (usage). Give one of them");
  const bool found = load_newest(comm, options.output_dir, parameters, start);
  const auto is_done = [&] { return says_done(fs::path(options.output_dir) / "run.json"); };
  if (found) {
    start.existing = Existing::go_on;
  } else if (!asked_on_root(comm, is_done)) {
    start.existing = Existing::replace;  // it ended before its first checkpoint
  }
  return start;
}

}  // namespace freshet
