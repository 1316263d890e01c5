// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "viscosity/stress_weights.hpp"

namespace freshet::viscous {

/// The velocity on faces with an unknown that are none of a liquid cell. The surface leaves liquid in the boxes around
/// them, but no pressure has acted on their velocity, which extrapolation has set to that of a face nearby: liquid that
/// turns as a rigid body would be strained there, and lose some angular momentum with every step, however short.
///
/// Each such face gets the mean, over the axes and directions in which the next face is of a liquid cell, of the line
/// through the next two faces; where the second is not of a liquid cell, of the next one's value. Faces without such
/// neighbours keep what they have.
/// \param[in] labels    ghosts valid to width 3
/// \param[in] velocity  owned; ghosts are refreshed to width 2 [m/s]
/// \param[out] x        such owned faces alone are written [m/s]
/// Parallel: collective; OpenMP
void continue_linearly(const StressWeights& weights, const LabelField& labels, FaceField<double>& velocity,
                       FaceField<double>& x);

}  // namespace freshet::viscous
