// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/domain.hpp"
#include "freshet/meshing/level_set.hpp"
#include "freshet/meshing/mesh_tools.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/solids/solids.hpp"

#include <memory>
#include <string>
#include <vector>

namespace freshet {

/// What became of one surface.
struct SurfaceReport {
  MeshReport mesh;
  double volume = 0.0;       ///< that the mesh encloses, with the walls and solids it is open at [m^3]
  GlobalIndex blocks = 0;    ///< of the level set, if that is what was written instead of a mesh
  std::int64_t removed = 0;  ///< small pieces that were left out
  double seconds = 0.0;      ///< for making it; not for reading and writing [s]
  std::string text() const;  ///< one line
};

/// Refuse what needs more memory on each rank than is free for it, on all ranks. \param[in] what  "a surface of ..."
/// Parallel: collective. Errors: Error with ExitCode::memory
void expect_memory(const Communicator& comm, double bytes, const std::string& what);

/// The surface of particles, made and not yet written: as a mesh, or as a level set if its format is one.
///
/// The edges of the mesh are checked: every edge has two triangles, but for those on walls and solids if surfaces are
/// open there.
class MadeSurface {
 public:
  /// \param[in] format  ending of the file that write() makes
  /// Parallel: collective. Errors: InputError, Error with ExitCode::memory before it starts if the surface may not fit
  /// into the memory that is free, and InternalError for a mesh with a crack
  MadeSurface(const Communicator& comm, const Domain& domain, const SurfaceOptions& options,
              const SurfaceParticles& particles, const SolidDistance& solids, const std::string& format);

  const SurfaceReport& report() const { return report_; }
  void write(const std::string& path) const;  ///< Collective. Errors: FileError, InputError

 private:
  void finish_mesh(const SurfaceOptions& options);

  const Communicator& comm_;
  const Domain& domain_;
  SurfaceReport report_;
  SurfaceMesh mesh_;
  std::unique_ptr<LevelSet> level_set_;  ///< null: the mesh is written
};

/// Distance to the nearest of the bodies at a time [s]; nothing if there are none.
SolidDistance solid_distance(const std::vector<SolidBody>& bodies, double time);

/// The particles of a run as plain arrays. \param[in] attributes  names, of arrays that the store has
SurfaceParticles surface_particles(const BlockLayout& layout, const ParticleStore& particles,
                                   const SurfaceOptions& options, const std::vector<std::string>& attributes);

/// surface_000012.ply
std::string surface_file_name(const std::string& stem, std::int64_t number, const std::string& format);

}  // namespace freshet
