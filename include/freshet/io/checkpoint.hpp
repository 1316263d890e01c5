// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// A number of a run that a checkpoint keeps under a name.
struct NamedNumber {
  std::string name;
  std::variant<std::int64_t, double> value;
  bool operator==(const NamedNumber&) const = default;
};

/// What a checkpoint is made of: pointers into the state of a run, between two steps.
struct CheckpointState {
  std::int64_t step = 0;
  std::vector<NamedNumber> numbers;  ///< the same on all ranks; no name comes twice
  const BlockLayout* layout = nullptr;
  const ParticleStore* particles = nullptr;     ///< sorted state of *layout
  const CellField<double>* pressure = nullptr;  ///< of the last step [Pa], owned
};

/// Write a checkpoint: all particles with their attributes, blocks, splitters, the last pressure, the resolved input.
///
/// The file is HDF5 and ends with a seal (src/io/seal.hpp). It is written under a temporary name, flushed to the disk,
/// then renamed. Its size: the attributes of each particle (33 bytes if the case adds none), 16 bytes for each block
/// and 8 for each of the block's cells. Parallel: collective, also for ranks without blocks. Errors: FileError on all
/// ranks; an older file of that name is then unchanged
void write_checkpoint(const Communicator& comm, const std::string& path, const CheckpointState& state,
                      const InputRecord& input);

/// A run's state as one rank reads it back.
struct RestoredState {
  std::vector<NamedNumber> numbers;  ///< all that the file holds, in its order; finite; the same on all ranks
  GlobalIndex n_particles = 0;       ///< of all ranks together
  Splitters splitters;
  std::vector<BlockKey> keys;    ///< of this rank's blocks, ascending
  ParticleStore particles;       ///< in the order of the file; home() is valid, and home_keys() equals `keys`
  std::vector<double> pressure;  ///< [block of `keys`][cell] [Pa]
  bool is_restart = true;        ///< counts as a restart of the run
};

/// Read a checkpoint on any number of ranks. If as many ranks read it as wrote it, each rank gets back what it had, in
/// the same order. Otherwise the blocks are balanced anew by balance.particle_cost and balance.cell_cost, and particles
/// keep their order within a block.
///
/// The file is not trusted: its seal is checked before HDF5 reads it, and every number in it before it is used.
/// \param[in] accept  called on every rank with the resolved input of the run that wrote the file, before anything else
/// is read; throws if the run must not go on from it
/// Parallel: collective. Errors: FileError on all ranks if it is damaged, of another kind, or of another domain
RestoredState read_checkpoint(const Communicator& comm, const std::string& path, const Domain& domain,
                              const BalanceOptions& balance,
                              const std::function<void(const std::string& earlier_input)>& accept);

}  // namespace freshet
