// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/geometry/shape.hpp"

#include <functional>
#include <memory>

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
  /// The point whose place is y.
  Vec3 source(const Vec3& y) const { return rotation_.transpose() * (y - offset_) / scale_; }
  /// The box around a placed box; either may be infinite.
  Box box(const Box& box) const;
  /// The placement that applies `inner` first, then this one.
  Placement operator*(const Placement& inner) const;

 private:
  Eigen::Matrix3d rotation_ = Eigen::Matrix3d::Identity();
  double scale_ = 1.0;
  Vec3 offset_ = Vec3::Zero();
  bool turns_ = false;  ///< whether rotation_ differs from the identity
};

/// The space of a shape.
struct ShapeSpace {
  int dimension = 3;
  double plane = 0.0;  ///< height of the middle plane in 2-D, which a scale does not move [m]
};

using MeshMaker = std::function<std::shared_ptr<const Shape>(const ShapeParameters&, const Placement&)>;

/// Build a shape and its parts, each placed by its own transform and then by `outer`. `mesh` makes the meshes.
std::shared_ptr<const Shape> build_shape(const ShapeParameters& parameters, const Placement& outer,
                                         const ShapeSpace& space, const MeshMaker& mesh);

}  // namespace freshet
