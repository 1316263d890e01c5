// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"

namespace freshet {

/// Difference of the kinetic energy on faces between two velocities: sum m_f (u_after^2 - u_before^2) / 2. [J]
///
/// \param[in] weight  owned faces: number of particles that a face represents
/// \param[in] mass    of a particle [kg]
/// Parallel: collective; OpenMP; the same bits for any number of ranks and threads
double kinetic_energy_gain(const FaceField<double>& before, const FaceField<double>& after,
                           const FaceField<double>& weight, double mass);

}  // namespace freshet
