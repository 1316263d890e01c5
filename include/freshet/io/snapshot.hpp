// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/air/trapped_air.hpp"
#include "freshet/bodies/free_bodies.hpp"
#include "freshet/free_surface/free_surface.hpp"
#include "freshet/geometry/rigid_motion.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/io/output_options.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/solids/solids.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace freshet {

/// The contents of a snapshot. A pointer may be null if no record needs it.
struct SnapshotState {
  std::int64_t iteration = 0;  ///< number of the snapshot in the file name and in `/data/<n>`
  std::int64_t step = 0;
  double time = 0.0;  ///< time of the state [s]
  double dt = 0.0;    ///< length of the last step [s]
  /// How much later than `time` the particles' velocities, the fields' velocity and the pressure are. [s]
  double particle_velocity_lead = 0.0;
  double velocity_lead = 0.0;
  double pressure_lead = 0.0;
  int band = 0;  ///< largest depth of particles [cells]; 0: they are everywhere
  const BlockLayout* layout = nullptr;
  const ParticleStore* particles = nullptr;     ///< particles, sorted by *layout
  const CellField<double>* pressure = nullptr;  ///< pressure [Pa]
  const FaceField<double>* velocity = nullptr;  ///< velocity on faces [m/s]; ghosts valid to width 1
  const LabelField* labels = nullptr;
  FreeSurface* surface = nullptr;  ///< surface of the particles; ghosts are refreshed as needed
  const SolidFields* solids_on_grid = nullptr;
  const TrappedAir* air = nullptr;  ///< bubbles of the labels; null: none
  // turbulence of the velocity, owned cells; null: there is none
  const CellField<float>* eddy_viscosity = nullptr;  ///< [m^2/s]
  const CellField<float>* y_plus = nullptr;
  const CellField<float>* wall_stress = nullptr;  ///< [Pa]
  int particles_per_cell = 8;                     ///< number of particles in a full cell
  std::vector<Pose> solids;  ///< poses of the case's solids at `time`, in its order; empty if none moves
  /// What the bodies that the liquid moves do, each with the number of its solid; in 2-D the force and moment of one
  /// metre of thickness.
  std::vector<std::pair<int, BodyReport>> bodies;
};

/// Writes snapshots of one run: openPMD 1.1.0 in parallel HDF5, and an XDMF side file for ParaView.
class SnapshotWriter {
 public:
  /// \param[in] directory  output directory; `snapshots/` is made below it. Errors: FileError. Collective.
  SnapshotWriter(const Communicator& comm, const std::string& directory, const OutputOptions& options,
                 const InputRecord& input);
  ~SnapshotWriter();
  /// Prepare for a run that goes on after n_written snapshots: remove snapshots with higher numbers, and list the
  /// others in snapshots.xdmf. Parallel: collective. Errors: FileError on all ranks
  void go_on(std::int64_t n_written);
  /// Write the state, with the particles that the options choose: write snapshots/snap_%06T.h5 under a temporary name,
  /// rename it, and rewrite snapshots.xdmf. \return path of the file. Parallel: collective, also for ranks without
  /// particles or blocks.
  /// Errors: FileError on all ranks; no half-written file has the final name
  std::string write(const SnapshotState& state);
  /// Size of the file that write() makes of a state, apart from some kilobytes of HDF5's own. [bytes]
  /// \param[in] state  only the layout and the particles are read. Parallel: collective
  static std::int64_t bytes(const Communicator& comm, const OutputOptions& options, const InputRecord& input,
                            const SnapshotState& state);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Summarize a snapshot or checkpoint for people: time, particles, records with types and units. For one rank.
/// Errors: FileError "<path>: ..." for a file that is missing, damaged, or not written by freshet
std::string describe_file(const std::string& path);

}  // namespace freshet
