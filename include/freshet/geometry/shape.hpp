// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/core/types.hpp"

#include <memory>

namespace freshet {

/// A closed region of space by its signed distance.
class Shape {
 public:
  virtual ~Shape() = default;
  /// Distance to the surface, negative inside. [m]
  virtual double signed_distance(const Vec3& x) const = 0;
  /// A box that holds the shape; may be infinite. [m]
  virtual Box bounds() const = 0;
};

/// Unit gradient of the signed distance by central differences of step h [m]; zero where it vanishes.
Vec3 outward_normal(const Shape& shape, const Vec3& x, double h);

/// The shape that a case file describes.
std::shared_ptr<const Shape> make_shape(const ShapeParameters& parameters);

}  // namespace freshet
