// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape.hpp"

#include <memory>
#include <vector>

namespace freshet {

/// Axis-aligned box; sides may lie at infinity.
class BoxShape final : public Shape {
 public:
  BoxShape(const Vec3& lower, const Vec3& upper) : box_{lower, upper} {}
  double signed_distance(const Vec3& x) const override;
  Box bounds() const override { return box_; }

 private:
  Box box_;
};

class Sphere final : public Shape {
 public:
  Sphere(const Vec3& center, double radius) : center_(center), radius_(radius) {}
  double signed_distance(const Vec3& x) const override { return (x - center_).norm() - radius_; }
  Box bounds() const override;

 private:
  Vec3 center_;
  double radius_;
};

/// Circular cylinder with flat caps.
class Cylinder final : public Shape {
 public:
  Cylinder(const Vec3& start, const Vec3& end, double radius);
  double signed_distance(const Vec3& x) const override;
  Box bounds() const override;

 private:
  Vec3 start_;
  Vec3 axis_;  ///< unit vector from start to end
  double length_;
  double radius_;
};

/// Everything behind a plane.
class HalfSpace final : public Shape {
 public:
  HalfSpace(const Vec3& point, const Vec3& normal) : point_(point), normal_(normal.normalized()) {}
  double signed_distance(const Vec3& x) const override { return normal_.dot(x - point_); }
  Box bounds() const override;

 private:
  Vec3 point_;
  Vec3 normal_;  ///< unit, out of the shape
};

/// All points of its parts. The distance is exact outside, and a bound of the true depth inside.
class Union final : public Shape {
 public:
  explicit Union(std::vector<std::shared_ptr<const Shape>> parts) : parts_(std::move(parts)) {}
  double signed_distance(const Vec3& x) const override;
  Box bounds() const override;

 private:
  std::vector<std::shared_ptr<const Shape>> parts_;
};

}  // namespace freshet
