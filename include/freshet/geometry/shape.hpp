// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/geometry/shape_parameters.hpp"

#include <memory>
#include <span>

namespace freshet {

/// Points of a regular lattice: origin + spacing (i, j, k), 0 <= i < count, i fastest.
struct LatticeNodes {
  Vec3 origin = Vec3::Zero();        ///< [m]
  double spacing = 1.0;              ///< [m]
  Vec3i count = Vec3i::Constant(1);  ///< number of nodes along each axis

  Vec3 at(int i, int j, int k) const { return origin + spacing * Vec3(i, j, k); }
  std::size_t index(int i, int j, int k) const { return static_cast<std::size_t>(i + count.x() * (j + count.y() * k)); }
  std::size_t size() const { return static_cast<std::size_t>(count.prod()); }
};

/// A ball about a shape.
struct BoundingBall {
  Vec3 center = Vec3::Zero();  ///< [m]
  double radius = 0.0;         ///< may be infinite [m]
  bool is_full = false;        ///< whether the shape is the ball itself
};

/// A closed region of space, given by the signed distance to its surface.
class Shape {
 public:
  virtual ~Shape() = default;
  /// Distance to the surface, negative inside. Where the distance is not known exactly, the result has the right sign
  /// and a magnitude that is not larger. Two results differ at most by the points' distance + slack(). [m] Thread-safe
  virtual double signed_distance(const Vec3& x) const = 0;
  /// By how much more than the points' distance results of signed_distance() at two points may differ. [m]
  virtual double slack() const { return 0.0; }
  /// Distance to the surface with the right sign also where signed_distance() interpolates; slower near the surface. It
  /// is used to fill a shape completely. [m] Thread-safe
  virtual double exact_distance(const Vec3& x) const { return signed_distance(x); }
  /// A box that holds the shape; may be infinite. [m]
  virtual Box bounds() const = 0;
  /// A ball that holds the shape; the closest one where the shape is a ball. [m]
  virtual BoundingBall ball() const;
  /// signed_distance() at all nodes. Some shapes find many distances faster together than one by one.
  /// \pre  distances.size() == nodes.size()
  virtual void sample(const LatticeNodes& nodes, std::span<double> distances) const;
};

/// The place of the point x after scaling, rotation and translation.
/// \param[in] plane  height z of the plane that the scale does not move [m]; 0 in 3-D
Vec3 transformed(const TransformParameters& transform, double plane, const Vec3& x);

/// \param[in] center, radius  [m]
std::shared_ptr<const Shape> make_ball(const Vec3& center, double radius);

/// Signed distance to a ball's surface: the same bits as its shape tells. [m]
double distance_to_ball(const Vec3& x, const Vec3& center, double radius);

/// Unit gradient of the signed distance by central differences of step h [m], of a ball in closed form; zero where the
/// gradient vanishes.
Vec3 outward_normal(const Shape& shape, const Vec3& x, double h);

/// The shape that a case file describes. ShapeMaker makes shapes with meshes.
/// \pre  neither the shape nor a part of it is a mesh
std::shared_ptr<const Shape> make_shape(const ShapeParameters& parameters);

}  // namespace freshet
