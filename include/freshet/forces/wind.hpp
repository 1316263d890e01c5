// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/forces/forces.hpp"

#include <memory>

namespace freshet {

/// Wind over the liquid: a stress along its upper surface.
struct WindOptions {
  static constexpr const char* table = "fluid.wind";
  Vec3 velocity = Vec3::Zero();  ///< [m/s]
  double drag = 1.3e-3;          ///< drag coefficient
  double density = 1.2;          ///< density of the air [kg/m^3]
};

/// The drag of wind along the liquid's upper surface.
///
///   tau = c_d rho_air |W - u| (W - u),   the parts of W - u across gravity
///
/// A cell of liquid with air above it has the stress tau on its upper side, shared by its faces. A face and the one
/// above it have, by the deposit's weights, the mass of all particles from somewhere in the cell below to the surface;
/// both are accelerated by tau dx^2 / mass, so that the particles get the momentum wherever in a cell the surface lies.
/// Steep surfaces have the stress of their horizontal projection.
/// Source: Wu 1982, J. Geophysical Research 87, 9704-9706
class Wind : public ForceTerm {
 public:
  /// \pre gravity is not zero; its largest component says which way is up
  Wind(const WindOptions& wind, const Domain& domain, const FluidOptions& fluid);
  void apply(const ForceInput& flow, double dt, FaceField<double>& velocity) const override;
  double largest_acceleration(double time, double speed) const override;
  int reach() const override { return 1; }
  bool shears_surface() const override { return true; }

 private:
  Domain domain_;
  Vec3 velocity_;  ///< W without its vertical part [m/s]
  double rate_;    ///< c_d rho_air / (rho dx) [1/m]
  int axis_ = 0;   ///< axis of gravity
  int up_ = 1;     ///< upward direction along the axis: +1 or -1
};

keys::Keys keys_of(WindOptions& wind);
/// Errors: InputError if the wind does not blow along the surface that faces up
void check_force(const WindOptions& wind, const ForceScene& scene, const keys::Table& table);
std::unique_ptr<ForceTerm> make_force(const WindOptions& wind, const Domain& domain, const FluidOptions& fluid);

}  // namespace freshet
