// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/domain.hpp"
#include "freshet/solids/solids.hpp"

#include <vector>

/// How long a step may be so that it does not miss what moves within it. A step knows of a motion what the poses and
/// velocities at its ends say; turns, blows and shakers that are back at the end of a step would move nothing.
namespace freshet {

/// The part of the way of a step that the liquid may be wrong by, because the step does not see a change of velocity
/// within it.
constexpr double unseen_part = 0.05;

/// The largest dt between two that fits, to a thousandth. \pre if a dt fits, so do shorter ones; `fitting` may be 0
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

/// dt, or less: a step from `time` on ends where a velocity jumps, if `dt` times the jump is a part of `length` that
/// matters. \param[in] at  when the velocity jumps [s]  \param[in] jump  by how much [m/s]
double step_to_jump(double at, double jump, double time, double dt, double length);

/// The longest step from `time` on, up to dt, that sees a motion. [s] Parallel: local
///
/// The velocity of no point within `reach` of the pivot changes by more than length / dt within the step; no more than
/// unseen_part of that is taken back before the step ends; and where the velocity jumps by more, the step ends.
/// \param[in] reach   of the points that count [m]
/// \param[in] length  the way that the step may let liquid move [m]
double seen_step(const RigidMotion& motion, double reach, double time, double dt, double length);

/// The same for the whole tank, which moves with the grid.
double seen_step(const RigidMotion& tank, const Domain& domain, double time, double dt, double length);

/// The same for all bodies that come to the domain within dt.
double seen_step(const std::vector<SolidBody>& bodies, const Domain& domain, double time, double dt, double length);

}  // namespace freshet
