// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/grid/domain_options.hpp"
#include "freshet/keys/declare.hpp"

#include <array>
#include <vector>

namespace freshet {

enum class VortexMethod { confinement, weights };

/// A box in which the liquid's velocity relaxes to a given one, so that waves which enter it do not come back.
struct AbsorberParameters {
  Vec3 lower = Vec3::Zero();       ///< [m]
  Vec3 upper = Vec3::Zero();       ///< [m]
  Vec3 direction = Vec3::UnitX();  ///< direction in which the damping increases, of any length
  double strength = 0.0;           ///< rate at the far end [1/s]
  Vec3 velocity = Vec3::Zero();    ///< velocity to which the liquid relaxes [m/s]
};

/// Wind over the liquid: a stress along its upper surface.
struct WindOptions {
  Vec3 velocity = Vec3::Zero();  ///< [m/s]
  double drag = 1.3e-3;          ///< drag coefficient
  double density = 1.2;          ///< density of the air [kg/m^3]
};

/// The liquid and the forces on it.
struct FluidOptions {
  double density = 1000.0;        ///< [kg/m^3]
  double viscosity = 0.0;         ///< dynamic viscosity of liquids without their own [Pa s]
  Vec3 gravity{0.0, -9.81, 0.0};  ///< [m/s^2]
  Vec3 rotation = Vec3::Zero();   ///< rotation of the frame of reference, for the Coriolis force [rad/s]
  WindOptions wind;
  std::array<std::array<double, 2>, 3> outside_pressure{};  ///< at the lowest point of an open side [Pa]: [axis][side]
  std::vector<AbsorberParameters> absorbers;
  double surface_tension = 0.0;  ///< [N/m]
  double contact_angle = 90.0;   ///< angle in the liquid between its surface and a wall [degrees]
};

/// The vortex boost.
struct VortexOptions {
  double boost = 0.0;  ///< 0: off
  VortexMethod method = VortexMethod::confinement;
};

keys::Keys keys_of(FluidOptions& fluid);  ///< without those of the pressure outside
keys::Keys outside_pressure_keys(FluidOptions& fluid);
keys::Keys keys_of(VortexOptions& vortex);
keys::Entry entry_of(AbsorberParameters& zone);
/// Check a zone. Errors: InputError if it has no volume in the domain, or no direction
void check_absorber(const AbsorberParameters& zone, const DomainOptions& domain, const keys::Table& table);
/// Check that the wind blows along the surface that faces up. Errors: InputError
void check_wind(const FluidOptions& fluid, const keys::Table& table);

}  // namespace freshet
