// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/contact_lines.hpp"

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/kernels/tile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace freshet {
namespace {

constexpr double gradient_step = 1e-3;  ///< step of differences of a body's distance [cells]
constexpr double farthest_way = 1.5;    ///< bound of the way along a body from the line that was found [cells]
constexpr double least_length = 1e-9;   ///< length of a piece that has a direction [cells]

/// The cubes' corners in the order of a path along edges from one end of a diagonal to the other, by simplex.
template <class Shape>
constexpr auto simplices() {
  if constexpr (Shape::dim == 2)
    return std::array<std::array<int, 3>, 2>{{{0, 1, 3}, {0, 2, 3}}};
  else
    return std::array<std::array<int, 4>, 6>{
        {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}}};
}

/// Corners at which the diagonals of a square or a cube begin.
template <class Shape>
constexpr auto diagonals() {
  if constexpr (Shape::dim == 2)
    return std::array<int, 2>{0, 1};
  else
    return std::array<int, 4>{0, 1, 2, 4};
}

}  // namespace

/// Centres of cells beside each other, and one body.
struct ContactLines::Corners {
  int solid = -1;
  const freshet::Shape* shape = nullptr;
  double dx = 1.0;                ///< [m]
  int dimension = 3;              ///< number of axes
  double share = 1.0;             ///< weight of the pieces of each diagonal
  std::array<Vec3, 8> at;         ///< places [m]
  std::array<double, 8> phi;      ///< distance to the liquid's surface [cells]
  std::array<double, 8> outside;  ///< distance to the body's surface, less d [cells]

  /// The normal out of the body, in 2-D in the plane.
  Vec3 outward(const Vec3& x) const {
    Vec3 normal = outward_normal(*shape, x, gradient_step * dx);
    if (dimension == 2) normal.z() = 0.0;
    return normal.normalized();
  }
};

/// A point at the distance d from the body.
struct ContactLines::Point {
  Vec3 at;     ///< [m]
  double phi;  ///< [cells]

  Point(const Corners& corners, int inside, int outside) {
    const auto i = static_cast<std::size_t>(inside), o = static_cast<std::size_t>(outside);
    const double part = corners.outside[i] / (corners.outside[i] - corners.outside[o]);
    at = corners.at[i] + part * (corners.at[o] - corners.at[i]);
    phi = corners.phi[i] + part * (corners.phi[o] - corners.phi[i]);
  }
  bool is_wet() const { return phi < 0.0; }
  /// Where phi is 0 on the way from a wet point to a dry one. [m]
  static Vec3 between(const Point& wet, const Point& dry) {
    return wet.at + wet.phi / (wet.phi - dry.phi) * (dry.at - wet.at);
  }
};

ContactLines::ContactLines(double contact_angle)
    : sine_(std::sin(contact_angle * std::numbers::pi / 180.0)),
      cosine_(contact_angle == 90.0 ? 0.0 : std::cos(contact_angle * std::numbers::pi / 180.0)) {}

/// Add a piece from a to b, in 2-D a point of the line. \param[in] to_dry  a way to the dry side
void ContactLines::add_piece(const Corners& corners, const Vec3& a, const Vec3& b, Vec3 to_dry) {
  const Vec3 middle = 0.5 * (a + b);
  const Vec3 along_line = b - a;
  // m of (1), for a normal out of the body
  const auto across = [&](const Vec3& normal) {
    Vec3 m = to_dry - to_dry.dot(normal) * normal;
    if (corners.dimension == 3) {
      const Vec3 side = normal.cross(along_line);
      m = side.dot(to_dry) < 0.0 ? Vec3(-side) : side;
    }
    return m.normalized();
  };
  const auto on_body = [&](const Vec3& x, const Vec3& m) {
    const double distance = corners.shape->signed_distance(x);
    const double way =
        std::min(distance / std::max(sine_, least_length) * std::abs(cosine_), farthest_way * corners.dx);
    return Vec3(x - distance * corners.outward(x) + std::copysign(way, cosine_) * m);
  };
  const Vec3 first = across(corners.outward(middle));
  if (!first.allFinite()) return;
  double length = corners.dx;
  if (corners.dimension == 3) length = (on_body(b, first) - on_body(a, first)).norm();
  const Vec3 at = on_body(middle, first);
  const Vec3 normal = corners.outward(at);
  const Vec3 m = across(normal);
  if (!m.allFinite() || !normal.allFinite()) return;
  pieces_.push_back({corners.solid, at - corners.shape->signed_distance(at) * normal,
                     corners.share * length * (sine_ * normal - cosine_ * m)});
}

/// Add the point of a segment on which phi is 0, in 2-D.
void ContactLines::add_segment(const Corners& corners, const Point& a, const Point& b) {
  if (a.is_wet() == b.is_wet()) return;
  const Point& wet = a.is_wet() ? a : b;
  const Point& dry = a.is_wet() ? b : a;
  if ((dry.at - wet.at).norm() < least_length * corners.dx) return;
  const Vec3 at = Point::between(wet, dry);
  add_piece(corners, at, at, dry.at - wet.at);
}

/// Add the piece of a triangle on which phi is 0, in 3-D.
void ContactLines::cut_triangle(const Corners& corners, const Point& a, const Point& b, const Point& c) {
  if (a.is_wet() == b.is_wet() && a.is_wet() == c.is_wet()) return;
  const Point& single = a.is_wet() == b.is_wet() ? c : a.is_wet() == c.is_wet() ? b : a;
  const Point& first = &single == &a ? b : a;
  const Point& second = &single == &c ? b : c;
  const auto cut = [&](const Point& other) {
    return single.is_wet() ? Point::between(single, other) : Point::between(other, single);
  };
  const Vec3 from = cut(first), to = cut(second);
  if ((to - from).norm() < least_length * corners.dx) return;
  add_piece(corners, from, to, (single.is_wet() ? -1.0 : 1.0) * (single.at - 0.5 * (from + to)));
}

template <class Shape>
void ContactLines::search_body(const Corners& corners) {
  for (const int flip : diagonals<Shape>())
    for (const auto& simplex : simplices<Shape>()) {
      std::array<int, 4> in{}, out{};
      int n_in = 0, n_out = 0;
      for (const int corner : simplex) {
        const int n = corner ^ flip;
        if (corners.outside[static_cast<std::size_t>(n)] < 0.0)
          in[static_cast<std::size_t>(n_in++)] = n;
        else
          out[static_cast<std::size_t>(n_out++)] = n;
      }
      if (n_in == 0 || n_out == 0) continue;
      const auto point = [&](int i, int o) {
        return Point(corners, in[static_cast<std::size_t>(i)], out[static_cast<std::size_t>(o)]);
      };
      if constexpr (Shape::dim == 2) {
        n_in == 1 ? add_segment(corners, point(0, 0), point(0, 1)) : add_segment(corners, point(0, 0), point(1, 0));
      } else if (n_in == 1) {
        cut_triangle(corners, point(0, 0), point(0, 1), point(0, 2));
      } else if (n_out == 1) {
        cut_triangle(corners, point(0, 0), point(1, 0), point(2, 0));
      } else {
        cut_triangle(corners, point(0, 0), point(0, 1), point(1, 1));
        cut_triangle(corners, point(0, 0), point(1, 0), point(1, 1));
      }
    }
}

template <class Shape>
void ContactLines::search_block(const CellField<float>& phi, const SolidFields& solids, LocalIndex b) {
  constexpr TileExtents<Shape> extents(1);
  constexpr std::size_t n_corners = 1U << static_cast<unsigned>(Shape::dim);
  constexpr double diagonal = Shape::dim == 2 ? std::numbers::sqrt2 : std::numbers::sqrt3;
  const BlockLayout& layout = phi.layout();
  const Domain& domain = layout.domain();
  const double dx = domain.dx();
  const Tile<float, Shape, 1> distance(phi, b);
  const Tile<std::uint8_t, Shape, 1> is_solid(solids.is_solid(), b);
  const std::span<const double> of_center = solids.center_distances(b);
  const BodiesOfBlock near_block = solids.near_block(b);
  const Vec3 first = layout.first_cell(b).template cast<double>() + Vec3::Constant(0.5);
  for (int c = 0; c < Shape::cells; ++c) {
    if (!of_center.empty() && of_center[static_cast<std::size_t>(c)] > 2.0 * diagonal * dx) continue;
    const Vec3i place = Shape::place(c);
    Corners corners{-1, nullptr, dx, Shape::dim, 1.0 / diagonals<Shape>().size(), {}, {}, {}};
    int n_wet = 0, n_solid = 0;  // where a corner is solid, another body or a wall stands
    for (std::size_t n = 0; n < n_corners; ++n) {
      const auto bits = static_cast<int>(n);
      const Vec3i corner = place + Vec3i(bits & 1, bits >> 1 & 1, bits >> 2 & 1);
      const int at = extents.at(corner);
      corners.at[n] = domain.origin() + dx * (first + corner.cast<double>());
      corners.phi[n] = static_cast<double>(distance[at]);
      n_wet += corners.phi[n] < 0.0 ? 1 : 0;
      n_solid += is_solid[at];
    }
    if (n_wet == 0 || n_wet == static_cast<int>(n_corners) || n_solid > 0) continue;
    const double way = (corners.at[0] - near_block.list.center).norm();
    for (const NearBody& near : near_block.list.bodies) {
      const auto number = static_cast<std::size_t>(near.body);
      const SolidBody& body = solids.bodies()[number];
      if (!body.is_free() || near.least - way > 2.0 * diagonal * dx) continue;
      corners.solid = near.body;
      corners.shape = solids.shapes()[number].get();
      const double d = body.surface == Surface::fractions ? 1.0 : diagonal;
      for (std::size_t n = 0; n < n_corners; ++n)
        corners.outside[n] = near.distance_of(corners.at[n], *corners.shape) / dx - d;
      search_body<Shape>(corners);
    }
  }
}

std::span<const LinePull> ContactLines::operator()(const CellField<float>& phi, const SolidFields& solids) {
  pieces_.clear();
  const BlockLayout& layout = phi.layout();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
      if (solids.nearest(b) > 2.0F * static_cast<float>(std::numbers::sqrt3)) continue;
      const auto& near = solids.near_block(b).list.bodies;
      if (std::ranges::any_of(near, [&](const NearBody& body) {
            return solids.bodies()[static_cast<std::size_t>(body.body)].is_free();
          }))
        search_block<Shape>(phi, solids, b);
    }
  });
  return pieces_;
}

}  // namespace freshet
