// SPDX-License-Identifier: Apache-2.0
#include "freshet/keys/slots.hpp"
#include "freshet/meshing/surface_options.hpp"

#include <fmt/format.h>

namespace freshet {
namespace {

/// The keys of the level set and of the mesh, which all methods share.
keys::Keys lattice_keys(SurfaceOptions& surface) {
  using namespace keys;
  return {
      {"kernel", number(surface.kernel, {0.0, 4.0}), "cells",
       "Reach of a particle; 0: 2 with method anisotropic, else 1.5."},
      {"radius", number(surface.radius, {0.0, 4.0}), "cells",
       "Radius of a particle; 0: such that a lattice of particles encloses the volume that it stands for."},
      {"radius_from", line(surface.radius_from), "",
       "With method improved_blobbies, an [[attribute]] of type real that holds each particle's own radius [m], above "
       "0 and at most output.surface.kernel. Empty: all have the same."},
      {"min_cell_particles", number(surface.min_cell_particles, {1, 1000}), "",
       "Particles in cells that hold fewer than this many are left out of the surface."},
      {"band", number(surface.band, {2.0, 8.0}), "",
       "Number of lattice cells on both sides of the surface in which the level set is a distance."},
      {"weld", number(surface.weld, {0.0, 0.4}), "",
       "Least distance between a vertex and the ends of its lattice edge, as a part of the edge."},
      {"stretch", number(surface.stretch, {1.0, 100.0}), "",
       "With method anisotropic, the largest ratio of a kernel's axes."},
      {"center_smoothing", number(surface.center_smoothing, {0.0, 1.0}), "",
       "With method anisotropic, the weight of the neighbours' mean in the place of a particle."},
      {"smoothing", number(surface.smoothing, {0, 1000}), "",
       "Number of rounds in which the triangles are smoothed; their volume stays."},
      {"decimate", number(surface.decimate, above(0.0, 1.0)), "",
       "Part of the triangles that stays after flat regions get larger ones; 1: all of them."},
      {"min_particles", number(surface.min_particles, at_least(0.0)), "",
       "Separate pieces of the surface, drops and bubbles, are left out if they enclose less than the volume of this "
       "many particles."},
  };
}

}  // namespace

keys::Keys keys_of(SurfaceOptions& surface) {
  using namespace keys;
  std::vector<std::string> methods;
  std::string method_text = "How particles become a surface.";
  for (const SurfaceMethodRecord& method : surface_methods()) {
    methods.emplace_back(method.name);
    method_text += fmt::format(" {}: {}.", method.name, method.text);
  }
  Keys rows = {
      {"method", choice(surface.method, methods), "", method_text},
      {"resolution", number(surface.resolution, {1, 3}), "",
       "Number of cells of the surface's lattice along one cell of the simulation."},
      {"solids", choice(surface.solids, {"open", "closed"}), "",
       "Whether the surface ends where liquid touches walls and solids (open), or covers the liquid there too and "
       "encloses a volume (closed)."},
      {"volume", choice(surface.volume, {"kept", "as_made"}), "",
       "Whether the surface is shifted by a part of a lattice cell, first where it is curved or thin, until it "
       "encloses the volume of the particles (kept), or stays as the method makes it (as_made). If radii are "
       "given, it stays."},
      {"flatten", number(surface.flatten, {0.0, 1.0}), "",
       "How much of the bumps that single particles leave on flat water is smoothed out of the level set."},
  };
  append(rows, lattice_keys(surface));
  return changeable(std::move(rows));
}

void check_radius(const SurfaceOptions& surface, const keys::Table& table) {
  if (surface.radius == 0.0) return;
  table.require(surface.method != SurfaceMethod::anisotropic, "output.surface.radius",
                "is given with 'output.surface.method' = \"anisotropic\"",
                "that method takes its radii from the particles' neighbours", "Leave one of them out");
  table.require(surface.radius <= kernel_of(surface), "output.surface.radius",
                fmt::format("= {} is beyond the reach of a particle", keys::number_text(surface.radius)),
                fmt::format("'output.surface.kernel' is {} cells", keys::number_text(kernel_of(surface))),
                "Lower the radius, or raise the kernel");
}

}  // namespace freshet
