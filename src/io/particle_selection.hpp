// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/layout.hpp"
#include "freshet/io/output_options.hpp"
#include "freshet/particles/particle_store.hpp"

namespace freshet {

/// Whether snapshots leave particles out.
bool leaves_particles_out(const OutputOptions& options, int dimension);

/// Copy the particles that output.particle_share and the particles' box choose, in their order: those whose hashed id
/// is below the share and with lower <= x <= upper [m]; along an axis where both are equal, those in the slice of cells
/// there. The choice is the same on any number of ranks and threads.
/// \pre particles are sorted by `layout`.  Memory: that of the chosen particles.  Parallel: local; OpenMP
ParticleStore selected_particles(const ParticleStore& particles, const BlockLayout& layout,
                                 const OutputOptions& options);

}  // namespace freshet
