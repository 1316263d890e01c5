// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/surface_curvature.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/padded.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace freshet {
namespace {

constexpr float largest_value = 1.0F;    ///< of |F|
constexpr float curved_within = 1.5F;    ///< |phi| of cells with a curvature
constexpr float flat = 1e-8F;            ///< |grad G|^2 of a G that is constant but for rounding
constexpr double reach_of_walls = 12.0;  ///< cells beyond which K is 0 to double precision

/// A block's values with one cell of its neighbours around them.
template <class Shape>
struct Tile {
  static constexpr int nx = Shape::nx + 2;
  static constexpr int ny = Shape::ny + 2;
  static constexpr int nz = Shape::dim == 3 ? Shape::nz + 2 : 1;
  static constexpr int size = nx * ny * nz;
  static constexpr int first_k = Shape::dim == 3 ? 1 : 0;
  static constexpr int stride(int axis) { return axis == 0 ? 1 : axis == 1 ? nx : nx * ny; }
  static int at(int i, int j, int k) { return (i + 1) + nx * ((j + 1) + ny * (k + first_k)); }
};

/// result = f(low, here, high) along an axis; a cell counts in place of a closed neighbour. \pre the axes before this
/// one have been done
template <class Shape, class Function>
void combine_along(int axis, const std::uint8_t* closed, const float* value, float* result, Function&& f) {
  using Around = Tile<Shape>;
  const int stride = Around::stride(axis);
  // along the axes that have been done, only cells of the block are needed
  const int j_first = axis == 0 ? 0 : 1;
  const int k_first = axis == 2 || Shape::dim == 2 ? Around::first_k : 0;
  for (int k = k_first; k < Around::nz - k_first; ++k)
    for (int j = j_first; j < Around::ny - j_first; ++j) {
      const int row = Around::nx * (j + Around::ny * k) + 1;
      for (int n = row; n < row + Shape::nx; ++n) {
        const float here = value[n];
        const float low = closed[n - stride] != 0 ? here : value[n - stride];
        const float high = closed[n + stride] != 0 ? here : value[n + stride];
        result[n] = f(low, here, high);
      }
    }
}

/// A pass of S in a block. \return which of the two tiles holds the result
template <class Shape>
const float* smooth_tile(const std::uint8_t* closed, float* value, float* other) {
  const auto mean = [](float low, float here, float high) { return 0.5F * here + 0.25F * (low + high); };
  for (int axis = 0; axis < Shape::dim; ++axis, std::swap(value, other))
    combine_along<Shape>(axis, closed, value, other, mean);
  return value;
}

/// A component of grad G in a block. \param[out] first, second  tiles. \return which of the two holds the result
template <class Shape>
const float* differentiate_tile(int along, const std::uint8_t* closed, const float* value, float* first,
                                float* second) {
  const auto difference = [](float low, float, float high) { return 0.5F * (high - low); };
  const auto mean = [](float low, float here, float high) { return (4.0F * here + low + high) / 6.0F; };
  for (int axis = 0; axis < Shape::dim; ++axis) {
    if (axis == along)
      combine_along<Shape>(axis, closed, value, first, difference);
    else
      combine_along<Shape>(axis, closed, value, first, mean);
    value = first;
    std::swap(first, second);
  }
  return value;
}

double normal_distribution(double x, double variance) {
  return std::exp(-0.5 * x * x / variance) / std::sqrt(2.0 * std::numbers::pi * variance);
}

/// Slope of F at a plane surface, smoothed by a normal distribution.
double slope(double variance) {
  return std::erf(largest_value / std::sqrt(2.0 * variance));
}

/// beta of (2).
double sharpening() {
  constexpr double variance = 0.5 * SurfaceCurvature::n_passes;
  constexpr double of_difference = 1.0 / 3.0;  // what a difference smooths, of G and once more of n
  constexpr double gamma = 1.0 + 2.0 * of_difference / variance;
  const double a = slope(variance + of_difference);
  const double b = slope(2.0 * variance + of_difference);
  return gamma * a / ((1.0 + gamma) * b - gamma * a);
}

/// 2 K of (4).
double pull(double distance) {
  constexpr double variance = 0.5 * SurfaceCurvature::n_passes;
  return 2.0 * (2.0 * normal_distribution(distance, variance) - normal_distribution(distance, 2.0 * variance));
}

/// kappa of (3) in a cell, from the normals around it and their mirror images in solids.
template <class Shape>
double curvature_of(const float (&normal)[Shape::dim][Tile<Shape>::size], const std::uint8_t* closed, int here) {
  const auto normal_at = [&](int cell) {
    Vec3 n = Vec3::Zero();
    for (int a = 0; a < Shape::dim; ++a) n[a] = normal[a][cell];
    return n;
  };
  const Vec3 n = normal_at(here);
  double sum = 0.0;
  for (int a = 0; a < Shape::dim; ++a)
    for (const int side : {-1, 1}) {
      const int next = here + side * Tile<Shape>::stride(a);
      Vec3 m = n;
      if (closed[next] == 0)
        m = normal_at(next);
      else
        m[a] = -m[a];
      sum += 0.5 * side * (m[a] - n.dot(m) * n[a]);
    }
  constexpr double largest = Shape::dim - 1;  // a drop or hole with the radius of a cell
  return std::clamp(sum, -largest, largest);
}

}  // namespace

SurfaceCurvature::SurfaceCurvature(double contact_angle)
    : cosine_(contact_angle == 90.0 ? 0.0 : std::cos(contact_angle * std::numbers::pi / 180.0)) {}

double capillary_step(double density, double dx, double tension) {
  return std::sqrt(density * dx * dx * dx / (2.0 * std::numbers::pi * tension));
}

/// Blocks that do not exist hold air, not solids; likewise those that are far from the liquid.
template <class Shape>
void SurfaceCurvature::find_closed(const SolidFields& solids) {
  using Around = Tile<Shape>;
  const BlockLayout& layout = smooth_surface_.layout();
  closed_.resize(static_cast<std::size_t>(layout.n_owned()) * Around::size);
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    std::uint8_t* closed = closed_.data() + static_cast<std::size_t>(b) * Around::size;
    fill_padded(solids.is_solid(), b, PaddedExtents<Shape>(1), closed);
    std::uint8_t is_far[Around::size];
    fill_padded(far_, b, PaddedExtents<Shape>(1), is_far);
    const Vec3i own = layout.first_cell(b).cwiseQuotient(layout.domain().block_cells());
    for (int k = 0; k < Around::nz; ++k)
      for (int j = 0; j < Around::ny; ++j)
        for (int i = 0; i < Around::nx; ++i) {
          const auto side = [](int n, int width) { return n == 0 ? -1 : n == width - 1 ? 1 : 0; };
          const Vec3i step(side(i, Around::nx), side(j, Around::ny), Shape::dim == 3 ? side(k, Around::nz) : 0);
          std::uint8_t& is_closed = closed[i + Around::nx * (j + Around::ny * k)];
          is_closed = is_closed != 0 ? 1 : 0;
          if (is_closed == 0 || step.isZero()) continue;
          if (is_far[i + Around::nx * (j + Around::ny * k)] == 0) continue;
          Vec3i block = own + step;
          if (layout.domain().wrap_block(block)) is_closed = 0;
        }
  });
}

/// S of (1). \pre ghosts of the field are valid to width 1, and so they are on return
template <class Shape>
void SurfaceCurvature::smooth(CellField<float>& field) {
  using Around = Tile<Shape>;
  const BlockLayout& layout = field.layout();
  for (int pass = 0; pass < n_passes; ++pass) {
    next_.reset(layout, largest_value);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      if (far_.block(b)[0] != 0) return static_cast<void>(std::fill_n(next_.block(b), Shape::cells, largest_value));
      float value[Around::size];
      float smoothed[Around::size];
      fill_padded(field, b, PaddedExtents<Shape>(1), value);
      const bool is_even = std::all_of(value, value + Around::size, [&](float v) { return v == value[0]; });
      if (is_even) return static_cast<void>(std::fill_n(next_.block(b), Shape::cells, value[0]));
      const std::uint8_t* closed = closed_.data() + static_cast<std::size_t>(b) * Around::size;
      const float* from = smooth_tile<Shape>(closed, value, smoothed);
      for (int r = 0; r < Shape::rows; ++r)
        std::copy_n(from + Around::at(0, r % Shape::ny, r / Shape::ny), Shape::nx, next_.block(b) + Shape::nx * r);
    });
    field.swap(next_);
    layout.halo().gather(field, 1);
  }
}

/// What walls add to the curvature of a cell by (4), for a cosine of -1.
double SurfaceCurvature::pull_of_walls(const Vec3i& cell, const SolidFields& solids, bool near_body) const {
  const Domain& domain = smooth_surface_.layout().domain();
  double sum = 0.0;
  for (int d = 0; d < domain.dimension(); ++d)
    for (int side = 0; side < 2; ++side) {
      if (!domain.is_wall(d, side)) continue;
      const double distance = side == 0 ? cell[d] + 0.5 : domain.cells()[d] - cell[d] - 0.5;
      if (distance < reach_of_walls) sum += pull(distance);
    }
  if (!near_body) return sum;
  const Vec3 center = domain.origin() + domain.dx() * (cell.cast<double>() + Vec3::Constant(0.5));
  for (const auto& body : solids.shapes()) {
    const double distance = body->signed_distance(center) / domain.dx();
    if (distance < reach_of_walls) sum += pull(std::max(distance, 0.0));
  }
  return sum;
}

/// n of (3), 0 in solids and where G has no gradient. \pre ghosts of G are valid to width 1
template <class Shape>
void SurfaceCurvature::find_normals() {
  using Around = Tile<Shape>;
  const BlockLayout& layout = smooth_surface_.layout();
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    for (int a = 0; a < Shape::dim; ++a) std::fill_n(normal_[a].block(b), Shape::cells, 0.0F);
    float value[Around::size];
    fill_padded(smooth_surface_, b, PaddedExtents<Shape>(1), value);
    if (std::all_of(value, value + Around::size, [&](float v) { return v == value[0]; })) return;
    const std::uint8_t* closed = closed_.data() + static_cast<std::size_t>(b) * Around::size;
    float buffer[Shape::dim][2][Around::size];
    const float* gradient[Shape::dim];
    for (int a = 0; a < Shape::dim; ++a)
      gradient[a] = differentiate_tile<Shape>(a, closed, value, buffer[a][0], buffer[a][1]);
    for (int c = 0; c < Shape::cells; ++c) {
      const int here = Around::at(c % Shape::nx, c / Shape::nx % Shape::ny, c / (Shape::nx * Shape::ny));
      float square = 0.0F;
      for (int a = 0; a < Shape::dim; ++a) square += gradient[a][here] * gradient[a][here];
      if (closed[here] != 0 || square < flat) continue;
      const float inverse = 1.0F / std::sqrt(square);
      for (int a = 0; a < Shape::dim; ++a) normal_[a].block(b)[c] = inverse * gradient[a][here];
    }
  });
  layout.halo().gather(normal_, 1);
}

template <class Shape>
void SurfaceCurvature::evaluate(const CellField<float>& phi, const SolidFields& solids,
                                CellField<float>& curvature) const {
  using Around = Tile<Shape>;
  const BlockLayout& layout = phi.layout();
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    const float* distance = phi.block(b);
    float* result = curvature.block(b);
    const auto is_near = [](float value) { return std::abs(value) < curved_within; };
    std::fill_n(result, Shape::cells, 0.0F);
    if (std::none_of(distance, distance + Shape::cells, is_near)) return;
    float normal[Shape::dim][Around::size];
    for (int a = 0; a < Shape::dim; ++a) fill_padded(normal_[a], b, PaddedExtents<Shape>(1), normal[a]);
    const std::uint8_t* closed = closed_.data() + static_cast<std::size_t>(b) * Around::size;
    const bool near_body = !solids.bodies().empty() && solids.nearest(b) < static_cast<float>(reach_of_walls);
    for (int c = 0; c < Shape::cells; ++c) {
      const Vec3i place(c % Shape::nx, c / Shape::nx % Shape::ny, c / (Shape::nx * Shape::ny));
      const int here = Around::at(place.x(), place.y(), place.z());
      if (!is_near(distance[c]) || closed[here] != 0) continue;
      double kappa = curvature_of<Shape>(normal, closed, here);
      if (cosine_ != 0.0) kappa -= cosine_ * pull_of_walls(layout.first_cell(b) + place, solids, near_body);
      result[c] = static_cast<float>(kappa);
    }
  });
}

void SurfaceCurvature::operator()(const CellField<float>& phi, const SolidFields& solids, CellField<float>& curvature,
                                  std::span<const std::uint8_t> near) {
  const BlockLayout& layout = phi.layout();
  const auto is_far = [&](LocalIndex b) { return !near.empty() && near[static_cast<std::size_t>(b)] == 0; };
  far_.reset(layout, std::uint8_t{1});
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    std::fill_n(far_.block(b), layout.cells_per_block(), static_cast<std::uint8_t>(is_far(b) ? 1 : 0));
  });
  layout.halo().gather(far_, 1);
  for (CellField<float>* field : {&smooth_surface_, &twice_}) field->reset(layout, largest_value);
  normal_.reset(layout, 0.0F);
  curvature.reset(layout, 0.0F);
  curvature.fill(0.0F);  // ghosts off the rim, too
  const float beta = static_cast<float>(sharpening());
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    find_closed<Shape>(solids);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      for (int c = 0; c < Shape::cells; ++c)
        smooth_surface_.block(b)[c] =
            is_far(b) ? largest_value : std::clamp(phi.block(b)[c], -largest_value, largest_value);
    });
    layout.halo().gather(smooth_surface_, 1);
    smooth<Shape>(smooth_surface_);
    parallel_for_blocks(layout.n_blocks(),
                        [&](LocalIndex b) { std::copy_n(smooth_surface_.block(b), Shape::cells, twice_.block(b)); });
    smooth<Shape>(twice_);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {  // ghosts off the rim may hold anything
      for (int c = 0; c < Shape::cells; ++c)
        smooth_surface_.block(b)[c] += beta * (smooth_surface_.block(b)[c] - twice_.block(b)[c]);
    });
    layout.halo().gather(smooth_surface_, 1);
    find_normals<Shape>();
    evaluate<Shape>(phi, solids, curvature);
  });
  layout.halo().gather(curvature, 1);
}

}  // namespace freshet
