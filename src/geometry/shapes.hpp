// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape.hpp"
#include "placement.hpp"

#include <memory>
#include <utility>
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

/// A box that is turned against the axes.
class TurnedBox final : public Shape {
 public:
  TurnedBox(const Vec3& lower, const Vec3& upper, const Placement& placement)
      : box_(lower, upper), placement_(placement) {}
  double signed_distance(const Vec3& x) const override {
    return placement_.scale() * box_.signed_distance(placement_.source(x));
  }
  Box bounds() const override { return placement_.box(box_.bounds()); }

 private:
  BoxShape box_;
  Placement placement_;
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

/// All points that are nearer than a radius to the line from start to end, whose length may be 0.
class Capsule final : public Shape {
 public:
  Capsule(const Vec3& start, const Vec3& end, double radius) : start_(start), span_(end - start), radius_(radius) {}
  double signed_distance(const Vec3& x) const override;
  Box bounds() const override;

 private:
  Vec3 start_;
  Vec3 span_;  ///< from start to end
  double radius_;
};

/// A tube about a circle. Where the tube is wider than the circle, the depth near the axis is a bound of the true one.
class Torus final : public Shape {
 public:
  Torus(const Vec3& center, const Vec3& axis, double major_radius, double minor_radius)
      : center_(center), axis_(axis.normalized()), major_(major_radius), minor_(minor_radius) {}
  double signed_distance(const Vec3& x) const override;
  Box bounds() const override;

 private:
  Vec3 center_;
  Vec3 axis_;  ///< unit
  double major_;
  double minor_;
};

/// All points on one side of a plane.
class HalfSpace final : public Shape {
 public:
  HalfSpace(const Vec3& point, const Vec3& normal) : point_(point), normal_(normal.normalized()) {}
  double signed_distance(const Vec3& x) const override { return normal_.dot(x - point_); }
  Box bounds() const override;

 private:
  Vec3 point_;
  Vec3 normal_;  ///< unit, out of the shape
};

using Shapes = std::vector<std::shared_ptr<const Shape>>;

/// The union of the parts. The distance is exact outside, and a bound of the true depth inside.
class Union final : public Shape {
 public:
  explicit Union(Shapes parts) : parts_(std::move(parts)) {}
  double signed_distance(const Vec3& x) const override;
  double exact_distance(const Vec3& x) const override;
  Box bounds() const override;

 private:
  Shapes parts_;
};

/// The intersection of the parts. The depth is exact inside, and the distance a bound of the true one outside.
class Intersection final : public Shape {
 public:
  explicit Intersection(Shapes parts) : parts_(std::move(parts)) {}
  double signed_distance(const Vec3& x) const override;
  double exact_distance(const Vec3& x) const override;
  Box bounds() const override;

 private:
  Shapes parts_;
};

/// The first part without the others. The depth is exact inside, and the distance a bound of the true one outside.
class Difference final : public Shape {
 public:
  /// \pre  parts is not empty
  explicit Difference(Shapes parts) : parts_(std::move(parts)) {}
  double signed_distance(const Vec3& x) const override;
  double exact_distance(const Vec3& x) const override;
  Box bounds() const override { return parts_.front()->bounds(); }

 private:
  Shapes parts_;
};

}  // namespace freshet
