// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/checkpoint_directory.hpp"

#include "freshet/core/text.hpp"
#include "freshet/io/text_files.hpp"
#include "freshet/parallel/agree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

namespace freshet {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "chk_";
constexpr std::string_view ending = ".h5";
constexpr std::string_view superseded = ".superseded";

/// List the steps with a checkpoint, newest first. For one rank.
std::vector<std::int64_t> list_steps(const std::string& directory) {
  std::vector<std::int64_t> steps;
  if (!fs::is_directory(directory)) return steps;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const auto step = number_in_name(entry.path().filename().string(), prefix, ending);
    if (step && entry.is_regular_file()) steps.push_back(*step);
  }
  std::sort(steps.begin(), steps.end(), std::greater<>());
  return steps;
}

/// Remove unfinished files of a run that was killed, and superseded files.
void remove_leftovers(const std::string& directory) {
  if (!fs::is_directory(directory)) return;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && (name.ends_with(".tmp") || name.ends_with(superseded)))
      fs::remove_all(entry.path());
  }
}

}  // namespace

CheckpointDirectory::CheckpointDirectory(const Communicator& comm, const std::string& output_directory)
    : comm_(comm), directory_((fs::path(output_directory) / "checkpoints").string()) {}

std::string CheckpointDirectory::path_of(std::int64_t step) const {
  return fmt::format("{}/{}{:06}{}", directory_, prefix, step, ending);
}

std::int64_t CheckpointDirectory::write(const CheckpointState& state, const InputRecord& input, int keep) {
  const std::int64_t step = state.step;
  if (step == last_step_) return 0;
  agree_on_root(comm_,
                [&] {  // not the folders above: a deleted output directory must not come back half empty
                  std::error_code error;
                  fs::create_directory(directory_, error);
                  if (error) throw FileError(fmt::format("cannot create {} ({}).", directory_, error.message()));
                });
  const std::string path = path_of(step);
  write_checkpoint(comm_, path, state, input);
  last_step_ = step;
  std::int64_t bytes = 0;
  agree_on_root(comm_, [&] {
    bytes = static_cast<std::int64_t>(fs::file_size(path));
    write_text_atomically(directory_ + "/latest", fs::path(path).filename().string() + "\n");
    const std::vector<std::int64_t> steps = list_steps(directory_);
    for (auto n = static_cast<std::size_t>(keep); n < steps.size(); ++n) fs::remove(path_of(steps[n]));
  });
  return comm_.max(bytes);
}

std::vector<std::int64_t> CheckpointDirectory::steps() const {
  std::vector<std::int64_t> steps;
  agree_on_root(comm_, [&] { steps = list_steps(directory_); });
  comm_.broadcast(steps);
  return steps;
}

void CheckpointDirectory::go_on_from(std::int64_t step) {
  last_step_ = step;
  agree_on_root(comm_, [&] {
    remove_leftovers(directory_);
    for (const std::int64_t later : list_steps(directory_)) {
      const std::string path = path_of(later);
      if (later > step) fs::rename(path, path + std::string(superseded));
    }
    write_text_atomically(directory_ + "/latest", fs::path(path_of(step)).filename().string() + "\n");
  });
}

void CheckpointDirectory::clear() const {
  remove_leftovers(directory_);
  for (const std::int64_t step : list_steps(directory_)) fs::remove(path_of(step));
  fs::remove(directory_ + "/latest");
}

bool CheckpointDirectory::is_empty() const {
  return list_steps(directory_).empty();
}

}  // namespace freshet
