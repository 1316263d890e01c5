// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/io/snapshot.hpp"
#include "openpmd.hpp"
#include "parallel_file.hpp"

#include <string>
#include <vector>

namespace freshet {

/// A dataset of particles, as the XDMF side file names it.
struct ParticleComponent {
  std::string path;  ///< below the species: "velocity/x", "id"
  hid_t type = H5I_INVALID_HID;
};

/// A record as written: one component of the same name (scalar), or several.
struct ParticleRecord {
  std::string name;
  std::vector<ParticleComponent> components;
};

/// Write the species `liquid` below `parent`: the position in metres, the records named, and one patch a rank.
///
/// Positions are rounded to ParticleReal in metres: a particle just below a cell's or the domain's high face may come
/// out on it. Memory: one buffer of 2^20 values. \param[in] names  attributes besides the position; on all ranks alike
/// \return the records written
/// Parallel: collective, also for ranks without particles. Errors: FileError, InputError for a name that no particle
/// has; on all ranks
std::vector<ParticleRecord> write_particles(const ParallelFile& file, hid_t parent, const SnapshotState& state,
                                            const std::vector<std::string>& names);

}  // namespace freshet
