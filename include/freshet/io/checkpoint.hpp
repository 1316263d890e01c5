// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/partition.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/particles/particle_store.hpp"

#include <cstdint>
#include <functional>
#include <string>
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

/// What a checkpoint is made of: pointers into the state of a run, between two steps.
struct CheckpointState {
  RunNumbers numbers;
  const BlockLayout* layout = nullptr;
  const ParticleStore* particles = nullptr;     ///< sorted state of *layout
  const CellField<double>* pressure = nullptr;  ///< of the last step [Pa], owned
};

/// Write a checkpoint: all particles with their attributes, blocks, splitters, the last pressure, the resolved input.
///
/// HDF5 below a seal (see src/io/seal.hpp), under a temporary name, flushed to the disk, then renamed. Bytes: a
/// particle's attributes (33 without further ones), 16 a block and 8 a cell of it.
/// Parallel: collective, also for ranks without blocks. Errors: FileError on all ranks; a file that was there under
/// the name is then as it was
void write_checkpoint(const Communicator& comm, const std::string& path, const CheckpointState& state,
                      const Parameters& parameters);

/// A run's state as one rank reads it back.
struct RestoredState {
  RunNumbers numbers;
  Splitters splitters;
  std::vector<BlockKey> keys;    ///< of this rank's blocks, ascending
  ParticleStore particles;       ///< home() / home_keys() are valid: home_keys is `keys`; in the order of the file
  std::vector<double> pressure;  ///< [block of `keys`][cell] [Pa]
};

/// Read a checkpoint on any number of ranks. On as many as wrote it every rank gets back what it had, in the same
/// order; on others blocks are balanced anew, by balance.particle_cost and cell_cost, and particles keep their order in
/// a block.
///
/// The file is not trusted: its seal is checked before HDF5 reads it, and every number in it before it is used.
/// \param[in] accept  called on every rank with the resolved input of the run that wrote the file, before anything else
/// is read; throws if the run is not to go on with `parameters`
/// Parallel: collective. Errors: FileError on all ranks if it is damaged, of another kind, or of another domain
RestoredState read_checkpoint(const Communicator& comm, const std::string& path, const Parameters& parameters,
                              const std::function<void(const std::string& earlier_input)>& accept);

}  // namespace freshet
