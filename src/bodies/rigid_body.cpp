// SPDX-License-Identifier: Apache-2.0
#include "freshet/bodies/rigid_body.hpp"

#include "freshet/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace freshet {
namespace {

Mat3 given_inertia(const std::vector<double>& given) {
  if (given.size() == 1) return given[0] * Mat3::Identity();
  Mat3 tensor = Vec3(given[0], given[1], given[2]).asDiagonal();
  if (given.size() == 6) {
    tensor(0, 1) = tensor(1, 0) = given[3];
    tensor(0, 2) = tensor(2, 0) = given[4];
    tensor(1, 2) = tensor(2, 1) = given[5];
  }
  return tensor;
}

/// In 2-D only the moment about z counts; the others are made such that the tensor can be inverted.
Mat3 of_plane(const Mat3& inertia) {
  return inertia(2, 2) * Mat3::Identity();
}

}  // namespace

BodyMass body_mass(const BodyParameters& body, const std::optional<VolumeMoments>& moments, double liquid_density,
                   double thickness, int dimension, const std::string& name) {
  const bool is_complete = body.mass && *body.mass > 0.0 && !body.center.empty() && !body.inertia.empty();
  if (!moments && !is_complete)
    throw InputError(fmt::format(
        "{} has no {} that is known (it is infinite, empty, or made of parts whose common volume has no closed form). "
        "Give body.mass, body.center and body.inertia",
        name, dimension == 2 ? "area in the plane" : "volume"));
  BodyMass result;
  const double volume = moments ? thickness * moments->volume : 0.0;
  const double given = body.mass ? thickness * *body.mass : *body.density * volume;
  result.displaced = liquid_density * volume;
  result.mass = std::max(given, least_mass * result.displaced);
  if (moments) {
    result.center = moments->centroid;
    result.inertia = result.mass / moments->volume * moments->inertia();
  }
  for (std::size_t d = 0; d < body.center.size() && static_cast<int>(d) < dimension; ++d)
    result.center[static_cast<int>(d)] = body.center[d];
  if (!body.inertia.empty()) {
    result.inertia = thickness * given_inertia(body.inertia);
  } else if (moments) {  // the moments of an even filling, about the centre of mass that is given
    const Vec3 off = moments->centroid - result.center;
    result.inertia += result.mass * (off.squaredNorm() * Mat3::Identity() - off * off.transpose());
  }
  if (dimension == 2) result.inertia = of_plane(result.inertia);
  const bool is_finite = std::isfinite(result.mass) && result.inertia.allFinite();
  if (!is_finite || !(result.mass > 0.0) || !(result.inertia.determinant() > 0.0))
    throw InputError(fmt::format(
        "{} has a mass of {:g} kg and moments of inertia of {:g}, {:g} and {:g} kg m^2: beyond what numbers of 64 bits "
        "can hold. Give lengths in m and masses in kg",
        name, result.mass, result.inertia(0, 0), result.inertia(1, 1), result.inertia(2, 2)));
  return result;
}

Vec3 free_spin(const Mat3& inertia, const Mat3& rotation, const Vec3& momentum, double dt) {
  constexpr int most_rounds = 200;
  constexpr double rounding = 1e-16;
  const Mat3 inverse = inertia.inverse();
  const Vec3 before = rotation.transpose() * momentum;
  const Vec3 spin = inverse * before;
  Vec3 turn = dt * spin;  // rotation vector of the step in the body's axes
  for (int round = 0; round < most_rounds; ++round) {
    const Vec3 next = 0.5 * dt * (spin + inverse * (turn_by(turn).transpose() * before));
    const double change = (next - turn).norm();
    turn = change > 0.5 * turn.norm() ? Vec3(0.5 * (turn + next)) : next;  // the first rounds of a wild tumble
    if (change <= rounding * turn.norm()) break;
  }
  return rotation * (turn / dt);
}

Vec6 operator*(const Mat6& matrix, const Vec6& vector) {
  Vec6 result = Vec6::Zero();
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) result[i] += matrix(i, j) * vector[j];
  return result;
}

Mat6 inverse_of(Mat6 matrix) {
  Mat6 inverse;
  for (int i = 0; i < 6; ++i) inverse(i, i) = 1.0;
  for (int column = 0; column < 6; ++column) {
    int pivot = column;
    for (int i = column + 1; i < 6; ++i)
      if (std::abs(matrix(i, column)) > std::abs(matrix(pivot, column))) pivot = i;
    for (int j = 0; j < 6; ++j) {
      std::swap(matrix(column, j), matrix(pivot, j));
      std::swap(inverse(column, j), inverse(pivot, j));
    }
    const double factor = 1.0 / matrix(column, column);
    for (int j = 0; j < 6; ++j) {
      matrix(column, j) *= factor;
      inverse(column, j) *= factor;
    }
    for (int i = 0; i < 6; ++i) {
      const double times = matrix(i, column);
      if (i == column || times == 0.0) continue;
      for (int j = 0; j < 6; ++j) {
        matrix(i, j) -= times * matrix(column, j);
        inverse(i, j) -= times * inverse(column, j);
      }
    }
  }
  return inverse;
}

Mat3 turn_by(const Vec3& turn) {
  const double angle = turn.norm();
  if (angle == 0.0) return Mat3::Identity();
  return Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix();
}

Mat3 without_drift(const Mat3& rotation) {
  return Eigen::Quaterniond(rotation).normalized().toRotationMatrix();
}

}  // namespace freshet
