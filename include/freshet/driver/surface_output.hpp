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

/// A level set as plain numbers: blocks of 8 x 8 x 8 lattice points, of this rank.
struct LevelSetBlocks {
  double cell_size = 0.0;          ///< spacing of the lattice [m]
  Vec3 origin = Vec3::Zero();      ///< position of lattice point (0, 0, 0) [m]
  double band = 0.0;               ///< largest |phi| [m]
  std::vector<Vec3i> first_cells;  ///< lattice point of the first value of each block
  std::vector<float> phi;          ///< signed distance to the surface, x fastest, 512 numbers a block [m]
};

/// What is made of a surface.
enum class SurfaceParts { mesh, level_set, both };
/// What a format stores. Errors: InputError for an ending that no format has
SurfaceParts parts_of_format(const std::string& format);

/// The surface of particles before it is written: a mesh, a level set, or both.
///
/// The constructor checks that every edge of the mesh has two triangles, except on walls and solids if surfaces are
/// open there. What it has made is plain data: it needs neither the communicator nor the domain any more.
class MadeSurface {
 public:
  /// Parallel: collective. Errors: InputError; before it starts Error with ExitCode::memory if the surface may not fit
  /// into the free memory; InternalError for a mesh with a crack
  MadeSurface(const Communicator& comm, const Domain& domain, const SurfaceOptions& options,
              const SurfaceParticles& particles, const SolidDistance& solids, SurfaceParts parts);

  const SurfaceReport& report() const { return report_; }
  const SurfaceMesh& mesh() const { return mesh_; }               ///< empty if only the level set was made
  const LevelSetBlocks& level_set() const { return level_set_; }  ///< empty if only the mesh was made
  bool has(SurfaceParts parts) const { return parts_ == parts || parts_ == SurfaceParts::both; }
  /// Write the part that the format of the path's ending stores. \pre has() it
  /// Collective. Errors: FileError, InputError
  void write(const Communicator& comm, const std::string& path) const;
  /// Bring the mesh to rank 0. Collective
  void gather(const Communicator& comm) { gather_mesh(comm, mesh_); }

 private:
  void finish_mesh(const Communicator& comm, const Domain& domain, const SurfaceOptions& options);

  SurfaceParts parts_;
  SurfaceReport report_;
  SurfaceMesh mesh_;
  LevelSetBlocks level_set_;
};

/// Distance to the nearest body at a time [s]; an empty function if there are no bodies.
SolidDistance solid_distance(const std::vector<SolidBody>& bodies, double time);

/// The particles of a run as plain arrays. \param[in] attributes  names of the store's arrays
SurfaceParticles surface_particles(const BlockLayout& layout, const ParticleStore& particles,
                                   const SurfaceOptions& options, const std::vector<std::string>& attributes);

/// Name of a surface's file: surface_000012.ply
std::string surface_file_name(const std::string& stem, std::int64_t number, const std::string& format);

}  // namespace freshet
