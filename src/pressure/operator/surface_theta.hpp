// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pressure/operator/rows.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // a Row never crosses a call that is not inlined

namespace freshet::pressure {

/// 1 / theta of the face between two cells, or of the faces between two rows of cells; 1 between two liquid cells.
/// \tparam Real  double or Row
/// \param[in] phi, other  level set in the two rows \param[in] open  open fractions of the faces
template <class Real>
Real inverse_theta(const Real& phi, const Real& other, double theta_min, const Real& open) {
  const Real wet = phi < other ? phi : other;
  const Real dry = phi < other ? other : phi;
  const double least = 1e-6;  // so that no lane divides by 0
  const Real result = 1.0 - dry / (wet < -least ? wet : Real{} - least);
  const Real bound = open * (1.0 / theta_min);
  const Real largest = bound > 1.0 ? bound : Real{} + 1.0;
  return dry < 0.0 ? Real{} + 1.0 : result < largest ? result : largest;
}

/// p_I of the face between two cells, or of the faces between two rows of cells; 0 on faces that the surface does not
/// cut. \param[in] phi, other  level set \param[in] kappa, other_kappa  curvatures \param[in] inverse  1 / theta
template <class Real>
Real surface_pressure(const Real& phi, const Real& other, const Real& kappa, const Real& other_kappa,
                      const Real& inverse, double strength) {
  const auto is_wet = phi < other;
  const Real wet = is_wet ? kappa : other_kappa;
  const Real dry = is_wet ? other_kappa : kappa;
  const Real result = strength * (wet + (dry - wet) / inverse);
  return (is_wet ? phi : other) < 0.0 && (is_wet ? other : phi) >= 0.0 ? result : Real{};
}

}  // namespace freshet::pressure

#pragma GCC diagnostic pop
