// SPDX-License-Identifier: Apache-2.0
#include "shapes.hpp"

#include "freshet/core/contracts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// \param[in] distance  of a part
template <class Distance>
double distance_to_union(const Shapes& parts, Distance distance) {
  double least = infinity;
  for (const auto& part : parts) least = std::min(least, distance(*part));
  return least;
}

template <class Distance>
double distance_to_intersection(const Shapes& parts, Distance distance) {
  double largest = -infinity;
  for (const auto& part : parts) largest = std::max(largest, distance(*part));
  return largest;
}

template <class Distance>
double distance_to_difference(const Shapes& parts, Distance distance) {
  double largest = distance(*parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) largest = std::max(largest, -distance(*parts[i]));
  return largest;
}

}  // namespace

double BoxShape::signed_distance(const Vec3& x) const {
  // beyond[d] > 0: how far x lies outside the slab of axis d; infinite sides give -infinity, never NaN
  const Vec3 beyond = (box_.lower - x).cwiseMax(x - box_.upper);
  return beyond.cwiseMax(0.0).norm() + std::min(beyond.maxCoeff(), 0.0);
}

Box Sphere::bounds() const {
  return {center_ - Vec3::Constant(radius_), center_ + Vec3::Constant(radius_)};
}

Cylinder::Cylinder(const Vec3& start, const Vec3& end, double radius)
    : start_(start), axis_((end - start).normalized()), length_((end - start).norm()), radius_(radius) {
  FRESHET_EXPECT(length_ > 0.0);
}

double Cylinder::signed_distance(const Vec3& x) const {
  const Vec3 from_start = x - start_;
  const double along = axis_.dot(from_start);
  const double beyond_caps = std::max(-along, along - length_);
  const double beyond_side = (from_start - along * axis_).norm() - radius_;
  const double beyond_both = std::hypot(std::max(beyond_caps, 0.0), std::max(beyond_side, 0.0));
  return beyond_both + std::min(std::max(beyond_caps, beyond_side), 0.0);
}

Box Cylinder::bounds() const {
  // A disc normal to the axis reaches radius * sqrt(1 - axis_d^2) along axis d.
  const Vec3 reach = radius_ * (Vec3::Ones() - axis_.cwiseAbs2()).cwiseMax(0.0).cwiseSqrt();
  const Vec3 end = start_ + length_ * axis_;
  return {start_.cwiseMin(end) - reach, start_.cwiseMax(end) + reach};
}

double Capsule::signed_distance(const Vec3& x) const {
  const Vec3 from_start = x - start_;
  const double length2 = span_.squaredNorm();
  const double share = length2 > 0.0 ? std::clamp(span_.dot(from_start) / length2, 0.0, 1.0) : 0.0;
  return (from_start - share * span_).norm() - radius_;
}

Box Capsule::bounds() const {
  const Vec3 end = start_ + span_;
  return {start_.cwiseMin(end) - Vec3::Constant(radius_), start_.cwiseMax(end) + Vec3::Constant(radius_)};
}

double Torus::signed_distance(const Vec3& x) const {
  const Vec3 from_center = x - center_;
  const double along = axis_.dot(from_center);
  const double across = (from_center - along * axis_).norm();
  return std::hypot(across - major_, along) - minor_;
}

Box Torus::bounds() const {
  // A circle normal to the axis reaches major * sqrt(1 - axis_d^2) along axis d.
  const Vec3 reach = major_ * (Vec3::Ones() - axis_.cwiseAbs2()).cwiseMax(0.0).cwiseSqrt() + Vec3::Constant(minor_);
  return {center_ - reach, center_ + reach};
}

Box HalfSpace::bounds() const {
  Box box{Vec3::Constant(-infinity), Vec3::Constant(infinity)};
  for (int axis = 0; axis < 3; ++axis) {
    if (normal_[axis] == 1.0) box.upper[axis] = point_[axis];
    if (normal_[axis] == -1.0) box.lower[axis] = point_[axis];
  }
  return box;
}

double Union::signed_distance(const Vec3& x) const {
  return distance_to_union(parts_, [&x](const Shape& part) { return part.signed_distance(x); });
}

double Union::exact_distance(const Vec3& x) const {
  return distance_to_union(parts_, [&x](const Shape& part) { return part.exact_distance(x); });
}

Box Union::bounds() const {
  Box box{Vec3::Constant(infinity), Vec3::Constant(-infinity)};
  for (const auto& part : parts_) {
    const Box of_part = part->bounds();
    box.lower = box.lower.cwiseMin(of_part.lower);
    box.upper = box.upper.cwiseMax(of_part.upper);
  }
  return box;
}

double Intersection::signed_distance(const Vec3& x) const {
  return distance_to_intersection(parts_, [&x](const Shape& part) { return part.signed_distance(x); });
}

double Intersection::exact_distance(const Vec3& x) const {
  return distance_to_intersection(parts_, [&x](const Shape& part) { return part.exact_distance(x); });
}

Box Intersection::bounds() const {
  Box box{Vec3::Constant(-infinity), Vec3::Constant(infinity)};
  for (const auto& part : parts_) {
    const Box of_part = part->bounds();
    box.lower = box.lower.cwiseMax(of_part.lower);
    box.upper = box.upper.cwiseMin(of_part.upper);
  }
  return box;
}

double Difference::signed_distance(const Vec3& x) const {
  return distance_to_difference(parts_, [&x](const Shape& part) { return part.signed_distance(x); });
}

double Difference::exact_distance(const Vec3& x) const {
  return distance_to_difference(parts_, [&x](const Shape& part) { return part.exact_distance(x); });
}

}  // namespace freshet
