// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"

#include <string>

namespace freshet {

/// The face with the largest velocity, or one whose velocity is no number, in words: its value, cell, place and rank.
/// Ghosts are not looked at. Parallel: collective
std::string describe_fastest_face(const FaceField<double>& velocity);

/// The particle with the largest speed, or one that has no finite position or velocity, in words: its id, speed, cell,
/// place and rank. \pre sorted state of the layout. Parallel: collective
std::string describe_fastest_particle(const ParticleStore& particles, const BlockLayout& layout);

/// Whether all particles of all ranks have finite positions and velocities. Parallel: collective
bool all_finite(const ParticleStore& particles, const BlockLayout& layout);

}  // namespace freshet
