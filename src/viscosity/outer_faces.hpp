// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "viscosity/stress_weights.hpp"

namespace freshet::viscous {

/// Extrapolate the velocity linearly to faces with an unknown that belong to no liquid cell. The boxes around them hold
/// some liquid, but no pressure has acted on their velocity, which extrapolation has copied from a face nearby: liquid
/// in rigid rotation would be strained there and lose some angular momentum in every step, however short.
///
/// Such a face gets the mean, over the directions in which the next face belongs to a liquid cell, of the line through
/// the next two faces, or of the next one's value if the second belongs to no liquid cell. Faces without such
/// neighbours keep their velocity.
/// \param[in] labels    ghosts valid to width 3
/// \param[in] velocity  owned; ghosts are refreshed to width 2 [m/s]
/// \param[out] x        written on such owned faces only [m/s]
/// Parallel: collective; OpenMP
void continue_linearly(const StressWeights& weights, const LabelField& labels, FaceField<double>& velocity,
                       FaceField<double>& x);

}  // namespace freshet::viscous
