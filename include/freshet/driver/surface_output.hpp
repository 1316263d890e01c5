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

/// The figures of one surface.
struct SurfaceReport {
  MeshReport mesh;
  double volume = 0.0;       ///< volume that mesh, walls and solids enclose [m^3]
  GlobalIndex blocks = 0;    ///< blocks of the level set, if one was made instead of a mesh
  std::int64_t removed = 0;  ///< number of small pieces that were removed
  double seconds = 0.0;      ///< wall-clock time without reading and writing [s]
  std::string text() const;  ///< one line
};

/// Throw on all ranks if `bytes` a rank exceed the memory that is free. \param[in] what  "a surface of ..."
/// Parallel: collective. Errors: Error with ExitCode::memory
void expect_memory(const Communicator& comm, double bytes, const std::string& what);

/// The surface of particles before it is written: a mesh, or a level set if the format holds one.
///
/// The constructor checks that every edge of the mesh has two triangles, except on walls and solids if surfaces are
/// open there.
class MadeSurface {
 public:
  /// \param[in] format  ending of the file that write() makes
  /// Parallel: collective. Errors: InputError; before it starts Error with ExitCode::memory if the surface may not fit
  /// into the free memory; InternalError for a mesh with a crack
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
  std::unique_ptr<LevelSet> level_set_;  ///< null: the surface is a mesh
};

/// Distance to the nearest body at a time [s]; an empty function if there are no bodies.
SolidDistance solid_distance(const std::vector<SolidBody>& bodies, double time);

/// The particles of a run as plain arrays. \param[in] attributes  names of the store's arrays
SurfaceParticles surface_particles(const BlockLayout& layout, const ParticleStore& particles,
                                   const SurfaceOptions& options, const std::vector<std::string>& attributes);

/// Name of a surface's file: surface_000012.ply
std::string surface_file_name(const std::string& stem, std::int64_t number, const std::string& format);

}  // namespace freshet
