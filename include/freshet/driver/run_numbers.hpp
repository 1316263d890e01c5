// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/io/checkpoint.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace freshet {

/// The numbers of a run that a restart goes on with; the same on all ranks.
struct RunNumbers {
  std::int64_t step = 0;
  double time = 0.0;  ///< [s]
  double dt = 0.0;    ///< of the last step [s]
  std::int64_t steps_since_rebuild = 0;
  std::int64_t snapshots = 0;  ///< written so far
  GlobalIndex initial_liquid_cells = 0;
  // The ledger of particles: seeded + emitted + reseeded = there now + left_domain + absorbed + removed.
  GlobalIndex seeded = 0;
  GlobalIndex dropped_in_solid = 0;
  GlobalIndex left_domain = 0;
  GlobalIndex pushed_out = 0;
  GlobalIndex emitted = 0;   ///< by sources
  GlobalIndex absorbed = 0;  ///< by sinks
  GlobalIndex reseeded = 0;  ///< where too few were
  GlobalIndex removed = 0;   ///< where too many were
  GlobalIndex next_id = 0;   ///< of the next particle that is made; ids are never used again
  std::int64_t retried_steps = 0;
  std::int64_t restarts = 0;
  double wall_seconds = 0.0;        ///< spent so far, restarts together [s]
  GlobalIndex repositioned = 0;     ///< out of solids that no push got them out of
  GlobalIndex held_back = 0;        ///< of sources, by solids over their inlets
  GlobalIndex spread = 0;           ///< moves of particles by the distribution correction
  double boost_energy = 0.0;        ///< that the vortex boost gave to the grid [J]
  GlobalIndex dropped_outside = 0;  ///< particles of files that lay outside the domain

  bool operator==(const RunNumbers&) const = default;

  /// True of a number that checkpoints of earlier versions do not have: it is 0 then.
  static bool came_later(std::string_view name) {
    return name == "repositioned" || name == "held_back" || name == "spread" || name == "boost_energy" ||
           name == "dropped_outside";
  }
  static bool may_be_negative(std::string_view name) { return name == "boost_energy"; }

  /// visit(name, number) for each of them, in the order of the file.
  template <class Numbers, class Visit>
  static void for_each(Numbers& numbers, Visit&& visit) {
    visit("step", numbers.step);
    visit("time", numbers.time);
    visit("dt", numbers.dt);
    visit("steps_since_rebuild", numbers.steps_since_rebuild);
    visit("snapshots", numbers.snapshots);
    visit("initial_liquid_cells", numbers.initial_liquid_cells);
    visit("seeded", numbers.seeded);
    visit("dropped_in_solid", numbers.dropped_in_solid);
    visit("left_domain", numbers.left_domain);
    visit("pushed_out", numbers.pushed_out);
    visit("emitted", numbers.emitted);
    visit("absorbed", numbers.absorbed);
    visit("reseeded", numbers.reseeded);
    visit("removed", numbers.removed);
    visit("next_id", numbers.next_id);
    visit("retried_steps", numbers.retried_steps);
    visit("restarts", numbers.restarts);
    visit("wall_seconds", numbers.wall_seconds);
    visit("repositioned", numbers.repositioned);
    visit("held_back", numbers.held_back);
    visit("spread", numbers.spread);
    visit("boost_energy", numbers.boost_energy);
    visit("dropped_outside", numbers.dropped_outside);
  }
};

/// The numbers as a checkpoint keeps them.
std::vector<NamedNumber> named(const RunNumbers& numbers);

/// The numbers that a checkpoint kept. \param[in] n_particles  of all ranks together
/// Errors: FileError if one is missing or cannot be, or if the ledger of particles does not add up. The same on all
/// ranks that give the same
RunNumbers run_numbers(std::span<const NamedNumber> kept, GlobalIndex n_particles);

}  // namespace freshet
