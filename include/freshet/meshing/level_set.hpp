// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/surface_mesh.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/meshing/surface_options.hpp"
#include "freshet/meshing/surface_particles.hpp"

#include <functional>
#include <memory>

namespace freshet {

namespace meshing {
class ParticleBins;
class Walls;
}  // namespace meshing

/// Signed distance to the nearest solid, negative inside it. [m] Thread-safe
using SolidDistance = std::function<double(const Vec3&)>;

/// The signed distance phi to the liquid's surface, negative in the liquid, in a narrow band around the surface.
///
/// phi stands at the centres of a lattice that is 1, 2 or 3 times as fine as the simulation's and reaches some cells
/// beyond the domain. Only blocks near the surface exist. Blocks deep in the liquid and far outside hold nothing; the
/// cells of an existing block that lie next to a missing one all have the sign of the missing block.
/// The bits of phi are the same on any number of threads and ranks, and for any order of the particles.
///
/// Particles near walls and solids get mirror images behind them, so that liquid that touches a wall meets it at a
/// right angle and leaves no gap there. Images across periodic faces are shifted copies.
class LevelSet {
 public:
  /// \param[in] simulation  domain of the particles, in 3-D
  /// \param[in] particles   particles in the domain; any rank may hold any particle
  /// \param[in] solids      distance to the solids; an empty function: there are none
  /// Parallel: collective; OpenMP. Errors: InputError on all ranks for a 2-D domain, and for radii that are not above 0
  /// or are beyond the particles' reach
  LevelSet(const Communicator& comm, const Domain& simulation, const SurfaceOptions& options,
           const SurfaceParticles& particles, SolidDistance solids = {});
  ~LevelSet();

  const BlockLayout& layout() const { return *layout_; }
  double dx() const { return layout_->domain().dx(); }  ///< cell size of the lattice [m]
  /// Signed distance at cell centres, +-options().band * dx() beyond the band; ghosts valid to width 2. [m]
  const CellField<float>& phi() const { return phi_; }
  const SurfaceOptions& options() const { return options_; }
  GlobalIndex n_particles() const { return n_particles_; }  ///< sum over all ranks
  double volume() const { return volume_; }                 ///< volume of the liquid inside the domain [m^3]

  /// The surface phi = 0 as triangles, with normals and the attributes of the particles; the same on any number of
  /// ranks, numbers of vertices included. See contour.cpp for why it has no cracks. Parallel: collective; OpenMP
  SurfaceMesh contour() const;

  /// Shift the surface once more if a closed mesh of it encloses another volume than the particles have: where
  /// triangles are as large as drops and sheets, the mesh encloses up to some percent more or less than phi < 0.
  /// \param[in] of_mesh  closed mesh's volume [m^3]. \return whether phi has changed. Parallel: collective; OpenMP
  bool adjust_volume(double of_mesh);

  const meshing::Walls& walls() const { return *walls_; }
  const meshing::ParticleBins& bins() const { return *bins_; }

 private:
  void evaluate();
  void improve();
  GlobalIndex n_used() const;  ///< number of particles of all ranks that the options do not leave out. Collective
  void cut_solids();
  void scale(double factor);

  const Communicator& comm_;
  SurfaceOptions options_;
  std::unique_ptr<meshing::Walls> walls_;
  std::unique_ptr<meshing::ParticleBins> bins_;
  std::unique_ptr<BlockLayout> layout_;
  CellField<float> phi_;
  GlobalIndex n_particles_ = 0;
  double volume_ = 0.0;            ///< volume of the liquid inside the domain [m^3]
  double wanted_volume_ = 0.0;     ///< volume of the particles, to be enclosed; 0: volume is not kept [m^3]
  GlobalIndex n_deep_blocks_ = 0;  ///< blocks of this rank that lie deep in the liquid and do not exist
};

}  // namespace freshet
