// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/volume_moments.hpp"

#include "placement.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace freshet {
namespace {

constexpr double pi = std::numbers::pi;
using Matrix = Eigen::Matrix3d;

/// A region that is alike around an axis. \param[in] along, across  second moments along the axis and across it
VolumeMoments axial_moments(double volume, const Vec3& centroid, const Vec3& axis, double along, double across) {
  return {volume, centroid, across * Matrix::Identity() + (along - across) * (axis * axis.transpose())};
}

/// A region in the plane that is alike to both sides of a direction.
VolumeMoments flat_moments(double area, const Vec3& centroid, const Vec3& direction, double along, double across) {
  VolumeMoments moments = axial_moments(area, centroid, direction, along, across);
  moments.second.row(2).setZero();
  moments.second.col(2).setZero();
  return moments;
}

VolumeMoments disc_moments(const Vec3& center, double radius, double hole = 0.0) {
  const double second = 0.25 * pi * (std::pow(radius, 4) - std::pow(hole, 4));
  return flat_moments(pi * (radius * radius - hole * hole), center, Vec3::UnitX(), second, second);
}

/// A rectangle of length l along a unit vector, with half discs of radius r at both ends if it has caps.
VolumeMoments strip_moments(const Vec3& center, const Vec3& direction, double l, double r, bool has_caps) {
  const double rectangle = 2.0 * r * l, disc = has_caps ? pi * r * r : 0.0;
  const double along = rectangle * l * l / 12.0 + disc * (0.25 * l * l + 4.0 / (3.0 * pi) * r * l + 0.25 * r * r);
  const double across = rectangle * r * r / 3.0 + disc * 0.25 * r * r;
  return flat_moments(rectangle + disc, center, direction, along, across);
}

/// Half the width of a ball or tube of radius r at a height above its middle; 0 beyond it.
double half_width(double r, double height) {
  return std::sqrt(std::max(0.0, r * r - height * height));
}

/// An axis-aligned or turned box. \pre in 2-D it turns about z
VolumeMoments box_moments(const ShapeParameters& p, const Placement& placement, const SectionPlane& plane) {
  const Vec3 size = placement.scale() * (p.upper - p.lower);
  const Vec3 middle = placement.point(0.5 * (p.lower + p.upper));
  Matrix turn;
  for (int d = 0; d < 3; ++d) turn.col(d) = placement.direction(Vec3::Unit(d));
  if (plane.dimension == 2) {
    if (plane.height < p.lower.z() || plane.height > p.upper.z()) return {};
    const double area = size.x() * size.y();
    return flat_moments(area, {middle.x(), middle.y(), plane.height}, turn.col(0), area * size.x() * size.x() / 12.0,
                        area * size.y() * size.y() / 12.0);
  }
  const double volume = size.prod();
  const Vec3 squares = size.cwiseProduct(size) * (volume / 12.0);
  return {volume, middle, turn * squares.asDiagonal() * turn.transpose()};
}

VolumeMoments ball_moments(const Vec3& center, double radius, const SectionPlane& plane) {
  if (plane.dimension == 2) {
    const double r = half_width(radius, plane.height - center.z());
    return disc_moments({center.x(), center.y(), plane.height}, r);
  }
  const double volume = 4.0 / 3.0 * pi * std::pow(radius, 3);
  const double second = 0.2 * volume * radius * radius;
  return axial_moments(volume, center, Vec3::UnitX(), second, second);
}

/// A cylinder, or a capsule with balls at both ends.
std::optional<VolumeMoments> rod_moments(const Vec3& start, const Vec3& end, double r, bool has_caps,
                                         const SectionPlane& plane) {
  const double l = (end - start).norm();
  if (has_caps && l == 0.0) return ball_moments(start, r, plane);
  const Vec3 axis = (end - start) / l, middle = 0.5 * (start + end);
  if (plane.dimension == 3) {
    const double cylinder = pi * r * r * l, ball = has_caps ? 4.0 / 3.0 * pi * r * r * r : 0.0;
    const double along = cylinder * l * l / 12.0 + ball * (0.25 * l * l + 0.375 * r * l + 0.2 * r * r);
    return axial_moments(cylinder + ball, middle, axis, along, cylinder * 0.25 * r * r + ball * 0.2 * r * r);
  }
  constexpr double straight = 1e-9;  // sine of the angle from an axis that counts as none
  const Vec3 center(middle.x(), middle.y(), plane.height);
  const double height = plane.height - middle.z();
  if (axis.head<2>().norm() < straight) {
    const double beyond = std::abs(height) - 0.5 * l;
    if (beyond <= 0.0) return disc_moments(center, r);
    return disc_moments(center, has_caps ? half_width(r, beyond) : 0.0);
  }
  if (std::abs(axis.z()) > straight) return std::nullopt;
  return strip_moments(center, axis, l, half_width(r, height), has_caps);
}

std::optional<VolumeMoments> ring_moments(const Vec3& center, const Vec3& axis, double major, double minor,
                                          const SectionPlane& plane) {
  if (plane.dimension == 3) {
    const double volume = 2.0 * pi * pi * major * minor * minor;
    return axial_moments(volume, center, axis, 0.25 * volume * minor * minor,
                         volume * (0.5 * major * major + 0.375 * minor * minor));
  }
  if (std::abs(axis.z()) < 1.0) return std::nullopt;
  const double half = half_width(minor, plane.height - center.z());
  return disc_moments({center.x(), center.y(), plane.height}, major + half, major - half);
}

/// Integrals of 1, x and x x^T, which become moments about the centroid.
struct RawMoments {
  double volume = 0.0;
  Vec3 first = Vec3::Zero();
  Matrix second = Matrix::Zero();

  VolumeMoments about_centroid(const Vec3& origin) const {
    const double sign = volume < 0.0 ? -1.0 : 1.0;
    if (volume == 0.0) return {};
    const Vec3 centroid = first / volume;
    return {sign * volume, origin + centroid, sign * (second - volume * centroid * centroid.transpose())};
  }
};

/// A point of the mesh, near which sums lose few digits.
Vec3 middle_of(const TriangleMesh& mesh) {
  if (mesh.points.empty()) return Vec3::Zero();
  Vec3 lower = mesh.points.front(), upper = lower;
  for (const Vec3& x : mesh.points) {
    lower = lower.cwiseMin(x);
    upper = upper.cwiseMax(x);
  }
  return 0.5 * (lower + upper);
}

/// The ends of the line where a triangle meets the plane z = 0, with the region on its left as seen from above.
std::optional<std::pair<Vec3, Vec3>> crossing(const std::array<Vec3, 3>& x) {
  std::optional<Vec3> down, up;  // where the edges of the triangle pass the plane downwards and upwards
  for (std::size_t n = 0; n < 3; ++n) {
    const Vec3 &a = x[n], &b = x[(n + 1) % 3];
    if ((a.z() > 0.0) == (b.z() > 0.0)) continue;
    const Vec3 at = a + a.z() / (a.z() - b.z()) * (b - a);
    (a.z() > 0.0 ? down : up) = at;
  }
  if (!down || !up) return std::nullopt;
  return std::pair(*up, *down);
}

}  // namespace

VolumeMoments moments_of_mesh(const TriangleMesh& mesh) {
  const Vec3 origin = middle_of(mesh);
  RawMoments sum;
  for (const Triangle& triangle : mesh.triangles) {
    std::array<Vec3, 3> x;
    for (std::size_t n = 0; n < 3; ++n) x[n] = mesh.points[static_cast<std::size_t>(triangle[n])] - origin;
    const double volume = x[0].dot(x[1].cross(x[2])) / 6.0;  // volume of the tetrahedron with the origin
    const Vec3 corners = x[0] + x[1] + x[2];
    sum.volume += volume;
    sum.first += 0.25 * volume * corners;
    sum.second += 0.05 * volume * corners * corners.transpose();
    for (const Vec3& corner : x) sum.second += 0.05 * volume * corner * corner.transpose();
  }
  return sum.about_centroid(origin);
}

VolumeMoments moments_of_section(const TriangleMesh& mesh, double height) {
  Vec3 origin = middle_of(mesh);
  origin.z() = height;
  RawMoments sum;
  for (const Triangle& triangle : mesh.triangles) {
    std::array<Vec3, 3> x;
    for (std::size_t n = 0; n < 3; ++n) x[n] = mesh.points[static_cast<std::size_t>(triangle[n])] - origin;
    const auto line = crossing(x);
    if (!line) continue;
    const Vec3 a(line->first.x(), line->first.y(), 0.0), b(line->second.x(), line->second.y(), 0.0);
    const double area = 0.5 * (a.x() * b.y() - a.y() * b.x());  // area of the triangle with the origin
    sum.volume += area;
    sum.first += area / 3.0 * (a + b);
    sum.second += area / 12.0 * ((a + b) * (a + b).transpose() + a * a.transpose() + b * b.transpose());
  }
  return sum.about_centroid(origin);
}

std::optional<VolumeMoments> volume_moments(const ShapeParameters& p, const SectionPlane& plane,
                                            const MeshSource& mesh) {
  const Placement placement(p.transform, plane.dimension == 2 ? plane.height : 0.0);
  const double scale = placement.scale();
  std::optional<VolumeMoments> moments;
  switch (p.kind) {
    case ShapeKind::box:
      moments = box_moments(p, placement, plane);
      break;
    case ShapeKind::sphere:
      moments = ball_moments(placement.point(p.center), scale * p.radius, plane);
      break;
    case ShapeKind::cylinder:
    case ShapeKind::capsule:
      moments = rod_moments(placement.point(p.start), placement.point(p.end), scale * p.radius,
                            p.kind == ShapeKind::capsule, plane);
      break;
    case ShapeKind::torus:
      moments = ring_moments(placement.point(p.center), placement.direction(p.axis).normalized(),
                             scale * p.major_radius, scale * p.minor_radius, plane);
      break;
    case ShapeKind::mesh: {
      TriangleMesh placed = mesh(p);
      for (Vec3& x : placed.points) x = placement.point(x);
      moments = plane.dimension == 2 ? moments_of_section(placed, plane.height) : moments_of_mesh(placed);
      break;
    }
    case ShapeKind::half_space:
    case ShapeKind::particles:
    case ShapeKind::union_of:
    case ShapeKind::intersection_of:
    case ShapeKind::difference_of:
      break;
  }
  const bool is_finite = moments && moments->volume > 0.0 && std::isfinite(moments->volume) &&
                         moments->centroid.allFinite() && moments->second.allFinite();
  return is_finite ? moments : std::nullopt;
}

}  // namespace freshet
