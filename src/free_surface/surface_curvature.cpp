// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/surface_curvature.hpp"

#include "curvature_tile.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/solids/near_bodies.hpp"
#include "freshet/solids/nearest_body.hpp"
#include "freshet/solids/outward_neighbour.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace freshet {
namespace {

constexpr float largest_value = 1.0F;     ///< bound of |F|
constexpr float curved_within = 1.5F;     ///< bound of |phi| in cells with a curvature
constexpr int short_passes = 1;           ///< passes of the first term of E in (5)
constexpr int long_passes = 3;            ///< passes of the second term of E in (5)
constexpr double short_wave_share = 0.2;  ///< epsilon of (5)
constexpr float flat = 1e-8F;             ///< bound of |grad G|^2 where G is constant but for rounding

/// Slope of F across a plane surface after smoothing with a normal distribution.
double slope(double variance) {
  return std::erf(largest_value / std::sqrt(2.0 * variance));
}

/// beta of (2).
double sharpening() {
  constexpr double variance = 0.5 * SurfaceCurvature::n_passes;
  constexpr double of_difference = 1.0 / 3.0;  // variance of a central difference, of G and again of n
  constexpr double gamma = 1.0 + 2.0 * of_difference / variance;
  const double a = slope(variance + of_difference);
  const double b = slope(2.0 * variance + of_difference);
  return gamma * a / ((1.0 + gamma) * b - gamma * a);
}

/// Normal into the wall behind a closed face of a cell: that of the nearest body or of the domain's side.
Vec3 into_wall(const Domain& domain, const NearBodies& near, const Vec3i& cell, int axis, int side) {
  const int beyond = cell[axis] + side;
  if (beyond < 0 || beyond >= domain.cells()[axis]) return side * Vec3::Unit(axis);
  const Vec3 middle = cell.cast<double>() + Vec3::Constant(0.5) + 0.5 * side * Vec3::Unit(axis);
  const Vec3 x = domain.origin() + domain.dx() * middle;
  const Nearest nearest = near.nearest(x, any_body);
  constexpr double step = 1e-3;  // step of the difference [cells]
  return -outward_normal(*near.shapes()[nearest.body], x, step * domain.dx());
}

}  // namespace

SurfaceCurvature::SurfaceCurvature(double contact_angle)
    : cosine_(contact_angle == 90.0 ? 0.0 : std::cos(contact_angle * std::numbers::pi / 180.0)) {}

double capillary_step(double density, double dx, double tension) {
  return std::sqrt(density * dx * dx * dx / (2.0 * std::numbers::pi * tension));
}

/// Call f(face, index in the tile, step) for the wall faces of a block; `step` is F behind the face less F before it,
/// so that the surface meets the wall at the contact angle by (4).
template <class Shape, class Function>
void SurfaceCurvature::for_each_wall_face(LocalIndex b, const float* value, Function&& f) const {
  constexpr TileExtents<Shape> tile(1);
  const std::uint8_t* closed = closed_.data() + static_cast<std::size_t>(b) * tile.size();
  for (const WallFace& face : wall_faces_[static_cast<std::size_t>(b)]) {
    const int c = face.cell;
    const int here = tile.of_cell(c);
    const Vec3 gradient = gradient_beside_wall<Shape>(value, closed, here);
    const Vec3& s = face.into_wall;
    const Vec3 beyond = gradient - (gradient.dot(s) + cosine_ * gradient.norm()) * s;
    f(face, here, static_cast<float>(face.side * beyond[face.axis]));
  }
}

/// Set shut_ in cells of solids and in cut cells with their centre in a body.
void SurfaceCurvature::find_shut(const SolidFields& solids) {
  const BlockLayout& layout = smooth_surface_.layout();
  shut_.reset(layout, std::uint8_t{1});
  parallel_for_blocks(layout.n_blocks(), [&](LocalIndex b) {
    std::uint8_t* shut = shut_.block(b);
    const std::uint8_t* solid = solids.is_solid().block(b);
    for (int c = 0; c < layout.cells_per_block(); ++c) shut[c] = solid[c] != 0 ? 1 : 0;
    if (b < layout.n_owned())
      for (const CutCell& cut : solids.cut_cells(b)) shut[cut.cell] = 1;
  });
  if (solids.any_fractions()) layout.halo().gather(shut_, 1);
}

/// Set kappa of cut cells with their centre in a body to that of the neighbour along the body's outward normal.
template <class Shape>
void SurfaceCurvature::extend_into_bodies(const SolidFields& solids, CellField<float>& curvature) {
  const BlockLayout& layout = curvature.layout();
  layout.halo().gather(curvature, 1);
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    for (const CutCell& cut : solids.cut_cells(b)) {
      const auto [slot, neighbour] = outward_neighbour<Shape>(layout, b, cut);
      if (shut_.block(slot)[neighbour] == 0) curvature.block(b)[cut.cell] = curvature.block(slot)[neighbour];
    }
  });
}

/// Set closed_. Blocks that do not exist and blocks far from the liquid hold air, not solids.
template <class Shape>
void SurfaceCurvature::find_closed() {
  constexpr TileExtents<Shape> tile(1);
  const BlockLayout& layout = smooth_surface_.layout();
  closed_.resize(static_cast<std::size_t>(layout.n_owned()) * tile.size());
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    std::uint8_t* closed = closed_.data() + static_cast<std::size_t>(b) * tile.size();
    fill_tile(shut_, b, tile, closed);
    const Tile<std::uint8_t, Shape, 1> is_far(far_, b);
    const Vec3i own = layout.first_cell(b).cwiseQuotient(layout.domain().block_cells());
    for (int k = 0; k < tile.nz; ++k)
      for (int j = 0; j < tile.ny; ++j)
        for (int i = 0; i < tile.nx; ++i) {
          const auto side = [](int n, int width) { return n == 0 ? -1 : n == width - 1 ? 1 : 0; };
          const Vec3i step(side(i, tile.nx), side(j, tile.ny), Shape::dim == 3 ? side(k, tile.nz) : 0);
          std::uint8_t& is_closed = closed[i + tile.nx * (j + tile.ny * k)];
          if (is_closed == 0 || step.isZero()) continue;
          if (is_far[i + tile.nx * (j + tile.ny * k)] == 0) continue;
          Vec3i block = own + step;
          if (layout.domain().wrap_block(block)) is_closed = 0;
        }
  });
}

/// List the closed faces of cells, except on walls along the grid if the contact angle is 90 degrees. \pre closed_
/// is set
template <class Shape>
void SurfaceCurvature::find_wall_faces(const SolidFields& solids) {
  constexpr TileExtents<Shape> tile(1);
  const BlockLayout& layout = smooth_surface_.layout();
  wall_faces_.resize(static_cast<std::size_t>(layout.n_owned()));
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    std::vector<WallFace>& faces = wall_faces_[static_cast<std::size_t>(b)];
    faces.clear();
    const bool body_near = !solids.bodies().empty() && solids.nearest(b) < 1.0F;
    if ((cosine_ == 0.0 && !body_near) || far_.block(b)[0] != 0) return;
    const NearBodies near(solids, b);
    const std::uint8_t* closed = closed_.data() + static_cast<std::size_t>(b) * tile.size();
    for (int c = 0; c < Shape::cells; ++c) {
      const Vec3i place = Shape::place(c);
      const int here = tile.at(place.x(), place.y(), place.z());
      if (closed[here] != 0) continue;
      for (int a = 0; a < Shape::dim; ++a)
        for (const int side : {-1, 1}) {
          if (closed[here + side * tile.stride(a)] == 0) continue;
          const Vec3i cell = layout.first_cell(b) + place;
          faces.push_back({static_cast<std::int16_t>(c), static_cast<std::int8_t>(a), static_cast<std::int8_t>(side),
                           into_wall(layout.domain(), near, cell, a, side)});
        }
    }
  });
}

/// Apply S of (1). \pre ghosts of the field are valid to width 1; so they are on return
template <class Shape>
void SurfaceCurvature::smooth(CellField<float>& field, int passes) {
  constexpr TileExtents<Shape> tile(1);
  const BlockLayout& layout = field.layout();
  for (int pass = 0; pass < passes; ++pass) {
    next_.reset(layout, largest_value);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      if (far_.block(b)[0] != 0) return static_cast<void>(std::fill_n(next_.block(b), Shape::cells, largest_value));
      Tile<float, Shape, 1> value(field, b), smoothed;
      const bool is_even = std::all_of(value.begin(), value.end(), [&](float v) { return v == value[0]; });
      if (is_even) return static_cast<void>(std::fill_n(next_.block(b), Shape::cells, value[0]));
      const std::uint8_t* closed = closed_.data() + static_cast<std::size_t>(b) * tile.size();
      float from_walls[Shape::cells];
      const bool any_walls = !wall_faces_[static_cast<std::size_t>(b)].empty();
      if (any_walls) {
        std::fill_n(from_walls, Shape::cells, 0.0F);
        for_each_wall_face<Shape>(
            b, value.data(), [&](const WallFace& face, int, float step) { from_walls[face.cell] += 0.25F * step; });
      }
      const float* from = smooth_tile<Shape>(closed, value.data(), smoothed.data());
      float* result = next_.block(b);
      for (int r = 0; r < Shape::rows; ++r)
        std::copy_n(from + tile.at(0, r % Shape::ny, r / Shape::ny), Shape::nx, result + Shape::nx * r);
      if (any_walls)
        for (int c = 0; c < Shape::cells; ++c) result[c] += from_walls[c];
    });
    field.swap(next_);
    layout.halo().gather(field, 1);
  }
}

/// E of (5) += weight * smooth_surface_.
void SurfaceCurvature::add_to_short_waves(float weight) {
  const BlockLayout& layout = smooth_surface_.layout();
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    float* sum = short_waves_.block(b);
    const float* smooth = smooth_surface_.block(b);
    for (int c = 0; c < layout.cells_per_block(); ++c) sum[c] += weight * smooth[c];
  });
}

/// Find n of (3); 0 in solids and where G has no gradient. \pre ghosts of G are valid to width 1
template <class Shape>
void SurfaceCurvature::find_normals() {
  constexpr TileExtents<Shape> tile(1);
  const BlockLayout& layout = smooth_surface_.layout();
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    for (int a = 0; a < Shape::dim; ++a) std::fill_n(normal_[a].block(b), Shape::cells, 0.0F);
    const Tile<float, Shape, 1> value(smooth_surface_, b);
    if (std::all_of(value.begin(), value.end(), [&](float v) { return v == value[0]; })) return;
    const std::uint8_t* closed = closed_.data() + static_cast<std::size_t>(b) * tile.size();
    Tile<float, Shape, 1> buffer[Shape::dim][2];
    float* gradient[Shape::dim];
    for (int a = 0; a < Shape::dim; ++a)
      gradient[a] = differentiate_tile<Shape>(a, closed, value.data(), buffer[a][0].data(), buffer[a][1].data());
    for_each_wall_face<Shape>(b, value.data(), [&](const WallFace& face, int here, float step) {
      gradient[face.axis][here] += 0.5F * static_cast<float>(face.side) * step;
    });
    for (int c = 0; c < Shape::cells; ++c) {
      const int here = tile.of_cell(c);
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
void SurfaceCurvature::evaluate(const CellField<float>& phi, CellField<float>& curvature) const {
  constexpr TileExtents<Shape> tile(1);
  const BlockLayout& layout = phi.layout();
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    const float* distance = phi.block(b);
    float* result = curvature.block(b);
    const auto is_near = [](float value) { return std::abs(value) < curved_within; };
    std::fill_n(result, Shape::cells, 0.0F);
    if (std::none_of(distance, distance + Shape::cells, is_near)) return;
    const FaceTile<float, Shape, 1> normal(normal_, b);
    const std::uint8_t* closed = closed_.data() + static_cast<std::size_t>(b) * tile.size();
    const Tile<float, Shape, 1> short_waves(short_waves_, b);
    const std::vector<WallFace>& faces = wall_faces_[static_cast<std::size_t>(b)];
    auto face = faces.begin();  // ordered by cell
    for (int c = 0; c < Shape::cells; ++c) {
      const Vec3i place = Shape::place(c);
      const int here = tile.at(place.x(), place.y(), place.z());
      FaceNormals walls;
      for (; face != faces.end() && face->cell == c; ++face) walls.set(face->axis, face->side, face->into_wall);
      if (!is_near(distance[c]) || closed[here] != 0) continue;
      const Vec3 n = vector_at(normal, here);
      const double kappa = curvature_of(normal, closed, here, walls, cosine_) +
                           short_wave_share * tangential_laplacian<Shape>(short_waves.data(), closed, here, n);
      result[c] = static_cast<float>(std::clamp(kappa, -largest_curvature<Shape>, largest_curvature<Shape>));
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
  short_waves_.reset(layout, 0.0F);
  short_waves_.fill(0.0F);
  curvature.reset(layout, 0.0F);
  curvature.fill(0.0F);  // including ghosts off the rim
  const float beta = static_cast<float>(sharpening());
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    find_shut(solids);
    find_closed<Shape>();
    find_wall_faces<Shape>(solids);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      for (int c = 0; c < Shape::cells; ++c)
        smooth_surface_.block(b)[c] =
            is_far(b) ? largest_value : std::clamp(phi.block(b)[c], -largest_value, largest_value);
    });
    layout.halo().gather(smooth_surface_, 1);
    smooth<Shape>(smooth_surface_, short_passes);
    add_to_short_waves(static_cast<float>(1.0 / slope(0.5 * short_passes)));
    smooth<Shape>(smooth_surface_, long_passes - short_passes);
    add_to_short_waves(static_cast<float>(-1.0 / slope(0.5 * long_passes)));
    smooth<Shape>(smooth_surface_, n_passes - long_passes);
    parallel_for_blocks(layout.n_blocks(),
                        [&](LocalIndex b) { std::copy_n(smooth_surface_.block(b), Shape::cells, twice_.block(b)); });
    smooth<Shape>(twice_, n_passes);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {  // ghosts off the rim are undefined
      for (int c = 0; c < Shape::cells; ++c)
        smooth_surface_.block(b)[c] += beta * (smooth_surface_.block(b)[c] - twice_.block(b)[c]);
    });
    layout.halo().gather_together(1, smooth_surface_, short_waves_);
    find_normals<Shape>();
    evaluate<Shape>(phi, curvature);
    if (solids.any_fractions()) extend_into_bodies<Shape>(solids, curvature);
  });
  layout.halo().gather(curvature, 1);
}

}  // namespace freshet
