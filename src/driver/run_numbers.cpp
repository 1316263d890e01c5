// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/run_numbers.hpp"

#include "freshet/core/error.hpp"
#include "freshet/driver/step_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

namespace freshet {
namespace {

constexpr std::int64_t most_counted = std::int64_t{1} << 56;  ///< bound of a counter, so that sums do not overflow

[[noreturn]] void refuse(const std::string& what) {
  throw FileError("the checkpoint does not fit together: " + what + ".");
}

/// Check that particles that came less particles that went are those that exist. \pre no counter exceeds most_counted
void check_ledger(const RunNumbers& numbers, GlobalIndex n_particles) {
  const GlobalIndex came = numbers.seeded + numbers.emitted + numbers.reseeded + numbers.band_seeded;
  const GlobalIndex went = numbers.left_domain + numbers.absorbed + numbers.removed + numbers.band_removed;
  if (n_particles + went != came)
    refuse(fmt::format("{} particles and {} that went are not the {} that came", n_particles, went, came));
  if (numbers.next_id < came) refuse(fmt::format("next_id is {} after {} particles", numbers.next_id, came));
}

/// Check that velocities lead or lag positions by at most dt, and that a predicted step is as long as the last one.
void check_times(const RunNumbers& numbers) {
  const bool fits = std::abs(numbers.velocity_lead) <= numbers.dt;
  if (!fits && numbers.velocity_lead != RunNumbers::not_known)
    refuse(fmt::format("velocity_lead is {}", numbers.velocity_lead));
  if (numbers.foreseen != 0.0 && numbers.foreseen != numbers.dt)
    refuse(fmt::format("foreseen is {}", numbers.foreseen));
}

}  // namespace

std::vector<RunNumber> run_number_table() {
  std::vector<RunNumber> table = {
      {"step", &RunNumbers::step},
      {"time", &RunNumbers::time},
      {"dt", &RunNumbers::dt},
      {"steps_since_rebuild", &RunNumbers::steps_since_rebuild},
      {"uneven", &RunNumbers::uneven, false, true},
      {"snapshots", &RunNumbers::snapshots},
      {"end_snapshot", &RunNumbers::end_snapshot, false, true},
      {"surfaces", &RunNumbers::surfaces, false, true},
      {"end_surface", &RunNumbers::end_surface, false, true},
      {"output_until", &RunNumbers::output_until, false, true},
      {"start_acceleration", &RunNumbers::start_acceleration, false, true},
      {"velocity_lead", &RunNumbers::velocity_lead, false, true},
      {"foreseen", &RunNumbers::foreseen, false, true},
      {"initial_liquid_cells", &RunNumbers::initial_liquid_cells},
      {"initial_volume", &RunNumbers::initial_volume, false, true},
      {"density_error", &RunNumbers::density_error, false, true},
      {"largest_density_error", &RunNumbers::largest_density_error, false, true},
      {"overfull_cells", &RunNumbers::overfull_cells, false, true},
      {"seeded", &RunNumbers::seeded, true},
      {"dropped_in_solid", &RunNumbers::dropped_in_solid, true},
      {"dropped_outside", &RunNumbers::dropped_outside, true, true},
      {"next_id", &RunNumbers::next_id},
      {"restarts", &RunNumbers::restarts},
      {"wall_seconds", &RunNumbers::wall_seconds},
  };
  for (const StepNumber& number : step_numbers())
    if (number.total) table.push_back({number.name, *number.total, true, true});
  for (const StepEvent& event : step_events()) table.push_back({event.name, event.count, true, true});
  return table;
}

std::vector<NamedNumber> named(const RunNumbers& numbers) {
  std::vector<NamedNumber> result;
  for (const RunNumber& row : run_number_table())
    visit_number(numbers, row.member, [&](auto value) { result.push_back({row.name, value}); });
  return result;
}

RunNumbers run_numbers(std::span<const NamedNumber> kept, GlobalIndex n_particles) {
  RunNumbers numbers;
  numbers.velocity_lead = RunNumbers::not_known;
  for (const RunNumber& row : run_number_table()) {
    const auto found =
        std::find_if(kept.begin(), kept.end(), [&](const NamedNumber& number) { return number.name == row.name; });
    if (found == kept.end() && row.may_be_absent) continue;
    if (found == kept.end()) refuse(fmt::format("it has no {}", row.name));
    visit_number(numbers, row.member, [&](auto& value) {
      using Number = std::remove_cvref_t<decltype(value)>;
      const Number* number = std::get_if<Number>(&found->value);
      if (number == nullptr) refuse(fmt::format("{} is of another type", row.name));
      value = *number;
      const bool may_be_negative = row.may_be_absent && !std::is_integral_v<Number>;  // a time or an energy
      if (!(value >= 0) && !may_be_negative) refuse(fmt::format("{} is {}", row.name, value));
      if (std::is_integral_v<Number> && value > most_counted) refuse(fmt::format("{} is {}", row.name, value));
    });
  }
  check_ledger(numbers, n_particles);
  check_times(numbers);
  return numbers;
}

}  // namespace freshet
