// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/io/snapshot.hpp"
#include "openpmd.hpp"
#include "parallel_file.hpp"

#include <string>
#include <vector>

namespace freshet {

/// A particle attribute as the file holds it: one dataset a component.
struct ParticleRecord {
  const Attribute* attribute = nullptr;  ///< of the store that is written
  std::vector<std::string> components;   ///< paths below the species: "velocity/x", or "id" alone
};

hid_t h5_type(AttributeType type);

/// The position and the attributes named. Errors: InputError for a name that no particle has
std::vector<ParticleRecord> plan_particles(const ParticleStore& particles, const std::vector<std::string>& names);

/// Bytes of these records for n particles.
std::int64_t bytes_of(const std::vector<ParticleRecord>& records, GlobalIndex n_particles);

/// Make the species `liquid` below `parent`, with empty datasets. For one rank.
void create_particles(hid_t parent, const std::vector<ParticleRecord>& records, GlobalIndex n_particles, int n_ranks);

/// Fill the species at `path`: positions in metres, the records, and one patch a rank.
///
/// Positions are rounded to ParticleReal in metres: the position of a particle just below the high face of a cell or of
/// the domain may be written as one on that face. Memory: one buffer of 2^20 values.
/// \pre particles are in the sorted state of state.layout
/// Parallel: collective, also for ranks without particles. Errors: FileError on all ranks
void write_particles(const ParallelFile& file, const std::string& path, const std::vector<ParticleRecord>& records,
                     const SnapshotState& state);

}  // namespace freshet
