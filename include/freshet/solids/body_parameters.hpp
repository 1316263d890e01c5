// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/keys/declare.hpp"

#include <optional>
#include <string>
#include <vector>

namespace freshet {

/// A solid as a body that the liquid moves. It is one if its density or its mass is given. What contact needs is that
/// of any solid.
///
/// In 2-D masses, moments of inertia, forces, stiffnesses and dampings are those of one metre of thickness.
struct BodyParameters {
  std::optional<double> density;         ///< [kg/m^3]
  std::optional<double> mass;            ///< [kg]
  std::vector<double> center;            ///< centre of mass [m]; empty: that of the shape
  std::vector<double> inertia;           ///< about the centre: xx, yy, zz and perhaps xy, xz, yz; in 2-D zz [kg m^2]
  Vec3 velocity = Vec3::Zero();          ///< velocity of the centre at the start [m/s]
  Vec3 angular_velocity = Vec3::Zero();  ///< rotation vector per second at the start [degrees/s]
  std::vector<std::string> fixed;        ///< axes that are held: "x", "y", "z", "rx", "ry", "rz"
  Vec3 force = Vec3::Zero();             ///< constant force on the centre [N]
  Vec3 moment = Vec3::Zero();            ///< constant moment [N m]
  double damping = 0.0;                  ///< force against the velocity, over it [kg/s]
  double quadratic_damping = 0.0;        ///< force against the velocity, over its square [kg/m]
  double angular_damping = 0.0;          ///< moment against the angular velocity, over it [kg m^2/s]
  double restitution = 0.0;              ///< speed of parting over speed of approach, of any solid that bodies touch
  double friction = 0.3;                 ///< Coulomb's coefficient, of any solid that bodies touch
  bool contact = true;                   ///< false: bodies pass through the solid, and it through others
  std::vector<std::vector<double>> springs;  ///< rows: point of the body, anchor [m], stiffness [N/m], length [m]

  bool is_free() const { return density.has_value() || mass.has_value(); }
};

/// Bits of the axes of BodyParameters::fixed: bit d for the displacement along axis d, bit 3 + d for the rotation.
unsigned fixed_axes(const BodyParameters& body);

keys::Keys keys_of(BodyParameters& body);
/// Check a body. Errors: InputError. \param[in] has_motion  the solid moves as keys of a motion say
void check_body(const BodyParameters& body, bool has_motion, const keys::Table& table, int dimension);

}  // namespace freshet
