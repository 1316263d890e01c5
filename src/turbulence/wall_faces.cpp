// SPDX-License-Identifier: Apache-2.0
#include "freshet/turbulence/wall_faces.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/solids/near_bodies.hpp"
#include "freshet/solids/nearest_body.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

constexpr float outermost = 1.25F;  ///< distance within which a face stands for a part of a body's surface [cells]

bool has_wall_law(const SolidBody& body) {
  return model_of(body.slip).has_law;
}
bool holds_back(const SolidBody& body) {
  return model_of(body.slip).drags();
}
bool holds_back(FaceCondition condition) {
  return model_of(condition).drags();
}

constexpr double ramp = 0.25;  ///< width over which a face's share rises and falls [cells]

/// Share of a layer of faces at this distance from the wall [cells]; see WallFaces.
double share_at(double distance) {
  return std::clamp(std::min(distance, 1.0 + ramp - distance) / ramp, 0.0, 1.0);
}

/// The area of a shape's surface over that of the surface through x whose points are as far away from it: the product
/// of 1 - s h over the two curvatures h at x.
///
/// The curvatures are second differences of the distance along the surface. At edges they jump: outside a sharp one the
/// result is 0, as the surface has no area there; inside a corner it is at most `most`. Distances that are interpolated
/// between samples bend at these only, one cell apart: differences over a cell are those of the samples.
/// \param[in] normal  unit vector \param[in] distance  s, that of x, > 0 [m]
double area_below(const Shape& shape, const Vec3& x, const Vec3& normal, double distance, double dx, int dimension) {
  constexpr double most = 2.0;
  const double step = shape.slack() > 0.0 ? dx : 0.25 * dx;
  const auto curvature = [&](const Vec3& along) {
    return (shape.signed_distance(x + step * along) - 2.0 * distance + shape.signed_distance(x - step * along)) /
           (step * step);
  };
  if (dimension == 2) {
    const Vec3 along(-normal.y(), normal.x(), 0.0);
    return std::clamp(1.0 - distance * curvature(along), 0.0, most);
  }
  int least = 0;
  for (int e = 1; e < 3; ++e)
    if (std::abs(normal[e]) < std::abs(normal[least])) least = e;
  const Vec3 first = normal.cross(Vec3::Unit(least)).normalized();
  const Vec3 second = normal.cross(first);
  const double h_11 = curvature(first), h_22 = curvature(second);
  const double h_12 = curvature((first + second) * std::sqrt(0.5)) - 0.5 * (h_11 + h_22);
  const double mean = 0.5 * (h_11 + h_22), deviation = std::hypot(0.5 * (h_11 - h_22), h_12);
  const auto factor = [&](double h) { return std::clamp(1.0 - distance * h, 0.0, most); };
  return std::min(factor(mean + deviation) * factor(mean - deviation), most);
}

}  // namespace

bool WallFaces::any(const Domain& domain, const std::vector<SolidBody>& bodies) {
  for (int d = 0; d < domain.dimension(); ++d)
    for (const int side : {0, 1})
      if (model_of(domain.condition(d, side)).has_law) return true;
  return std::ranges::any_of(bodies, has_wall_law);
}

void WallFaces::update(const BlockLayout& layout, const SolidFields& solids) {
  const auto is_relevant = [](const SolidBody& body) { return body.motion != nullptr && holds_back(body); };
  if (layout_id_ == layout.id() && !std::ranges::any_of(solids.bodies(), is_relevant)) return;
  layout_id_ = layout.id();
  const auto n_owned = static_cast<std::size_t>(layout.n_owned());
  faces_.resize(n_owned);
  has_distances_.assign(n_owned, 0);
  distance_.reset(layout, std::numeric_limits<float>::infinity());
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      faces_[static_cast<std::size_t>(block)].clear();
      if (layout.touches_boundary(block)) add_sides<Shape>(layout, block);
      find_faces<Shape>(layout, solids, block);
      if (reach_ > 0.0F) find_distances<Shape>(layout, solids, block);
    });
  });
}

/// Add the faces along the domain's sides.
template <class Shape>
void WallFaces::add_sides(const BlockLayout& layout, LocalIndex block) {
  const Domain& domain = layout.domain();
  const Vec3i begin = layout.first_cell(block);
  for (int e = 0; e < Shape::dim; ++e)
    for (const int side : {0, 1}) {
      if (!model_of(domain.condition(e, side)).has_law) continue;
      const int layer = (side == 0 ? 0 : domain.cells()[e] - 1) - begin[e];
      if (layer < 0 || layer >= Shape::n(e)) continue;
      for (int c = 0; c < Shape::cells; ++c) {
        const Vec3i cell = Shape::place(c);
        if (cell[e] != layer || !domain.contains_cell(begin + cell)) continue;
        for (int d = 0; d < Shape::dim; ++d) {
          if (d == e) continue;
          WallFace face{static_cast<std::int16_t>(c),
                        static_cast<std::int8_t>(d),
                        static_cast<std::int16_t>(-1 - (2 * e + side)),
                        0.5F,
                        1.0F,
                        {},
                        static_cast<float>(roughness_)};
          face.normal[e] = side == 0 ? 1.0F : -1.0F;
          faces_[static_cast<std::size_t>(block)].push_back(face);
        }
      }
    }
}

/// Add the faces around bodies.
template <class Shape>
void WallFaces::find_faces(const BlockLayout& layout, const SolidFields& solids, LocalIndex block) {
  if (solids.nearest(block) > outermost + 1.0F || std::ranges::none_of(solids.bodies(), has_wall_law)) return;
  const NearBodies near(solids, block);
  const Domain& domain = layout.domain();
  const double dx = domain.dx();
  const Vec3i begin = layout.first_cell(block);
  for (int d = 0; d < Shape::dim; ++d)
    for (int c = 0; c < Shape::cells; ++c) {
      const Vec3i cell = begin + Shape::place(c);
      if (!domain.contains_cell(cell)) continue;
      const Vec3 x = domain.origin() + dx * (cell.cast<double>() + 0.5 * (Vec3::Ones() - Vec3::Unit(d)));
      const Nearest nearest = near.nearest_within(2.0 * dx, x, has_wall_law);
      const double distance = nearest.distance / dx;
      const double share = share_at(distance);
      if (share <= 0.0) continue;
      constexpr double gradient_step = 1e-2;  // [cells]
      const freshet::Shape& shape = *solids.shapes()[nearest.body];
      const Vec3 normal = outward_normal(shape, x, gradient_step * dx);
      const double area = share * area_below(shape, x, normal, nearest.distance, dx, Shape::dim);
      if (area <= 0.0) continue;
      WallFace face{static_cast<std::int16_t>(c),
                    static_cast<std::int8_t>(d),
                    static_cast<std::int16_t>(nearest.body),
                    static_cast<float>(distance),
                    static_cast<float>(area),
                    {},
                    static_cast<float>(solids.bodies()[nearest.body].roughness)};
      for (int e = 0; e < 3; ++e) face.normal[e] = static_cast<float>(normal[e]);
      faces_[static_cast<std::size_t>(block)].push_back(face);
    }
}

template <class Shape>
void WallFaces::find_distances(const BlockLayout& layout, const SolidFields& solids, LocalIndex block) {
  const Domain& domain = layout.domain();
  const Vec3i begin = layout.first_cell(block);
  const bool any_body = std::ranges::any_of(solids.bodies(), [](const SolidBody& body) { return holds_back(body); }) &&
                        solids.nearest(block) < reach_;
  const NearBodies near(solids, block);
  float* const distance = distance_.block(block);
  float nearest_of_block = reach_;
  for (int c = 0; c < Shape::cells; ++c) {
    const Vec3i cell = begin + Shape::place(c);
    double nearest = std::numeric_limits<double>::infinity();
    for (int d = 0; d < Shape::dim; ++d)
      for (const int side : {0, 1})
        if (holds_back(domain.condition(d, side)))
          nearest = std::min(nearest, (side == 0 ? cell[d] : domain.cells()[d] - 1 - cell[d]) + 0.5);
    if (any_body) {
      const Vec3 x = domain.origin() + domain.dx() * (cell.cast<double>() + Vec3::Constant(0.5));
      const Nearest body = near.nearest(x, [](const SolidBody& candidate) { return holds_back(candidate); });
      nearest = std::min(nearest, body.distance / domain.dx());
    }
    distance[c] = static_cast<float>(std::max(nearest, 0.0));
    nearest_of_block = std::min(nearest_of_block, distance[c]);
  }
  has_distances_[static_cast<std::size_t>(block)] = nearest_of_block < reach_ ? 1 : 0;
}

}  // namespace freshet
