// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/contracts.hpp"
#include "placement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace freshet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// An axis-aligned box, whose sides may lie at infinity.
class BoxShape final : public Shape {
 public:
  explicit BoxShape(const Box& box) : box_(box) {}
  double signed_distance(const Vec3& x) const override {
    // beyond[d] > 0: how far x lies outside the slab of axis d; infinite sides give -infinity, never NaN
    const Vec3 beyond = (box_.lower - x).cwiseMax(x - box_.upper);
    return beyond.cwiseMax(0.0).norm() + std::min(beyond.maxCoeff(), 0.0);
  }
  Box bounds() const override { return box_; }

 private:
  Box box_;
};

/// A box that is rotated against the axes.
class TurnedBox final : public Shape {
 public:
  TurnedBox(const Box& box, const Placement& placement) : box_(box), placement_(placement) {}
  double signed_distance(const Vec3& x) const override {
    return placement_.scale() * box_.signed_distance(placement_.source(x));
  }
  Box bounds() const override { return placement_.box(box_.bounds()); }

 private:
  BoxShape box_;
  Placement placement_;
};

/// Extent along each axis of a disc of radius 1 normal to `axis`.
Vec3 reach_across(const Vec3& axis) {
  return (Vec3::Ones() - axis.cwiseAbs2()).cwiseMax(0.0).cwiseSqrt();
}

/// A circular cylinder with flat caps.
class Cylinder final : public Shape {
 public:
  Cylinder(const Vec3& start, const Vec3& end, double radius)
      : start_(start), axis_((end - start).normalized()), length_((end - start).norm()), radius_(radius) {
    FRESHET_EXPECT(length_ > 0.0);
  }
  double signed_distance(const Vec3& x) const override {
    const Vec3 from_start = x - start_;
    const double along = axis_.dot(from_start);
    const double beyond_caps = std::max(-along, along - length_);
    const double beyond_side = (from_start - along * axis_).norm() - radius_;
    const double beyond_both = std::hypot(std::max(beyond_caps, 0.0), std::max(beyond_side, 0.0));
    return beyond_both + std::min(std::max(beyond_caps, beyond_side), 0.0);
  }
  Box bounds() const override {
    const Vec3 reach = radius_ * reach_across(axis_);
    const Vec3 end = start_ + length_ * axis_;
    return {start_.cwiseMin(end) - reach, start_.cwiseMax(end) + reach};
  }

 private:
  Vec3 start_;
  Vec3 axis_;  ///< unit vector from start to end
  double length_;
  double radius_;
};

class BallShape final : public Shape {
 public:
  BallShape(const Vec3& center, double radius) : center_(center), radius_(radius) {}
  double signed_distance(const Vec3& x) const override { return distance_to_ball(x, center_, radius_); }
  Box bounds() const override { return {center_ - Vec3::Constant(radius_), center_ + Vec3::Constant(radius_)}; }
  BoundingBall ball() const override { return {center_, radius_, true}; }

 private:
  Vec3 center_;
  double radius_;
};

/// All points nearer than a radius to the line from start to end.
class Capsule final : public Shape {
 public:
  Capsule(const Vec3& start, const Vec3& end, double radius) : start_(start), span_(end - start), radius_(radius) {}
  double signed_distance(const Vec3& x) const override {
    const Vec3 from_start = x - start_;
    const double length2 = span_.squaredNorm();
    const double share = length2 > 0.0 ? std::clamp(span_.dot(from_start) / length2, 0.0, 1.0) : 0.0;
    return (from_start - share * span_).norm() - radius_;
  }
  Box bounds() const override {
    const Vec3 end = start_ + span_;
    return {start_.cwiseMin(end) - Vec3::Constant(radius_), start_.cwiseMax(end) + Vec3::Constant(radius_)};
  }
  BoundingBall ball() const override { return {start_ + 0.5 * span_, 0.5 * span_.norm() + radius_, false}; }

 private:
  Vec3 start_;
  Vec3 span_;  ///< from start to end
  double radius_;
};

/// A tube about a circle. \pre  the tube is not wider than the circle
class Torus final : public Shape {
 public:
  Torus(const Vec3& center, const Vec3& axis, double major_radius, double minor_radius)
      : center_(center), axis_(axis.normalized()), major_(major_radius), minor_(minor_radius) {}
  double signed_distance(const Vec3& x) const override {
    const Vec3 from_center = x - center_;
    const double along = axis_.dot(from_center);
    const double across = (from_center - along * axis_).norm();
    return std::hypot(across - major_, along) - minor_;
  }
  Box bounds() const override {
    const Vec3 reach = major_ * reach_across(axis_) + Vec3::Constant(minor_);
    return {center_ - reach, center_ + reach};
  }

 private:
  Vec3 center_;
  Vec3 axis_;  ///< unit vector
  double major_;
  double minor_;
};

/// All points on one side of a plane.
class HalfSpace final : public Shape {
 public:
  HalfSpace(const Vec3& point, const Vec3& normal) : point_(point), normal_(normal.normalized()) {}
  double signed_distance(const Vec3& x) const override { return normal_.dot(x - point_); }
  Box bounds() const override {
    Box box{Vec3::Constant(-infinity), Vec3::Constant(infinity)};
    for (int axis = 0; axis < 3; ++axis) {
      if (normal_[axis] == 1.0) box.upper[axis] = point_[axis];
      if (normal_[axis] == -1.0) box.lower[axis] = point_[axis];
    }
    return box;
  }

 private:
  Vec3 point_;
  Vec3 normal_;  ///< unit normal out of the shape
};

/// The union or intersection of parts, or the first part without the others. The distance outside a union and the depth
/// in an intersection or difference are exact; elsewhere distances are bounds of the true ones.
class Combination final : public Shape {
 public:
  Combination(ShapeKind kind, std::vector<std::shared_ptr<const Shape>> parts)
      : kind_(kind), parts_(std::move(parts)) {}
  double signed_distance(const Vec3& x) const override {
    return combined([&x](const Shape& part) { return part.signed_distance(x); });
  }
  double exact_distance(const Vec3& x) const override {
    return combined([&x](const Shape& part) { return part.exact_distance(x); });
  }
  double slack() const override {
    double most = 0.0;
    for (const auto& part : parts_) most = std::max(most, part->slack());
    return most;
  }
  Box bounds() const override {
    const double end = kind_ == ShapeKind::union_of ? -infinity : infinity;
    Box box{Vec3::Constant(-end), Vec3::Constant(end)};
    for (const auto& part : parts_) {
      const Box its = part->bounds();
      box = kind_ == ShapeKind::union_of ? Box{box.lower.cwiseMin(its.lower), box.upper.cwiseMax(its.upper)}
                                         : Box{box.lower.cwiseMax(its.lower), box.upper.cwiseMin(its.upper)};
      if (kind_ == ShapeKind::difference_of) break;
    }
    return box;
  }

 private:
  template <class Distance>
  double combined(Distance distance) const {
    double result = kind_ == ShapeKind::union_of ? infinity : -infinity;
    for (const auto& part : parts_) {
      const double its = distance(*part);
      const bool taken_away = kind_ == ShapeKind::difference_of && part != parts_.front();
      result = kind_ == ShapeKind::union_of ? std::min(result, its) : std::max(result, taken_away ? -its : its);
    }
    return result;
  }

  ShapeKind kind_;
  std::vector<std::shared_ptr<const Shape>> parts_;
};

std::shared_ptr<const Shape> build_box(const ShapeParameters& p, const Placement& placement, const ShapeSpace& space) {
  Box box{p.lower, p.upper};
  if (space.dimension == 2) {  // a box that is scaled down stays as thick: its section must not come near its faces
    const double growth = std::max(1.0, 1.0 / placement.scale());
    box.lower.z() = space.plane + growth * (box.lower.z() - space.plane);
    box.upper.z() = space.plane + growth * (box.upper.z() - space.plane);
  }
  if (placement.turns()) return std::make_shared<TurnedBox>(box, placement);
  return std::make_shared<BoxShape>(placement.box(box));
}

}  // namespace

void Shape::sample(const LatticeNodes& nodes, std::span<double> distances) const {
  FRESHET_EXPECT(distances.size() == nodes.size());
  for (int k = 0; k < nodes.count.z(); ++k)
    for (int j = 0; j < nodes.count.y(); ++j)
      for (int i = 0; i < nodes.count.x(); ++i) distances[nodes.index(i, j, k)] = signed_distance(nodes.at(i, j, k));
}

BoundingBall Shape::ball() const {
  const Box box = bounds();
  if (!box.lower.allFinite() || !box.upper.allFinite())
    return {Vec3::Zero(), std::numeric_limits<double>::infinity(), false};
  return {0.5 * (box.lower + box.upper), 0.5 * (box.upper - box.lower).norm(), false};
}

// not inlined: a compiler may round the products of different callers differently
[[gnu::noinline]] double distance_to_ball(const Vec3& x, const Vec3& center, double radius) {
  return (x - center).norm() - radius;
}

std::shared_ptr<const Shape> make_ball(const Vec3& center, double radius) {
  return std::make_shared<BallShape>(center, radius);
}

Vec3 transformed(const TransformParameters& transform, double plane, const Vec3& x) {
  return Placement(transform, plane).point(x);
}

Vec3 outward_normal(const Shape& shape, const Vec3& x, double h) {
  // A true distance has slope 1; a far smaller slope is rounding about a point where slopes cancel, such as a centre.
  constexpr double vanishing = 1e-6;
  FRESHET_EXPECT(h > 0.0);
  if (const BoundingBall ball = shape.ball(); ball.is_full) {
    const Vec3 out = x - ball.center;
    const double length = out.norm();
    return length > vanishing * ball.radius ? Vec3(out / length) : Vec3(Vec3::Zero());
  }
  Vec3 gradient;
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 step = h * Vec3::Unit(axis);
    gradient[axis] = (shape.signed_distance(x + step) - shape.signed_distance(x - step)) / (2.0 * h);
  }
  const double slope = gradient.norm();
  return slope > vanishing ? Vec3(gradient / slope) : Vec3(Vec3::Zero());
}

std::shared_ptr<const Shape> build_shape(const ShapeParameters& p, const Placement& outer, const ShapeSpace& space,
                                         const MeshMaker& mesh) {
  const Placement placement = outer * Placement(p.transform, space.plane);
  const double scale = placement.scale();
  std::vector<std::shared_ptr<const Shape>> parts;
  for (const ShapeParameters& part : p.parts) parts.push_back(build_shape(part, placement, space, mesh));
  switch (p.kind) {
    case ShapeKind::box:
      return build_box(p, placement, space);
    case ShapeKind::sphere:
      return make_ball(placement.point(p.center), scale * p.radius);
    case ShapeKind::cylinder:
      return std::make_shared<Cylinder>(placement.point(p.start), placement.point(p.end), scale * p.radius);
    case ShapeKind::capsule:
      return std::make_shared<Capsule>(placement.point(p.start), placement.point(p.end), scale * p.radius);
    case ShapeKind::torus:
      return std::make_shared<Torus>(placement.point(p.center), placement.direction(p.axis), scale * p.major_radius,
                                     scale * p.minor_radius);
    case ShapeKind::half_space:
      return std::make_shared<HalfSpace>(placement.point(p.point), placement.direction(p.normal));
    case ShapeKind::mesh:
      return mesh(p, placement);
    case ShapeKind::particles:  // particles make no shape: see read_particle_file()
      break;
    case ShapeKind::union_of:
    case ShapeKind::intersection_of:
    case ShapeKind::difference_of:
      return std::make_shared<Combination>(p.kind, std::move(parts));
  }
  return nullptr;
}

std::shared_ptr<const Shape> make_shape(const ShapeParameters& parameters) {
  const MeshMaker no_mesh = [](const ShapeParameters&, const Placement&) -> std::shared_ptr<const Shape> {
    FRESHET_EXPECT(false);
    return nullptr;
  };
  return build_shape(parameters, Placement(), ShapeSpace(), no_mesh);
}

}  // namespace freshet
