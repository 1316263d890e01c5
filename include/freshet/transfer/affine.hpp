// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/particles/particle_store.hpp"

namespace freshet {

/// The particle attribute of APIC: 9 reals a particle, row d holds du_d/dx, du_d/dy, du_d/dz [1/s] as the particle
/// knows them. In 2-D what belongs to z is 0.
constexpr const char* affine_attribute = "affine";
constexpr int affine_width = 9;

/// Give every particle, and those to come, a constant velocity around it. \pre the attribute is not there
void add_affine(ParticleStore& particles);

/// Whether the store has the attribute, in the form that add_affine() gives it.
bool has_affine(const ParticleStore& particles);

/// Row d of particle p starts at 9 p + 3 d. \pre has_affine(particles)
ParticleReal* affine_rows(ParticleStore& particles);
const ParticleReal* affine_rows(const ParticleStore& particles);

}  // namespace freshet
