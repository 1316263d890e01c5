// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/meshing/level_set.hpp"

namespace freshet {

/// Lower bound of the memory that a surface of n_particles needs on all ranks together, wherever the particles are. It
/// is known before the particles are read. [bytes] \param[in] n_numbers  components of all attributes of a particle
double least_memory_of_surface(GlobalIndex n_particles, int n_numbers);

/// Upper estimate of the memory of a level set and its mesh on each rank, beside the particles. [bytes]
///
/// The particles with all their images and the blocks of the lattice that they may reach are counted; blocks deep in
/// the liquid count as well, though most of them will not exist. The program surface_table of jobs/benchmark_surface.sh
/// prints the estimate beside the peak of resident memory on the largest rank.
/// Parallel: collective; OpenMP
double memory_of_surface(const Communicator& comm, const Domain& simulation, const SurfaceOptions& options,
                         const SurfaceParticles& particles, const SolidDistance& solids = {});

}  // namespace freshet
