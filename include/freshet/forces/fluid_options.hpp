// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/keys/declare.hpp"

namespace freshet {

/// The liquid, and gravity in its frame of reference.
struct FluidOptions {
  double density = 1000.0;        ///< [kg/m^3]
  double viscosity = 0.0;         ///< dynamic viscosity of liquids without their own [Pa s]
  Vec3 gravity{0.0, -9.81, 0.0};  ///< [m/s^2]
  Vec3 rotation = Vec3::Zero();   ///< rotation of the frame of reference, for the Coriolis force [rad/s]
  double surface_tension = 0.0;   ///< [N/m]
  double contact_angle = 90.0;    ///< angle in the liquid between its surface and a wall [degrees]
};

keys::Keys keys_of(FluidOptions& fluid);

}  // namespace freshet
