// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/geometry/shape_parameters.hpp"

#include <Eigen/Core>

namespace freshet {

/// A similarity y = scale R x + offset, which places the points x of a shape at y.
class Placement {
 public:
  Placement() = default;
  /// \param[in] plane  height z of the plane that the scale does not move [m]; 0 in 3-D
  Placement(const TransformParameters& transform, double plane);

  double scale() const { return scale_; }
  bool turns() const { return turns_; }
  Vec3 point(const Vec3& x) const { return scale_ * (rotation_ * x) + offset_; }
  Vec3 direction(const Vec3& x) const { return rotation_ * x; }
  /// The point that is placed at y.
  Vec3 source(const Vec3& y) const { return rotation_.transpose() * (y - offset_) / scale_; }
  /// A box around a box that has been placed; either may be infinite.
  Box box(const Box& box) const;
  /// The placement that applies `inner` first, then this one.
  Placement operator*(const Placement& inner) const;

 private:
  Eigen::Matrix3d rotation_ = Eigen::Matrix3d::Identity();
  double scale_ = 1.0;
  Vec3 offset_ = Vec3::Zero();
  bool turns_ = false;  ///< rotation_ is not the identity
};

}  // namespace freshet
