// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/io/snapshot.hpp"
#include "openpmd.hpp"
#include "parallel_file.hpp"

#include <string>
#include <vector>

namespace freshet {

/// A mesh record as written.
struct MeshRecord {
  std::string name;
  hid_t type = H5I_INVALID_HID;
  std::vector<std::string> components;  ///< below the meshes: "velocity/x", "pressure"
};

/// The bounding box of all blocks, cut to the domain; empty if there are none. Collective.
openpmd::Mesh mesh_of(const BlockLayout& layout);

/// Write the fields named below `parent`: pressure [Pa], label, velocity (cell centres) and face_velocity (MAC) [m/s].
///
/// Cells without a block hold 0. Faces at the high end of the box are not part of a record: with walls there they hold
/// 0, on a periodic axis they are those at the low end. In 2-D the z velocity is 0. Each rank assembles an even share
/// of the box's rows, which it gets from the blocks' owners; memory: about 2^20 cells at a time besides what it sends.
/// \pre the fields are bound to the layout; for `velocity` ghosts are valid to width 1
/// Parallel: collective, also for ranks without blocks. Errors: FileError on all ranks
std::vector<MeshRecord> write_meshes(const ParallelFile& file, hid_t parent, const SnapshotState& state,
                                     const openpmd::Mesh& mesh, const std::vector<std::string>& names);

}  // namespace freshet
