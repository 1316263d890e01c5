// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/io/output_fields.hpp"
#include "freshet/io/snapshot.hpp"
#include "openpmd.hpp"
#include "parallel_file.hpp"

#include <string>
#include <vector>

/// The contents of files: the particles and the fields of a snapshot, and the origin of a file.
namespace freshet {

/// A particle attribute in a file: one dataset for each component.
struct ParticleRecord {
  const Attribute* attribute = nullptr;  ///< attribute of the store that is written
  std::vector<std::string> components;   ///< paths below the species: "velocity/x", or "id" alone
};

hid_t h5_type(AttributeType type);

/// Choose the position and the attributes with these names. Errors: InputError for a name that no particle has
std::vector<ParticleRecord> plan_particles(const ParticleStore& particles, const std::vector<std::string>& names);

/// Size of these records for n particles. [bytes]
std::int64_t bytes_of(const std::vector<ParticleRecord>& records, GlobalIndex n_particles);

/// Create the species `liquid` below `parent`, with empty datasets. For one rank.
/// \param[in] velocity_lead  time of the velocities minus time of the file [s]
void create_particles(hid_t parent, const std::vector<ParticleRecord>& records, GlobalIndex n_particles, int n_ranks,
                      double velocity_lead);

/// Fill the species at `path`: positions in metres, the records, and one patch for each rank.
///
/// Positions in metres are rounded to ParticleReal: a particle just below the high face of a cell or of the domain may
/// be written on that face. Memory: one buffer of 2^20 values.
/// \pre particles are sorted by state.layout
/// Parallel: collective, also for ranks without particles. Errors: FileError on all ranks
void write_particles(ParallelFile& file, const std::string& path, const std::vector<ParticleRecord>& records,
                     const SnapshotState& state);

/// The fields of a file: one dataset for each component.
using MeshRecords = std::vector<const FieldRecord*>;

/// Path of a component below the meshes: "velocity/x", or "pressure" alone.
std::string component_path(const FieldRecord& field, int d);

/// Find the fields with these names. \pre each name is one of output_fields()
MeshRecords plan_meshes(const std::vector<std::string>& names);

/// Size of these records. [bytes]
std::int64_t bytes_of(const MeshRecords& records, const openpmd::Mesh& mesh);

/// Find the bounding box of all blocks, cut to the domain; empty if there are no blocks. Collective.
openpmd::Mesh mesh_of(const BlockLayout& layout);
/// Find the cells of the domain that a box meets, at least one along each axis. Cells without a block hold 0. Local
openpmd::Mesh mesh_in_box(const BlockLayout& layout, const Vec3& lower, const Vec3& upper);

/// Create the records below `parent`, with empty datasets. For one rank.
void create_meshes(hid_t parent, const MeshRecords& records, const openpmd::Mesh& mesh, const SnapshotState& state);

/// Fill the records at `path`.
///
/// Cells without a block hold 0. Faces at the high end of the box are not part of a record: at walls they hold 0, on a
/// periodic axis they equal those at the low end. In 2-D the z velocity is 0. Each rank assembles an equal share of the
/// box's rows, which the blocks' owners send it; memory: about 2^20 cells at a time, and the bytes that it sends.
/// \pre the fields are bound to state.layout; for `velocity` ghosts are valid to width 1
/// Parallel: collective, also for ranks without blocks. Errors: FileError on all ranks
void write_meshes(ParallelFile& file, const std::string& path, const MeshRecords& records, const openpmd::Mesh& mesh,
                  const SnapshotState& state);

/// The contents of a snapshot.
struct SnapshotPlan {
  std::vector<ParticleRecord> particles;
  GlobalIndex n_particles = 0;
  GlobalIndex n_left_out = 0;  ///< particles of the run that are not written
  openpmd::Mesh mesh;
  MeshRecords fields;
  std::string left_out;  ///< reason why requested fields are left out; empty: none are
  GlobalIndex n_threads = 1;
};

/// The origin of a file.
struct Provenance {
  std::string kind;  ///< "snapshot", "checkpoint"
  int n_ranks = 1;
  std::int64_t n_threads = 1;
  std::int64_t step = 0;
};

/// Write attributes of the root: program, author, date, machine, commit, layout, seed, hash of the input; and the
/// resolved input as the dataset freshetInput of characters. For one rank. Errors: FileError
void write_provenance(hid_t root, const Provenance& provenance, const InputRecord& input);

/// Attribute of /data/<n>, or a dataset in it: the poses of all solids, if one of them moves.
inline constexpr const char* poses_attribute = "freshetSolidPoses";
/// Attribute of /data/<n>: the share of the run's particles in the file, if it is below 1.
inline constexpr const char* share_attribute = "freshetShare";
/// Attribute of /data/<n>: the number of the run's particles that a share or a box has left out, if there are any.
inline constexpr const char* left_out_attribute = "freshetParticlesLeftOut";
inline constexpr const char* band_attribute = "freshetBand";  ///< particles.band [cells], if it is on

/// Name of the dataset with the resolved input.
inline constexpr const char* input_dataset = "freshetInput";

/// Name of the dataset with the Morton keys of all blocks. The dataset is empty where no particle is left.
inline constexpr const char* blocks_dataset = "freshetBlocks";

}  // namespace freshet
