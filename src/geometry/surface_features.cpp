// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/surface_features.hpp"

#include "freshet/geometry/mesh_shape.hpp"
#include "placement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace freshet {
namespace {

constexpr int most_pieces = 64;             ///< most pieces of an edge or of a cylinder's side
constexpr double most_nodes_across = 48.0;  ///< nodes of the lattice along the longest side of a shape
constexpr double sharp = 0.966;             ///< cosine of the angle between two faces above which their edge is smooth
constexpr double on_surface = 1e-6;         ///< distance that counts as none [spacings]

/// What all parts of a shape share.
struct Making {
  SectionPlane plane;
  const MeshSource& mesh;
  double spacing;  ///< [m]

  bool is_flat() const { return plane.dimension == 2; }
  ShapeSpace space() const { return {plane.dimension, is_flat() ? plane.height : 0.0}; }
  Vec3 in_plane(const Vec3& x) const { return {x.x(), x.y(), is_flat() ? plane.height : x.z()}; }
};

double half_of_section(double radius, double height) {
  return std::sqrt(std::max(0.0, radius * radius - height * height));
}

void add_corner(const Vec3& x, SurfaceFeatures& features) {
  features.lines.push_back({x, x, 0.0});
}

/// Add an edge; in 2-D the corner where it passes the plane.
void add_edge(const Vec3& a, const Vec3& b, const Making& making, SurfaceFeatures& features) {
  if (!making.is_flat()) {
    features.lines.push_back({a, b, 0.0});
    return;
  }
  const double z = making.plane.height;
  if ((a.z() > z) == (b.z() > z)) return;
  const bool is_upright = a.x() == b.x() && a.y() == b.y();  // such an edge may end far away
  const Vec3 x = is_upright ? a : Vec3(a + (z - a.z()) / (b.z() - a.z()) * (b - a));
  add_corner(making.in_plane(x), features);
}

void add_box(const ShapeParameters& p, const Placement& placement, const Making& making, SurfaceFeatures& features) {
  Vec3 lower = p.lower, upper = p.upper;
  if (making.is_flat()) {  // as build_shape() makes it
    const double growth = std::max(1.0, 1.0 / placement.scale()), z = making.plane.height;
    lower.z() = z + growth * (lower.z() - z);
    upper.z() = z + growth * (upper.z() - z);
  }
  const auto corner = [&](unsigned bits) {
    Vec3 x;
    for (int d = 0; d < 3; ++d) x[d] = (bits >> static_cast<unsigned>(d) & 1U) != 0 ? upper[d] : lower[d];
    return placement.point(x);
  };
  for (unsigned bits = 0; bits < 8; ++bits)
    for (unsigned d = 0; d < 3; ++d)
      if ((bits >> d & 1U) == 0) add_edge(corner(bits), corner(bits | 1U << d), making, features);
}

void add_ball(const Vec3& center, double radius, const Making& making, SurfaceFeatures& features) {
  const double r = making.is_flat() ? half_of_section(radius, making.plane.height - center.z()) : radius;
  const Vec3 x = making.in_plane(center);
  if (r > 0.0) features.lines.push_back({x, x, r});
}

/// Add a cylinder or a capsule. \return false if its section is that of an oblique one
bool add_rod(const Vec3& start, const Vec3& end, double radius, bool has_caps, const Making& making,
             SurfaceFeatures& features) {
  const Vec3 span = end - start;
  const double length = span.norm();
  if (length == 0.0) {
    add_ball(start, radius, making, features);
    return true;
  }
  const Vec3 axis = span / length;
  if (!making.is_flat()) {
    if (has_caps) {
      features.lines.push_back({start, end, radius});
      return true;
    }
    const int pieces =
        static_cast<int>(std::clamp(std::ceil(length / making.spacing), 1.0, static_cast<double>(most_pieces)));
    for (int n = 0; n <= pieces; ++n)
      features.circles.push_back({start + span * n / pieces, axis, radius, 0.0, n == 0 || n == pieces});
    return true;
  }
  constexpr double straight = 1e-9;  // sine of the angle from an axis that counts as none
  const double z = making.plane.height;
  if (axis.head<2>().norm() < straight) {
    const Vec3 nearest = start + std::clamp((z - start.z()) / span.z(), 0.0, 1.0) * span;
    if (has_caps || std::abs(nearest.z() - z) < straight * length) add_ball(nearest, radius, making, features);
    return true;
  }
  if (std::abs(axis.z()) > straight) return false;
  const double half = half_of_section(radius, z - start.z());
  if (half <= 0.0) return true;
  const Vec3 a = making.in_plane(start), b = making.in_plane(end), aside = half * Vec3(-axis.y(), axis.x(), 0.0);
  if (has_caps) {
    features.lines.push_back({a, b, half});
    return true;
  }
  for (const Vec3& x : {Vec3(a - aside), Vec3(a + aside), Vec3(b - aside), Vec3(b + aside)}) add_corner(x, features);
  return true;
}

/// Add a ring. \return false if its section is that of an oblique one
bool add_ring(const ShapeParameters& p, const Placement& placement, const Making& making, SurfaceFeatures& features) {
  const Vec3 center = placement.point(p.center), axis = placement.direction(p.axis).normalized();
  const double major = placement.scale() * p.major_radius, minor = placement.scale() * p.minor_radius;
  if (!making.is_flat()) {
    features.circles.push_back({center, axis, major, minor, true});
    return true;
  }
  if (std::abs(axis.z()) < 1.0) return false;
  const double half = half_of_section(minor, making.plane.height - center.z());
  const Vec3 middle = making.in_plane(center);
  if (half > 0.0) features.lines.push_back({middle, middle, major + half});
  return true;
}

/// The cube of a lattice in which a point lies.
std::tuple<std::int64_t, std::int64_t, std::int64_t> cube_of(const Vec3& x, double size) {
  const auto index = [&](int d) { return static_cast<std::int64_t>(std::floor(x[d] / size)); };
  return {index(0), index(1), index(2)};
}

/// The normals of the faces at each edge of a mesh.
std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Vec3>> normals_at_edges(const TriangleMesh& mesh) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Vec3>> edges;
  for (const Triangle& triangle : mesh.triangles) {
    const auto point = [&](std::size_t n) -> const Vec3& { return mesh.points[static_cast<std::size_t>(triangle[n])]; };
    const Vec3 normal = (point(1) - point(0)).cross(point(2) - point(0)).normalized();
    for (std::size_t n = 0; n < 3; ++n) edges[std::minmax(triangle[n], triangle[(n + 1) % 3])].push_back(normal);
  }
  return edges;
}

void add_mesh(TriangleMesh mesh, const Placement& placement, const Making& making, SurfaceFeatures& features) {
  Vec3 middle = Vec3::Zero();
  for (Vec3& x : mesh.points) {
    x = placement.point(x);
    middle += x / static_cast<double>(mesh.points.size());
  }
  std::vector<std::uint8_t> is_taken(mesh.points.size(), 0);
  for (const auto& [edge, normals] : normals_at_edges(mesh)) {
    const Vec3 &a = mesh.points[static_cast<std::size_t>(edge.first)],
               &b = mesh.points[static_cast<std::size_t>(edge.second)];
    const bool is_smooth = normals.size() == 2 && normals[0].dot(normals[1]) > sharp;
    if (!making.is_flat() && (is_smooth || (b - a).norm() < 0.5 * making.spacing)) continue;
    add_edge(a, b, making, features);
    is_taken[static_cast<std::size_t>(edge.first)] = is_taken[static_cast<std::size_t>(edge.second)] = 1;
  }
  if (making.is_flat()) return;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Vec3> outermost;  // farthest point of each cube
  for (std::size_t n = 0; n < mesh.points.size(); ++n) {
    if (is_taken[n] != 0) continue;
    const Vec3& x = mesh.points[n];
    const auto [at, is_new] = outermost.try_emplace(cube_of(x, making.spacing), x);
    if (!is_new && (x - middle).squaredNorm() > (at->second - middle).squaredNorm()) at->second = x;
  }
  for (const auto& [cube, x] : outermost) add_corner(x, features);
}

using Surfaces = std::vector<std::shared_ptr<const Shape>>;

/// The gradient of a signed distance; in 2-D along the plane.
Vec3 slope_of(const Shape& shape, const Vec3& x, const Making& making) {
  const double h = 1e-3 * making.spacing;
  Vec3 slope = Vec3::Zero();
  for (int d = 0; d < making.plane.dimension; ++d)
    slope[d] = (shape.exact_distance(x + h * Vec3::Unit(d)) - shape.exact_distance(x - h * Vec3::Unit(d))) / (2.0 * h);
  return slope;
}

/// Move a point onto one surface, or onto the curve where two meet, by the shortest steps of Newton's method.
/// \return whether it has come there
bool project_onto(const Shape& first, const Shape* second, const Making& making, Vec3& x) {
  constexpr int most_steps = 30;
  const double least = 1e-4 * on_surface * making.spacing;  // such a point counts as a corner
  for (int step = 0; step < most_steps; ++step) {
    const Vec3 a = slope_of(first, x, making),
               b = second != nullptr ? slope_of(*second, x, making) : Vec3(Vec3::Zero());
    const double f = first.exact_distance(x), g = second != nullptr ? second->exact_distance(x) : 0.0;
    if (std::abs(f) < least && std::abs(g) < least) return true;
    const double aa = a.dot(a), ab = a.dot(b), bb = second != nullptr ? b.dot(b) : 1.0;
    const double determinant = aa * bb - ab * ab;
    if (!(determinant > 1e-6)) return false;
    x -= ((bb * f - ab * g) * a + (aa * g - ab * f) * b) / determinant;
  }
  return false;
}

/// Add points of a surface where it is smooth, and where the surfaces of two parts cut each other.
void add_lattice_points(const Shape& whole, const Surfaces& parts, const Making& making, SurfaceFeatures& features) {
  const Box box = whole.bounds();
  const Vec3 size = box.upper - box.lower;
  const int dimension = making.plane.dimension;
  double longest = 0.0;
  for (int d = 0; d < dimension; ++d) longest = std::max(longest, size[d]);
  if (!(longest > 0.0) || !std::isfinite(longest)) return;
  const double h = std::max(making.spacing, longest / most_nodes_across);
  Vec3i nodes = Vec3i::Ones();
  for (int d = 0; d < dimension; ++d) nodes[d] = static_cast<int>(std::ceil(size[d] / h)) + 2;
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> taken;
  const auto add = [&](const Shape& first, const Shape* second, Vec3 x) {
    const Vec3 start = x;
    if (!project_onto(first, second, making, x) || (x - start).norm() > 2.0 * h) return;
    if (std::abs(whole.exact_distance(x)) > on_surface * h || !taken.insert(cube_of(x, 0.5 * h)).second) return;
    add_corner(x, features);
  };
  for (int pass = 0; pass < 2; ++pass)  // edges first: points of the faces beside them are left out
    for (int k = 0; k < nodes.z(); ++k)
      for (int j = 0; j < nodes.y(); ++j)
        for (int i = 0; i < nodes.x(); ++i) {
          const Vec3 x = making.in_plane(box.lower + h * (Vec3(i, j, k) - Vec3::Constant(0.37)));
          if (std::abs(whole.signed_distance(x)) > h) continue;
          for (std::size_t m = 0; m < parts.size(); ++m) {
            if (std::abs(parts[m]->signed_distance(x)) > h) continue;
            if (pass == 1) add(*parts[m], nullptr, x);
            for (std::size_t n = m + 1; pass == 0 && n < parts.size(); ++n)
              if (std::abs(parts[n]->signed_distance(x)) < h) add(*parts[m], parts[n].get(), x);
          }
        }
}

/// Add the pieces of an edge that belong to a shape.
void add_inside(const RoundedLine& edge, const Shape& whole, const Making& making, SurfaceFeatures& features) {
  const double within = on_surface * making.spacing;
  const auto belongs = [&](double t) {
    return whole.exact_distance(edge.start + t * (edge.end - edge.start)) <= within;
  };
  const double length = (edge.end - edge.start).norm();
  if (!std::isfinite(length)) return;
  if (length == 0.0) {
    if (belongs(0.0)) features.lines.push_back(edge);
    return;
  }
  const int pieces =
      static_cast<int>(std::clamp(std::ceil(length / making.spacing), 1.0, static_cast<double>(most_pieces)));
  const auto border = [&](double in, double out) {
    constexpr int halvings = 45;
    for (int n = 0; n < halvings; ++n) (belongs(0.5 * (in + out)) ? in : out) = 0.5 * (in + out);
    return in;
  };
  double begin = belongs(0.0) ? 0.0 : -1.0;  // where the piece begins; below 0: there is none
  for (int n = 1; n <= pieces; ++n) {
    const double t = static_cast<double>(n) / pieces, before = static_cast<double>(n - 1) / pieces;
    const bool is_in = belongs(t);
    if (is_in && begin < 0.0) begin = border(t, before);
    if (begin < 0.0 || (is_in && n < pieces)) continue;
    const double end = is_in ? 1.0 : border(before, t);
    features.lines.push_back(
        {edge.start + begin * (edge.end - edge.start), edge.start + end * (edge.end - edge.start)});
    begin = -1.0;
  }
}

std::shared_ptr<const Shape> shape_of(const ShapeParameters& p, const Placement& outer, const Making& making) {
  return build_shape(p, outer, making.space(), [&](const ShapeParameters& part, const Placement& placement) {
    TriangleMesh placed = making.mesh(part);
    for (Vec3& x : placed.points) x = placement.point(x);
    return std::make_shared<MeshShape>(placed);
  });
}

void add_features(const ShapeParameters& p, const Placement& outer, const Making& making, SurfaceFeatures& features);

/// Add the features of an intersection or a difference: edges and corners of its parts, as far as they belong to it,
/// and points where parts cut each other or are round.
void add_cut(const ShapeParameters& p, const Placement& outer, const Placement& placement, const Making& making,
             SurfaceFeatures& features) {
  const auto whole = shape_of(p, outer, making);
  Surfaces parts;
  SurfaceFeatures of_parts;
  for (const ShapeParameters& part : p.parts) {
    parts.push_back(shape_of(part, placement, making));
    add_features(part, placement, making, of_parts);
  }
  for (const RoundedLine& line : of_parts.lines)
    if (line.radius == 0.0) add_inside(line, *whole, making, features);
  add_lattice_points(*whole, parts, making, features);
}

/// \param[in] outer  placement of the whole that the shape is part of
void add_features(const ShapeParameters& p, const Placement& outer, const Making& making, SurfaceFeatures& features) {
  const Placement placement = outer * Placement(p.transform, making.space().plane);
  const double scale = placement.scale();
  bool is_known = true;
  switch (p.kind) {
    case ShapeKind::box:
      add_box(p, placement, making, features);
      break;
    case ShapeKind::sphere:
      add_ball(placement.point(p.center), scale * p.radius, making, features);
      break;
    case ShapeKind::cylinder:
    case ShapeKind::capsule:
      is_known = add_rod(placement.point(p.start), placement.point(p.end), scale * p.radius,
                         p.kind == ShapeKind::capsule, making, features);
      break;
    case ShapeKind::torus:
      is_known = add_ring(p, placement, making, features);
      break;
    case ShapeKind::mesh:
      add_mesh(making.mesh(p), placement, making, features);
      break;
    case ShapeKind::union_of:
      for (const ShapeParameters& part : p.parts) add_features(part, placement, making, features);
      break;
    case ShapeKind::intersection_of:
    case ShapeKind::difference_of:
      add_cut(p, outer, placement, making, features);
      break;
    case ShapeKind::half_space:
    case ShapeKind::particles:
      break;
  }
  if (is_known) return;
  const auto shape = shape_of(p, outer, making);
  add_lattice_points(*shape, {shape}, making, features);
}

}  // namespace

SurfaceFeatures surface_features(const ShapeParameters& shape, const SectionPlane& plane, const MeshSource& mesh,
                                 double spacing) {
  SurfaceFeatures features;
  add_features(shape, Placement(), {plane, mesh, spacing}, features);
  const auto is_infinite = [](const RoundedLine& line) { return !line.start.allFinite() || !line.end.allFinite(); };
  std::erase_if(features.lines, is_infinite);
  return features;
}

}  // namespace freshet
