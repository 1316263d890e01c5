// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/start.hpp"

#include "freshet/config/choices.hpp"
#include "freshet/config/read.hpp"
#include "freshet/driver/run_numbers.hpp"
#include "freshet/io/checkpoint_directory.hpp"
#include "freshet/parallel/agree.hpp"
#include "run_record.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

namespace freshet {
namespace {

namespace fs = std::filesystem;

/// The result of f() on rank 0, returned on all ranks.
template <class Function>
bool asked_on_root(const Communicator& comm, Function&& f) {
  return comm.any(comm.is_root() && f());
}

/// Read one checkpoint, take over what its run chose, and check that it may go on with these parameters. Collective
void load(const Communicator& comm, const std::string& path, Parameters& parameters, Start& start) {
  std::vector<std::string> kept;
  Parameters now = parameters;
  Domain domain(now.domain);
  start.state = read_checkpoint(comm, path, domain, now.balance, [&](const std::string& earlier) {
    kept = keep_choices(earlier, now);
    domain = Domain(now.domain);  // read after this call only
    const InputChanges changes = compare_inputs(earlier, now);
    if (!changes.refused.empty())
      throw InputError(
          fmt::format("{}: a run cannot go on from {} with other values of\n  {}\nGive them as they were, or start "
                      "anew (inputs/troubleshooting.md#restart)",
                      parameters.source_file, path, fmt::join(changes.refused, "\n  ")));
    start.changes = changes.allowed;
    start.new_gauges = changes.new_gauges;
  });
  run_numbers(start.state->numbers,
              start.state->n_particles);  // throws for inconsistent numbers: such a checkpoint is skipped
  parameters = std::move(now);
  start.checkpoint = path;
  for (const std::string& value : kept)
    start.remarks.push_back(
        "kept as the run began, as the case does not set it (the run's value -> that of a new run): " + value);
}

/// Read the newest complete checkpoint of an output directory. \return false if there is no checkpoint. Collective
bool load_newest(const Communicator& comm, const std::string& output_directory, Parameters& parameters, Start& start) {
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
  throw FileError(
      fmt::format("none of the checkpoints in {} can be read:\n  {}\nMend that, or start anew with --force, which "
                  "removes them (inputs/troubleshooting.md#restart)",
                  directory.path(), fmt::join(start.remarks, "\n  ")));
}

bool same_place(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

/// How far an earlier run came, as its run.json says.
enum class EarlierRun { none, done, without_checkpoint, with_checkpoint, unknown };

EarlierRun earlier_run(const std::string& output_directory) {
  std::error_code error;
  if (!fs::exists(fs::path(output_directory) / "run.json", error)) return EarlierRun::none;
  const std::optional<RunRecord> record = read_run_record(output_directory);
  if (!record) return EarlierRun::unknown;
  if (record->is_done) return EarlierRun::done;
  return record->has_checkpoint ? EarlierRun::with_checkpoint : EarlierRun::without_checkpoint;
}

/// Read the checkpoint of --restart PATH. Collective
void load_given(const Communicator& comm, const RunOptions& options, Parameters& parameters, Start& start) {
  const fs::path path(options.restart);
  std::error_code error;
  agree_on_root(comm, [&] {
    const fs::file_status status = fs::status(path, error);
    const bool is_missing = status.type() == fs::file_type::not_found;
    if (!fs::exists(status))
      throw InputError(fmt::format("--restart {}: {}. Give a checkpoint, or auto", options.restart,
                                   is_missing ? "there is no such file" : error.message()));
  });
  fs::path output_directory = path;
  const bool is_latest = path.filename() == "latest" || path.filename() == "checkpoints";
  if (is_latest) output_directory = fs::absolute(path.filename() == "latest" ? path.parent_path() : path).parent_path();
  if (is_latest || asked_on_root(comm, [&] { return fs::is_directory(path, error); })) {
    if (!load_newest(comm, output_directory.string(), parameters, start))
      throw InputError(fmt::format("--restart {}: no checkpoints in this directory", options.restart));
  } else {
    try {
      load(comm, options.restart, parameters, start);
    } catch (const FileError& unreadable) {  // the user named the file
      std::string why = unreadable.what();
      if (why.ends_with('.')) why.pop_back();
      throw InputError(fmt::format("--restart {}: {}. Give a checkpoint, or auto", options.restart, why));
    }
    output_directory = fs::absolute(path).parent_path().parent_path();
  }
  if (asked_on_root(comm, [&] { return same_place(output_directory, options.output_dir); }))
    start.existing = Existing::go_on;
}

}  // namespace

std::unique_ptr<DirectoryLock> lock_earlier_run(const Communicator& comm, const std::string& output_directory) {
  std::unique_ptr<DirectoryLock> lock;
  agree_on_root(comm, [&] {
    std::error_code error;
    const fs::path directory(output_directory);
    if (fs::exists(directory / "run.json", error) || fs::exists(directory / "checkpoints", error))
      lock = std::make_unique<DirectoryLock>(output_directory);
  });
  return lock;
}

Start choose_start(const Communicator& comm, const RunOptions& options, Parameters& parameters) {
  Start start;
  start.existing = options.force ? Existing::replace : Existing::refuse;
  if (options.restart.empty()) return start;
  if (options.restart != "auto") {
    load_given(comm, options, parameters, start);
    return start;
  }
  if (options.force) throw InputError("--force starts anew and --restart auto goes on (usage). Give one of them");
  const bool found = load_newest(comm, options.output_dir, parameters, start);
  if (found) {
    start.existing = Existing::go_on;
    return start;
  }
  const auto was = [&](EarlierRun kind) {
    return asked_on_root(comm, [&] { return earlier_run(options.output_dir) == kind; });
  };
  if (was(EarlierRun::with_checkpoint))
    throw InputError(fmt::format(
        "--restart auto: the run in {} has written checkpoints, but its directory checkpoints has none now. Put them "
        "back, or start anew with --force, which removes that run's snapshots (inputs/troubleshooting.md#restart)",
        options.output_dir));
  if (was(EarlierRun::done))
    throw InputError(fmt::format(
        "--restart auto: the run in {} is done, and its directory checkpoints has none to go on from. Put one back, or "
        "start anew with --force, which removes that run's snapshots (inputs/troubleshooting.md#restart)",
        options.output_dir));
  if (was(EarlierRun::without_checkpoint))
    start.existing = Existing::replace;  // the run ended before its first checkpoint
  return start;
}

}  // namespace freshet
