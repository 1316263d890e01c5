// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

/// The rates by which eddy viscosities grow with the gradient g of the velocity: nu_t = length^2 rate.
/// Each takes g[3 d + e] = du_d / dx_e; all lines of it that a 2-D flow lacks are 0.
namespace freshet {

/// The part of an eddy viscosity that acts: |R|^2 / |S|^2, at most 1, with |S|^2 = 2 S_de S_de and |R|^2 = 2 R_de R_de.
///
/// Strain and rotation are equal in shear, and their mean squares in homogeneous turbulence. Below waves the flow is
/// irrotational: it has a strain and no turbulence, and would be damped. Mayer & Madsen (2000) therefore let rotation
/// and not strain make turbulence there, and Larsen & Fuhrman (2018) limit the eddy viscosity in nearly irrotational
/// flow to a value in proportion to this ratio. \param[in] strain, rotation  |S|^2 and |R|^2, or both halved
template <class Real>
Real acting_part(Real strain, Real rotation) {
  constexpr Real least = static_cast<Real>(1e-20);  // far below any strain that matters in a step
  return std::min(static_cast<Real>(1), rotation / std::max(strain, least));
}

/// |S| of Smagorinsky (1963) times acting_part().
template <class Real>
Real shear_rate(const Real* g) {
  const Real xy = g[1] + g[3], xz = g[2] + g[6], yz = g[5] + g[7];
  const Real rot_xy = g[1] - g[3], rot_xz = g[2] - g[6], rot_yz = g[5] - g[7];
  const Real strain = 2 * (g[0] * g[0] + g[4] * g[4] + g[8] * g[8]) + xy * xy + xz * xz + yz * yz;
  const Real rotation = rot_xy * rot_xy + rot_xz * rot_xz + rot_yz * rot_yz;
  return std::sqrt(strain) * acting_part(strain, rotation);
}

/// (T:T)^(3/2) / ((S:S)^(5/2) + (T:T)^(5/4)) with T the symmetric part of g g without its trace: 0 in pure shear, and
/// falling with the cube of the distance towards a wall. In irrotational flow it would be a third of |S|; it is taken
/// times acting_part(). Source: Nicoud & Ducros 1999, eqs. 10 and 13
template <class Real>
Real wale_rate(const Real* g) {
  Real square[9];
  for (int d = 0; d < 3; ++d)
    for (int e = 0; e < 3; ++e) square[3 * d + e] = g[3 * d] * g[e] + g[3 * d + 1] * g[3 + e] + g[3 * d + 2] * g[6 + e];
  const Real third = (square[0] + square[4] + square[8]) / 3;
  Real strain = 0, rotation = 0, t = 0;
  for (int d = 0; d < 3; ++d) {
    strain += g[4 * d] * g[4 * d];
    const Real normal = square[4 * d] - third;
    t += normal * normal;
    for (int e = 0; e < d; ++e) {
      const Real s = g[3 * d + e] + g[3 * e + d], of_square = square[3 * d + e] + square[3 * e + d];
      const Real r = g[3 * d + e] - g[3 * e + d];
      strain += s * s / 2;
      rotation += r * r / 2;
      t += of_square * of_square / 2;
    }
  }
  const Real below = strain * strain * std::sqrt(strain) + t * std::sqrt(std::sqrt(t));
  // t is 0 where the sum below is
  return acting_part(strain, rotation) * t * std::sqrt(t) / std::max(below, std::numeric_limits<Real>::min());
}

}  // namespace freshet
