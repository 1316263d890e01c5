// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/rigid_motion.hpp"
#include "freshet/geometry/volume_moments.hpp"
#include "freshet/solids/body_parameters.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace freshet {

/// Six numbers of a body: along x, y, z, and about them.
using Vec6 = Eigen::Matrix<double, 6, 1>;
/// Numbers along the axes and about them, as one.
inline Vec6 joined(const Vec3& along, const Vec3& about) {
  Vec6 result;
  result.head<3>() = along;
  result.tail<3>() = about;
  return result;
}

/// A matrix that takes six such numbers to six others.
struct Mat6 {
  std::array<double, 36> entries{};
  double& operator()(int i, int j) { return entries[static_cast<std::size_t>(6 * i + j)]; }
  double operator()(int i, int j) const { return entries[static_cast<std::size_t>(6 * i + j)]; }
};
Vec6 operator*(const Mat6& matrix, const Vec6& vector);
/// The inverse, by elimination with the largest pivots. \pre the matrix can be inverted
Mat6 inverse_of(Mat6 matrix);

/// The smallest mass of a body, as a part of that of the liquid that it displaces: about what the air weighs that it
/// would have to move above water. A lighter body counts as one of this mass. In water its motion differs by less than
/// this part, as the liquid around it has more inertia.
constexpr double least_mass = 1e-3;

/// Mass and inertia of a body at its place in the case file. In 2-D they are those of a slab of some thickness.
struct BodyMass {
  double mass = 0.0;            ///< [kg]
  Vec3 center = Vec3::Zero();   ///< centre of mass [m]
  Mat3 inertia = Mat3::Zero();  ///< about the centre [kg m^2]
  double displaced = 0.0;       ///< mass of liquid of its volume [kg]; 0: not known
};

/// The mass of a body from its keys, and from the moments of its shape where keys leave something open.
///
/// \param[in] moments         of the shape; nothing if they are not known
/// \param[in] liquid_density  for the least mass [kg/m^3]
/// \param[in] thickness       thickness of the slab in 2-D [m]; 1 in 3-D
/// \param[in] name            "<file>:<line>: solid.<n>", for messages
/// Errors: InputError if the keys and the shape do not determine mass, centre and inertia. Parallel: local
BodyMass body_mass(const BodyParameters& body, const std::optional<VolumeMoments>& moments, double liquid_density,
                   double thickness, int dimension, const std::string& name);

/// The mean angular velocity of a body that spins freely for dt, whose rotation vector is dt times it. [rad/s]
///
/// It keeps the angular momentum and the energy without error: with the body's momentum P = R^T L and its angular
/// velocity W = I^-1 P, R' = R exp(dt (W + W') / 2), P' = R'^T L: P' - P is normal to the axis W + W'.
/// \param[in] inertia   in the body's own axes [kg m^2]
/// \param[in] rotation  R at the start
/// \param[in] momentum  angular momentum L in the axes of space [kg m^2/s]
/// Source: Simo & Wong 1991, section 4 (ALGO_C1). Parallel: local
Vec3 free_spin(const Mat3& inertia, const Mat3& rotation, const Vec3& momentum, double dt);

/// The rotation by a rotation vector. [rad]
Mat3 turn_by(const Vec3& turn);

/// The rotation nearest to a matrix that is one up to rounding.
Mat3 without_drift(const Mat3& rotation);

}  // namespace freshet
