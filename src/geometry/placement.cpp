// SPDX-License-Identifier: Apache-2.0
#include "placement.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace freshet {
namespace {

constexpr double boundless = std::numeric_limits<double>::infinity();

/// Cosine and sine of an angle in degrees. They are exact for quarter turns, which keep boxes aligned with the axes.
std::pair<double, double> cos_sin(double degrees) {
  const double angle = std::remainder(degrees, 360.0);
  if (angle == 0.0) return {1.0, 0.0};
  if (angle == 90.0) return {0.0, 1.0};
  if (angle == -90.0) return {0.0, -1.0};
  if (std::abs(angle) == 180.0) return {-1.0, 0.0};
  const double radians = angle * std::numbers::pi / 180.0;
  return {std::cos(radians), std::sin(radians)};
}

/// The rotation matrix by Rodrigues' formula.
Eigen::Matrix3d rotation_about(const Vec3& axis, double degrees) {
  const auto [c, s] = cos_sin(degrees);
  const Vec3 n = axis.normalized();
  Eigen::Matrix3d cross;
  cross << 0.0, -n.z(), n.y(), n.z(), 0.0, -n.x(), -n.y(), n.x(), 0.0;
  return c * Eigen::Matrix3d::Identity() + s * cross + (1.0 - c) * (n * n.transpose());
}

}  // namespace

Placement::Placement(const TransformParameters& transform, double plane)
    : rotation_(rotation_about(transform.axis, transform.angle)),
      scale_(transform.scale),
      turns_(std::remainder(transform.angle, 360.0) != 0.0) {
  const Vec3 fixed(0.0, 0.0, plane);
  offset_ = transform.translate + transform.center + rotation_ * ((1.0 - scale_) * fixed - transform.center);
  if (!turns_) offset_ = transform.translate + (1.0 - scale_) * fixed;
}

Box Placement::box(const Box& box) const {
  Box placed{offset_, offset_};
  for (int d = 0; d < 3; ++d)
    for (int axis = 0; axis < 3; ++axis) {
      const double factor = scale_ * rotation_(d, axis);
      if (factor == 0.0) continue;  // 0 also where the side is infinite
      const double at_lower = factor * box.lower[axis];
      const double at_upper = factor * box.upper[axis];
      placed.lower[d] += std::min(at_lower, at_upper);
      placed.upper[d] += std::max(at_lower, at_upper);
    }
  const bool is_empty = (box.lower.array() > box.upper.array()).any();
  return is_empty ? Box{Vec3::Constant(boundless), Vec3::Constant(-boundless)} : placed;
}

Placement Placement::operator*(const Placement& inner) const {
  Placement both;
  both.rotation_ = rotation_ * inner.rotation_;
  both.scale_ = scale_ * inner.scale_;
  both.offset_ = point(inner.offset_);
  both.turns_ = turns_ || inner.turns_;
  return both;
}

}  // namespace freshet
