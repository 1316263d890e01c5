// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"

#include <string>

namespace freshet {

/// Describe the owned face with the largest velocity, or one whose velocity is NaN: value, cell, position and rank.
/// Parallel: collective
std::string describe_fastest_face(const FaceField<double>& velocity);

/// Describe the particle with the largest speed, or one whose position or velocity is not finite: id, speed, cell,
/// position and rank. \pre particles are sorted by the layout. Parallel: collective
std::string describe_fastest_particle(const ParticleStore& particles, const BlockLayout& layout);

/// Whether all particles of all ranks have finite positions and velocities. Parallel: collective
bool all_finite(const ParticleStore& particles, const BlockLayout& layout);

}  // namespace freshet
