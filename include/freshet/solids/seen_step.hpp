// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/domain.hpp"
#include "freshet/solids/solids.hpp"

#include <vector>

/// Length of a step that resolves the motions within it. A step knows only the poses and velocities at its ends; a
/// motion that returns within a step would move no liquid.
namespace freshet {

/// Error of the liquid's displacement in a step, as a part of it, that an unresolved change of velocity may cause.
constexpr double unseen_part = 0.05;

/// The largest dt in [fitting, longest] that fits, to a thousandth. \pre if a dt fits, so do shorter ones
/// \param[in] fitting  may be 0
template <class Fits>
double longest_fitting(double fitting, double longest, Fits&& fits) {
  constexpr double precision = 1e-3;
  if (fits(longest)) return longest;
  while (longest - fitting > precision * longest) {
    const double middle = 0.5 * (fitting + longest);
    (fits(middle) ? fitting : longest) = middle;
  }
  return fitting > 0.0 ? fitting : longest;
}

/// dt, or less: a step from `time` on ends where a velocity jumps, if `dt` times the jump exceeds unseen_part of
/// `length`. \param[in] at  when the velocity jumps [s]  \param[in] jump  by how much [m/s]
double step_to_jump(double at, double jump, double time, double dt, double length);

/// The longest step from `time` on, up to dt, that resolves a motion. [s] Parallel: local
///
/// The velocity of no point within `reach` of the pivot changes by more than length / dt within the step; no more than
/// unseen_part of that is taken back before the step ends; and where the velocity jumps by more, the step ends.
/// \param[in] reach   bound of the points' distance from the pivot [m]
/// \param[in] length  displacement of liquid that the step allows [m]
double seen_step(const RigidMotion& motion, double reach, double time, double dt, double length);

/// seen_step() of the whole tank, which moves with the grid.
double seen_step(const RigidMotion& tank, const Domain& domain, double time, double dt, double length);

/// seen_step() of all bodies that come to the domain within dt.
double seen_step(const std::vector<SolidBody>& bodies, const Domain& domain, double time, double dt, double length);

}  // namespace freshet
