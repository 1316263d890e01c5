// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace freshet {

/// How particles become a level set.
enum class SurfaceMethod { improved_blobbies, blobbies, anisotropic };

/// Whether the mesh covers liquid where it touches walls and solids.
enum class SurfaceSolids {
  open,   ///< the mesh ends there, with open edges that lie on the solid
  closed  ///< the mesh covers the liquid there too, so that it encloses a volume
};

/// How much liquid the surface encloses.
enum class SurfaceVolume {
  kept,    ///< as much as the particles stand for
  as_made  ///< what the method makes of the particles
};

/// How the surface of the liquid is made of its particles. Lengths are in cells of the simulation.
struct SurfaceOptions {
  SurfaceMethod method = SurfaceMethod::improved_blobbies;
  SurfaceSolids solids = SurfaceSolids::open;
  SurfaceVolume volume = SurfaceVolume::kept;  ///< without a meaning if radii are given
  double flatten = 1.0;        ///< how much of the bumps that single particles leave on flat water is smoothed, 0 to 1
  int resolution = 2;          ///< lattice cells of the surface along one cell of the simulation: 1, 2 or 3
  double kernel = 0.0;         ///< h: reach of a particle [cells]; 0: what suits the method, see kernel_of()
  double radius = 0.0;         ///< r of every particle [cells]; 0: as a lattice of particles keeps its volume
  std::string radius_from;     ///< attribute with each particle's own radius [m]; empty: none
  int min_cell_particles = 1;  ///< particles of cells that hold fewer are left out
  double band = 3.0;           ///< phi is a distance up to this many lattice cells from the surface
  double weld = 0.01;          ///< least part of a lattice edge between a vertex and either end
  double stretch = 2.0;        ///< anisotropic: largest ratio of the axes of a kernel
  double center_smoothing = 0.9;  ///< anisotropic: weight of the neighbours' mean in a particle's centre
  int smoothing = 0;              ///< rounds of Taubin's smoothing of the mesh
  double decimate = 1.0;          ///< part of the triangles that stays
  int per_axis = 2;               ///< particles along the edge of a cell of the simulation, as it was seeded
  double min_particles = 0.0;     ///< components of less volume than so many particles are left out
};

/// Surfaces that a run writes, or that are made of its snapshots.
struct SurfaceOutputOptions {
  double interval = 0.0;       ///< [s] of simulated time between surfaces; 0: the run writes none
  std::string format = "ply";  ///< ending of the files
  std::vector<std::string> attributes = {"velocity"};  ///< of particles, for the vertices
  SurfaceOptions surface;
};

/// A method: its name in case files and on the command line, and what it does.
struct SurfaceMethodRecord {
  SurfaceMethod method;
  const char* name;
  const char* text;
};
const std::vector<SurfaceMethodRecord>& surface_methods();

/// The reach of a particle, h. [cells]
inline double kernel_of(const SurfaceOptions& options) {
  if (options.kernel > 0.0) return options.kernel;
  return options.method == SurfaceMethod::anisotropic ? 2.0 : 1.5;
}

}  // namespace freshet
