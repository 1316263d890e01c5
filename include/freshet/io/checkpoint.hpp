// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/bodies/kept_arrays.hpp"
#include "freshet/grid/balance_options.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/partition.hpp"
#include "freshet/io/output_options.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/particles/particle_store.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace freshet {

/// A named number of a run that checkpoints keep.
struct NamedNumber {
  std::string name;
  std::variant<std::int64_t, double> value;
  bool operator==(const NamedNumber&) const = default;
};

/// The contents of a checkpoint: pointers into the state of a run between two steps.
struct CheckpointState {
  std::int64_t step = 0;
  std::vector<NamedNumber> numbers;  ///< numbers of the run with unique names, the same on all ranks
  const BlockLayout* layout = nullptr;
  const ParticleStore* particles = nullptr;     ///< particles, sorted by *layout
  const CellField<double>* pressure = nullptr;  ///< pressure of the last step, owned cells [Pa]
  const CellField<double>* air = nullptr;       ///< TrappedAir::kept_cells(), owned cells; null: no trapped air
  std::vector<double> bubbles;                  ///< TrappedAir::kept(), the same on all ranks
  /// TimeSplitting::predicted_change(), owned faces [m/s]; null: none
  const FaceField<double>* predicted_change = nullptr;
  const CellField<std::uint8_t>* zones = nullptr;  ///< NarrowBand::below_core(), owned cells; null: none
  const FaceField<double>* velocity = nullptr;     ///< velocity of the last step on owned faces, with `zones` [m/s]
  KeptArrays bodies;                               ///< FreeBodies::kept(), the same on all ranks
};

/// Write a checkpoint: particles with all attributes, blocks, splitters, the last pressure and the resolved input.
///
/// The file is HDF5 and ends with a seal (src/io/seal.hpp). It is written under a temporary name, flushed to the disk,
/// then renamed. It holds the attributes of each particle (33 bytes if the case adds none), 16 bytes for each block and
/// 8 for each of the block's cells. Parallel: collective, also for ranks without blocks. Errors: FileError on all
/// ranks; an older file of that name then stays as it is
void write_checkpoint(const Communicator& comm, const std::string& path, const CheckpointState& state,
                      const InputRecord& input);

/// Size of the file that write_checkpoint() writes, apart from some kilobytes of HDF5's own. [bytes]
/// Parallel: collective
std::int64_t checkpoint_bytes(const Communicator& comm, const CheckpointState& state, const InputRecord& input);

/// The part of a run's state that one rank reads from a checkpoint.
struct RestoredState {
  std::vector<NamedNumber> numbers;  ///< all numbers of the file in its order; finite; the same on all ranks
  GlobalIndex n_particles = 0;       ///< sum over all ranks
  Splitters splitters;
  std::vector<BlockKey> keys;    ///< keys of this rank's blocks, ascending
  ParticleStore particles;       ///< particles in the order of the file; home() is valid, and home_keys() equals `keys`
  std::vector<double> pressure;  ///< pressure [block of `keys`][cell] [Pa]
  std::vector<double> air;       ///< TrappedAir::kept_cells() [block of `keys`][cell]; empty: no trapped air
  std::vector<double> bubbles;   ///< TrappedAir::kept(), the same on all ranks
  /// TimeSplitting::predicted_change() by axis, each [block of `keys`][face] [m/s]; empty: none
  std::vector<std::vector<double>> predicted_change;
  std::vector<std::uint8_t> zones;            ///< NarrowBand::below_core() [block of `keys`][cell]; empty: none
  std::vector<std::vector<double>> velocity;  ///< by axis, with `zones`, each [block of `keys`][face] [m/s]
  KeptArrays bodies;       ///< FreeBodies::kept(), the same on all ranks; empty: none, or each element is in `numbers`
  bool is_restart = true;  ///< whether the run counts this as a restart
};

/// Read a checkpoint on any number of ranks. On as many ranks as wrote it, each rank gets back its own part in the same
/// order. On another number, blocks are balanced anew by balance.particle_cost and balance.cell_cost, and particles
/// keep their order within a block.
///
/// The file is not trusted: its seal is checked before HDF5 reads it, and every number is checked before it is used.
/// \param[in] accept  called on every rank with the resolved input of the run that wrote the file, before the rest of
/// the file is read; throws if the run must not go on from it
/// Parallel: collective. Errors: FileError on all ranks if the file is damaged, of another kind, or of another domain
RestoredState read_checkpoint(const Communicator& comm, const std::string& path, const Domain& domain,
                              const BalanceOptions& balance,
                              const std::function<void(const std::string& earlier_input)>& accept);

}  // namespace freshet
