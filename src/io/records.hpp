// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/io/output_fields.hpp"
#include "freshet/io/snapshot.hpp"
#include "openpmd.hpp"
#include "parallel_file.hpp"

#include <string>
#include <vector>

/// What files hold: the particles and the fields of a snapshot, and where a file comes from.
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
/// \param[in] velocity_lead  how much later than the file's time the velocities are [s]
void create_particles(hid_t parent, const std::vector<ParticleRecord>& records, GlobalIndex n_particles, int n_ranks,
                      double velocity_lead);

/// Fill the species at `path`: positions in metres, the records, and one patch a rank.
///
/// Positions are rounded to ParticleReal in metres: the position of a particle just below the high face of a cell or of
/// the domain may be written as one on that face. Memory: one buffer of 2^20 values.
/// \pre particles are in the sorted state of state.layout
/// Parallel: collective, also for ranks without particles. Errors: FileError on all ranks
void write_particles(ParallelFile& file, const std::string& path, const std::vector<ParticleRecord>& records,
                     const SnapshotState& state);

/// Fields that a file holds: one dataset a component.
using MeshRecords = std::vector<const FieldRecord*>;

/// Path of a component below the meshes: "velocity/x", or "pressure" alone.
std::string component_path(const FieldRecord& field, int d);

/// The fields named. \pre each name is one of output_fields()
MeshRecords plan_meshes(const std::vector<std::string>& names);

/// Bytes of these records.
std::int64_t bytes_of(const MeshRecords& records, const openpmd::Mesh& mesh);

/// The bounding box of all blocks, cut to the domain; empty if there are none. Collective.
openpmd::Mesh mesh_of(const BlockLayout& layout);
/// The cells of the domain that a box touches, at least one along each axis. Cells without a block hold 0. Local
openpmd::Mesh mesh_in_box(const BlockLayout& layout, const Vec3& lower, const Vec3& upper);

/// Make the records below `parent`, with empty datasets. For one rank.
void create_meshes(hid_t parent, const MeshRecords& records, const openpmd::Mesh& mesh, const SnapshotState& state);

/// Fill the records at `path`.
///
/// Cells without a block hold 0. Faces at the high end of the box are not part of a record: with walls there they hold
/// 0, on a periodic axis they are those at the low end. In 2-D the z velocity is 0. Each rank assembles an even share
/// of the box's rows, which it gets from the blocks' owners; memory: about 2^20 cells at a time besides what it sends.
/// \pre the fields are bound to state.layout; for `velocity` ghosts are valid to width 1
/// Parallel: collective, also for ranks without blocks. Errors: FileError on all ranks
void write_meshes(ParallelFile& file, const std::string& path, const MeshRecords& records, const openpmd::Mesh& mesh,
                  const SnapshotState& state);

/// What a snapshot holds.
struct SnapshotPlan {
  std::vector<ParticleRecord> particles;
  GlobalIndex n_particles = 0;
  openpmd::Mesh mesh;
  MeshRecords fields;
  std::string left_out;  ///< why the fields that were asked for are left out; empty if they are not
  GlobalIndex n_threads = 1;
};

/// Where a file comes from.
struct Provenance {
  std::string kind;  ///< "snapshot", "checkpoint"
  int n_ranks = 1;
  std::int64_t n_threads = 1;
  std::int64_t step = 0;
};

/// Attributes of the root: program, author, date, machine, commit, layout, seed, hash of the input; and the resolved
/// input itself, as the dataset freshetInput of characters. For one rank. Errors: FileError
void write_provenance(hid_t root, const Provenance& provenance, const InputRecord& input);

/// Attribute of /data/<n>: the share of the run's particles that it holds, if it is below 1.
inline constexpr const char* share_attribute = "freshetShare";

/// Name of that dataset.
inline constexpr const char* input_dataset = "freshetInput";

/// The dataset of the Morton keys of all blocks. It is empty where no particle is left.
inline constexpr const char* blocks_dataset = "freshetBlocks";

}  // namespace freshet
