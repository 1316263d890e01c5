// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/io/checkpoint.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

namespace freshet {

/// The numbers of a run that a restart goes on with; the same on all ranks.
struct RunNumbers {
  std::int64_t step = 0;
  double time = 0.0;  ///< [s]
  double dt = 0.0;    ///< length of the last step [s]
  std::int64_t steps_since_rebuild = 0;
  double uneven = 0.0;  ///< imbalance at which rebalance() last found nothing better; 0: none
  // the members of OutputCount for snapshots and for surfaces
  std::int64_t snapshots = 0;
  std::int64_t end_snapshot = 0;
  std::int64_t surfaces = 0;
  std::int64_t end_surface = 0;
  double output_until = 0.0;  ///< output times up to this one have been written [s]; 0: not known
  /// Increase of the largest speed by the solve before the first step, over its dt; bounds the first dt. [m/s^2]
  double start_acceleration = 0.0;
  static constexpr double not_known = std::numeric_limits<double>::infinity();
  double velocity_lead = 0.0;  ///< time of the particles' velocities less that of their positions [s]
  double foreseen = 0.0;       ///< length of the step for which particles have a predicted velocity [s]; 0: none
  GlobalIndex initial_liquid_cells = 0;
  // The ledger of particles: seeded + emitted + reseeded + band_seeded
  //   = particles + left_domain + absorbed + removed + band_removed.
  GlobalIndex seeded = 0;
  GlobalIndex dropped_in_solid = 0;
  GlobalIndex left_domain = 0;
  GlobalIndex pushed_out = 0;
  GlobalIndex emitted = 0;           ///< particles that sources made
  GlobalIndex absorbed = 0;          ///< particles that sinks took
  GlobalIndex reseeded = 0;          ///< particles made where too few were
  GlobalIndex removed = 0;           ///< particles taken where too many were
  GlobalIndex band_seeded = 0;       ///< particles made where the narrow band has come to
  GlobalIndex band_removed = 0;      ///< particles taken where the narrow band has gone
  GlobalIndex next_id = 0;           ///< id of the next particle that is made; no id is used twice
  GlobalIndex retried_steps = 0;     ///< steps begun again with a smaller dt
  GlobalIndex overlong_steps = 0;    ///< steps taken although the velocity was too large for dt
  GlobalIndex pressure_retries = 0;  ///< steps in which the first pressure solver was given up
  GlobalIndex uncoupled_steps = 0;   ///< steps with ViscosityReport::was_coupled_in_vain
  GlobalIndex outer_loops_cut = 0;   ///< steps in which max_outer cut a loop of the walls
  std::int64_t restarts = 0;
  double wall_seconds = 0.0;        ///< wall-clock time so far, over all restarts [s]
  GlobalIndex repositioned = 0;     ///< particles put into the liquid, as no push brought them out of a solid
  GlobalIndex held_back = 0;        ///< particles that sources did not make, as solids covered their inlets
  GlobalIndex spread = 0;           ///< moves of particles by the distribution correction
  double boost_energy = 0.0;        ///< kinetic energy that the vortex boost gave to the grid [J]
  double turbulent_loss = 0.0;      ///< kinetic energy that eddy viscosity and wall law took from the grid [J]
  GlobalIndex dropped_outside = 0;  ///< SeedingReport::dropped_outside
  double initial_volume = 0.0;      ///< volume of the liquid at the start [m^3]; 0: not known
  // results of the last density correction, reported up to the next one
  double density_error = 0.0;
  double largest_density_error = 0.0;
  GlobalIndex overfull_cells = 0;

  bool operator==(const RunNumbers&) const = default;

  using Member = std::variant<GlobalIndex RunNumbers::*, double RunNumbers::*>;
};

/// Call visit(number) with the number of `numbers` that `member` points to.
template <class Numbers, class Visit>
void visit_number(Numbers& numbers, const RunNumbers::Member& member, Visit&& visit) {
  std::visit([&](auto m) { visit(numbers.*m); }, member);
}

/// One number of a run and its name in checkpoints and run.json.
struct RunNumber {
  const char* name;
  RunNumbers::Member member;
  bool in_run_json = false;
  /// A checkpoint of an earlier version may lack the number, which then starts from 0. All totals of step numbers may
  /// be absent, so that a new total needs no new version of the checkpoint.
  bool may_be_absent = false;
};

/// All numbers of a run: first those that are not sums over steps, then the totals of step numbers and events.
std::vector<RunNumber> run_number_table();

/// The numbers with their names, as a checkpoint holds them.
std::vector<NamedNumber> named(const RunNumbers& numbers);

/// The numbers of a checkpoint. \param[in] n_particles  number of particles on all ranks
/// Errors: FileError if a number is missing or impossible, or if the ledger of particles does not add up. Ranks that
/// give the same numbers throw the same error
RunNumbers run_numbers(std::span<const NamedNumber> kept, GlobalIndex n_particles);

}  // namespace freshet
