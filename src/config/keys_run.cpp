// SPDX-License-Identifier: Apache-2.0
// The keys of how long a run goes on, and of what it writes and shares out on the way.
#include "format.hpp"
#include "freshet/pressure/preconditioners.hpp"
#include "key_tables.hpp"
#include "targets.hpp"

namespace freshet::config {
namespace {

constexpr std::int64_t most_steps = 1'000'000'000'000'000;  // sums of two stay far from the largest integer

/// "a, b and c"
std::string rank_independent_preconditioners() {
  std::vector<std::string> names;
  for (const PreconditionerEntry& entry : preconditioners)
    if (entry.agreement == RankAgreement::same_bits) names.emplace_back(entry.name);
  const std::string last = names.back();
  names.pop_back();
  return list_text(names) + " and " + last;
}

}  // namespace

std::vector<Key> run_keys(Parameters::Run& run) {
  return {
      {"run.end_time", above(run.end_time, 0.0), "s", "Simulated time at which the run ends.", at_restart, required},
      {"run.max_steps", between(run.max_steps, 0, most_steps), "", "Stop after this many steps; 0: no limit.",
       at_restart},
      {"run.max_wall_time", at_least(run.max_wall_time, 0.0), "s",
       "Stop in good order after this much wall-clock time; 0: no limit.", at_restart},
      {"run.reproducible", FlagTarget{&run.reproducible}, "",
       "Order the particles of a cell by id, so that a run has the same bits on any number of ranks and threads; with "
       "the preconditioners " +
           rank_independent_preconditioners() + ".",
       at_restart},
      {"run.seed", at_least(run.seed, 0), "", "Seed of all random numbers."},
  };
}

std::vector<Key> service_keys(BalanceOptions& balance, OutputOptions& output) {
  return {
      {"balance.enabled", FlagTarget{&balance.enabled}, "", "Move blocks between ranks when it pays.", at_restart},
      {"balance.threshold", at_least(balance.threshold, 1.0), "",
       "Largest cost of a rank over the mean cost that starts a rebalance.", at_restart},
      {"balance.particle_cost", between(balance.particle_cost, 0.0, 1e9), "", "Cost of a particle in the balance.",
       at_restart},
      {"balance.cell_cost", between(balance.cell_cost, 0.0, 1e9), "", "Cost of an allocated cell in the balance.",
       at_restart},
      {"output.interval", at_least(output.interval, 0.0), "s",
       "Simulated time between snapshots; 0: only the last state.", at_restart},
      {"output.fields", NamesTarget{&output.fields, {"pressure", "velocity", "label", "face_velocity"}}, "",
       "Grid fields to write.", at_restart},
      {"output.max_field_cells", at_least(output.max_field_cells, 0), "",
       "Fields are left out when their bounding box has more cells than this.", at_restart},
      {"output.particles",
       NamesTarget{&output.particles, {"velocity", "id", "tag", "color"}, "a name of [[attribute]]"}, "",
       "Particle data to write besides the position.", at_restart},
      {"output.log_every", at_least(output.log_every, 1), "", "Steps between lines of the log.", at_restart},
      {"output.xdmf", FlagTarget{&output.xdmf}, "", "Write the side file that opens snapshots in ParaView.",
       at_restart},
  };
}

std::vector<Key> checkpoint_keys(CheckpointOptions& checkpoint) {
  return {
      {"checkpoint.interval", at_least(checkpoint.interval, 0.0), "s",
       "Simulated time between checkpoints; 0: not by simulated time.", at_restart},
      {"checkpoint.steps", between(checkpoint.steps, 0, most_steps), "", "Steps between checkpoints; 0: not by steps.",
       at_restart},
      {"checkpoint.wall_interval", at_least(checkpoint.wall_interval, 0.0), "s",
       "Wall-clock time between checkpoints; 0: not by wall-clock time.", at_restart},
      {"checkpoint.keep", at_least(checkpoint.keep, 1), "", "How many checkpoints stay: the newest ones.", at_restart},
  };
}

}  // namespace freshet::config
