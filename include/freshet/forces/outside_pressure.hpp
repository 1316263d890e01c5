// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/forces/forces.hpp"

namespace freshet {

/// The pressure of liquid outside the domain's open sides.
///
///   p(x) = max(0, p_0 + rho g . (x - x_0)),   x_0: the point of the side that lies lowest along g
///
/// p_0 is the pressure at x_0, so that liquid at rest stands outside up to p_0 / (rho |g|) above it, with air at p = 0
/// over that. Without gravity, or with gravity across the side, p = p_0 on all of it.
/// The projection takes p = 0 in the cells outside: p is added to the velocity of each open face of a liquid cell
/// before it, which is the same as p in the cells outside.
/// Source: Bridson 2015, section 5.1 (pressure outside as a Dirichlet condition)
class OutsidePressure : public ForceTerm {
 public:
  OutsidePressure(const Domain& domain, const FluidOptions& fluid);
  /// \return whether some open side of the domain has a pressure
  static bool is_wanted(const Domain& domain, const FluidOptions& fluid);
  void apply(const ForceInput& flow, double dt, FaceField<double>& velocity) const override;
  /// 0: the pressure inside balances it in the same step.
  double largest_acceleration(double /*time*/, double /*speed*/) const override { return 0.0; }
  int reach() const override { return 1; }
  /// The pressure at a point [m] of an open side. [Pa]
  double pressure_at(int axis, int side, const Vec3& x) const;

 private:
  Domain domain_;
  FluidOptions fluid_;
};

}  // namespace freshet
