// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"

namespace freshet {

/// Largest |u_f| of any component over the owned faces of all ranks; infinite if one is NaN. [m/s]
/// Parallel: collective; OpenMP
double largest_face_velocity(const FaceField<double>& velocity);
/// Largest |u_f| over the owned faces of this rank; infinite if one is NaN. [m/s] Parallel: local; OpenMP
double largest_face_velocity_here(const FaceField<double>& velocity);
/// Largest |u_f| over the faces of one block; infinite if one is NaN. [m/s] Parallel: local
double largest_face_velocity_of(const FaceField<double>& velocity, LocalIndex block);

}  // namespace freshet
