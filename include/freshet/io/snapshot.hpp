// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/rigid_motion.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/io/input_record.hpp"
#include "freshet/io/output_options.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/particles/particle_store.hpp"

#include <memory>
#include <string>
#include <vector>

namespace freshet {

/// What a snapshot is made of; pointers may be null where a record is not asked for.
struct SnapshotState {
  std::int64_t iteration = 0;  ///< number of the output, for the file name and /data/<n>
  std::int64_t step = 0;
  double time = 0.0;  ///< [s]
  double dt = 0.0;    ///< [s]
  const BlockLayout* layout = nullptr;
  const ParticleStore* particles = nullptr;     ///< sorted state of *layout
  const CellField<double>* pressure = nullptr;  ///< [Pa]
  const FaceField<double>* velocity = nullptr;  ///< faces [m/s], ghosts valid to width 1
  const LabelField* labels = nullptr;
  std::vector<Pose> solids;  ///< where the case's solids stand at `time`, in its order; empty if none moves
};

/// Writes snapshots of one run: openPMD 1.1.0 in parallel HDF5, and an XDMF side file for ParaView.
class SnapshotWriter {
 public:
  /// \param[in] directory  output directory; `snapshots/` is made below it. Errors: FileError. Collective.
  SnapshotWriter(const Communicator& comm, const std::string& directory, const OutputOptions& options,
                 const InputRecord& input);
  ~SnapshotWriter();
  /// A run goes on that has written n_written snapshots: later ones, of a future that will not come, are removed, and
  /// snapshots.xdmf lists the others. Parallel: collective. Errors: FileError on all ranks
  void go_on(std::int64_t n_written);
  /// Write snapshots/snap_%06T.h5 (to a temporary name, then renamed) and rewrite snapshots.xdmf.
  /// Ranks without particles or blocks take part. Errors: FileError on all ranks; no file is left half-written under
  /// its final name. Parallel: collective, collective transfers. \return path of the file
  std::string write(const SnapshotState& state);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// A readable summary of a snapshot (or any freshet HDF5 file): time, particles, records with types and units,
/// completeness. Serial use on one rank. Errors: FileError for a missing, foreign or truncated file
std::string describe_file(const std::string& path);

}  // namespace freshet
