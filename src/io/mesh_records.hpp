// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/io/output_fields.hpp"
#include "freshet/io/snapshot.hpp"
#include "openpmd.hpp"
#include "parallel_file.hpp"

#include <string>
#include <vector>

namespace freshet {

/// A field as the file holds it: one dataset a component.
struct MeshRecord {
  const FieldRecord* field = nullptr;
  /// Path below the meshes: "velocity/x", or "pressure" alone.
  std::string component(int d) const;
};

/// The fields named. \pre each name is one of output_fields()
std::vector<MeshRecord> plan_meshes(const std::vector<std::string>& names);

/// Bytes of these records.
std::int64_t bytes_of(const std::vector<MeshRecord>& records, const openpmd::Mesh& mesh);

/// The bounding box of all blocks, cut to the domain; empty if there are none. Collective.
openpmd::Mesh mesh_of(const BlockLayout& layout);

/// Make the records below `parent`, with empty datasets. For one rank.
void create_meshes(hid_t parent, const std::vector<MeshRecord>& records, const openpmd::Mesh& mesh);

/// Fill the records at `path`.
///
/// Cells without a block hold 0. Faces at the high end of the box are not part of a record: with walls there they hold
/// 0, on a periodic axis they are those at the low end. In 2-D the z velocity is 0. Each rank assembles an even share
/// of the box's rows, which it gets from the blocks' owners; memory: about 2^20 cells at a time besides what it sends.
/// \pre the fields are bound to state.layout; for `velocity` ghosts are valid to width 1
/// Parallel: collective, also for ranks without blocks. Errors: FileError on all ranks
void write_meshes(const ParallelFile& file, const std::string& path, const std::vector<MeshRecord>& records,
                  const openpmd::Mesh& mesh, const SnapshotState& state);

}  // namespace freshet
