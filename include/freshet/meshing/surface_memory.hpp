// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/meshing/level_set.hpp"

namespace freshet {

/// Memory without which a surface of so many particles cannot be made, whatever they do, on all ranks together. It is
/// known before the particles are read. [bytes] \param[in] n_numbers  of the attributes of a particle
double least_memory_of_surface(GlobalIndex n_particles, int n_numbers);

/// Memory that a level set and its mesh take at most on each rank, beside the particles themselves. [bytes]
///
/// The particles with all their images and the blocks of the lattice that they may reach are counted; blocks deep in
/// the liquid count as well, though most of them will not exist. The estimate over the peak of resident memory on the
/// largest rank, as the program surface_table of jobs/benchmark_surface.sh prints both, 1 rank x 2 threads:
///
///   | particles                          | improved blobbies, resolution 1, 2, 3 | anisotropic, 2 | blobbies, 2 |
///   | ball, 0.74 million                 | 2.2  4.0  3.8                         | 3.8            | 3.8         |
///   | ball, 1 particle of 8 (in a cell)  | 4.4  1.5  1.4                         | 2.1            | 9.6         |
///   | ball, 1 of 4; 1 of 16; 1 of 32     | 3.1; 1.6; 1.7 at resolution 2         |                |             |
///
/// and on 4 ranks 5.2 for the ball with 1 particle of 8.
/// Parallel: collective; OpenMP
double memory_of_surface(const Communicator& comm, const Domain& simulation, const SurfaceOptions& options,
                         const SurfaceParticles& particles, const SolidDistance& solids = {});

}  // namespace freshet
