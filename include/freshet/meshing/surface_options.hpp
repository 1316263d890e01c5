// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/keys/declare.hpp"

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
  kept,    ///< the volume that the particles stand for
  as_made  ///< the volume that the method makes of the particles
};

/// Options for the liquid's surface. Lengths are in cells of the simulation where no other unit is given.
struct SurfaceOptions {
  SurfaceMethod method = SurfaceMethod::improved_blobbies;
  SurfaceSolids solids = SurfaceSolids::open;
  SurfaceVolume volume = SurfaceVolume::kept;  ///< ignored if particles have radii of their own
  double flatten = 1.0;           ///< part of the bumps of single particles that is smoothed on flat water, 0 to 1
  int resolution = 2;             ///< lattice cells of the surface along one cell of the simulation: 1, 2 or 3
  double kernel = 0.0;            ///< h: reach of a particle [cells]; 0: the method's own, see kernel_of()
  double radius = 0.0;            ///< r of every particle [cells]; 0: a lattice of particles keeps its volume
  std::string radius_from;        ///< attribute with each particle's own radius [m]; empty: none
  int min_cell_particles = 1;     ///< least number of particles in a cell; particles of cells with fewer are left out
  double band = 3.0;              ///< phi is a distance up to this far from the surface [lattice cells]
  double weld = 0.01;             ///< least part of a lattice edge between a vertex and either end
  double stretch = 2.0;           ///< largest ratio of the axes of an anisotropic kernel
  double center_smoothing = 0.9;  ///< weight of the neighbours' mean in the centre of an anisotropic kernel, 0 to 1
  int smoothing = 0;              ///< rounds of Taubin's smoothing of the mesh
  double decimate = 1.0;          ///< part of the triangles that decimation leaves
  int per_axis = 2;               ///< particles along the edge of a simulation cell, as the liquid was seeded
  double min_particles = 0.0;     ///< components with less volume than this number of particles are left out
};

/// A method: its name in case files and on the command line, and a text that describes it.
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

keys::Keys keys_of(SurfaceOptions& surface);
/// Check the radius of particles. Errors: InputError if the method takes none, or if it is beyond the kernel
void check_radius(const SurfaceOptions& surface, const keys::Table& table);

}  // namespace freshet
