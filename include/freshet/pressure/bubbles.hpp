// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace freshet {

/// A bubble of trapped air in a projection. Outflows are sums over the bubble's faces of velocity times open fraction,
/// out of the bubble [m/s]; an outflow q changes the volume by q dx^2 per time. Those of the liquid count the bodies
/// that it moves; what prescribed walls and sources sweep is known and counts apart.
struct Bubble {
  double pressure = 0.0;  ///< p~ of its gas, on entry at the start of the step, on return the projection's [m/s]
  double softness = 0.0;  ///< increase of the outflow by a step that decreases p~ by as much; 0: it keeps its volume
  double theta = 0.5;     ///< weight of the outflow at the end of the step in its mean
  double outflow = 0.0;   ///< outflow of the liquid, on entry before the step, on return after the projection [m/s]
  double lack = 0.0;      ///< volume that its air on the grid lacks, see Projection::displace() [cell volumes]
  bool is_held = true;    ///< whether displacements give it `lack` and no more; else it gives way to them
  double mean_outflow = 0.0;    ///< result: outflow of the gas over the step, with `swept` [m/s]
  double outflow_before = 0.0;  ///< result: outflow of the liquid at the start of the step [m/s]
  double swept = 0.0;           ///< result: outflow that prescribed walls and sources make in the step [m/s]
};

/// Bubbles of trapped air, each with one pressure on all of its faces.
///
/// With p_b in place of 0 beyond the surface, the row of bubble b says that its outflow is what its gas allows:
///
///   sum_f w_f / theta_f (p_b + p_I - p_c) + q*_b = q_b,
///   q_b = k (p^n_b - p_b) / theta^2 - (1 - theta) / theta (q^n_b + s_b)
///
/// over its faces f towards liquid cells c; q*_b is the outflow of u* and of solids, p^n_b holds at the start of the
/// step and k is the softness rho V / (gamma P dt dt_p dx) of a gas of volume V and absolute pressure P (dt_p: time
/// that the pressure acts for). s_b is the outflow by which prescribed walls sweep from their first to their last
/// places in the step, and q^n_b the liquid's at its start. Over dt the gas expands by s_b and the mean of q^n_b and
/// q_b - s_b with weights 1 - theta and theta: a wall that stops leaves nothing of its velocity for the next step.
/// theta = 1/2, the trapezoidal rule, keeps the energy of oscillations; theta = 1 damps them. A bubble that keeps its
/// volume has q_b = 0. p_b is eliminated: the matrix loses f f^T / (F + k / theta^2), with f_c the part of F at cell c
/// (Goldade, Aanjaneya & Batty 2020, section 4; Patkar et al. 2013 for the gas law).
struct Bubbles {
  static constexpr std::int32_t none = -1;
  static constexpr std::int32_t far = -2;

  /// Bubble of each cell, ghosts valid to width 1; `none` in all others, `far` in blocks far from the liquid, which lie
  /// inside the bubbles that they touch.
  const CellField<std::int32_t>* number = nullptr;
  /// Bubble that a block far from the liquid belongs to, by its coordinates in blocks; `none` if to none.
  std::function<std::int32_t(const Vec3i&)> of_far_block;
  std::vector<Bubble> bubbles;  ///< the same on all ranks
};

}  // namespace freshet
