// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/forces/forces.hpp"

#include <array>
#include <memory>

namespace freshet {

/// The pressure at the lowest point of each open side.
struct OutsidePressureOptions {
  static constexpr const char* table = "fluid.outside_pressure";
  std::array<std::array<double, 2>, 3> of_side{};  ///< by axis and side [Pa]
};

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
  OutsidePressure(const OutsidePressureOptions& options, const Domain& domain, const FluidOptions& fluid)
      : options_(options), domain_(domain), fluid_(fluid) {}
  /// Whether some open side of the domain has a pressure.
  bool is_any() const;
  void apply(const ForceInput& flow, double dt, FaceField<double>& velocity) const override;
  /// 0: the pressure inside balances it in the same step.
  double largest_acceleration(double /*time*/, double /*speed*/) const override { return 0.0; }
  int reach() const override { return 1; }
  /// The pressure at a point [m] of an open side. [Pa]
  double pressure_at(int axis, int side, const Vec3& x) const;

 private:
  /// Whether a side is open and has a pressure.
  bool has_pressure(int axis, int side) const;

  OutsidePressureOptions options_;
  Domain domain_;
  FluidOptions fluid_;
};

keys::Keys keys_of(OutsidePressureOptions& outside);
/// Errors: InputError if a side that is not open has a pressure
void check_force(const OutsidePressureOptions& outside, const ForceScene& scene, const keys::Table& table);
std::unique_ptr<ForceTerm> make_force(const OutsidePressureOptions& outside, const Domain& domain,
                                      const FluidOptions& fluid);

}  // namespace freshet
