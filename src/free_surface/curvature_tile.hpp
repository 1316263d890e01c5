// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/grid/kernels/tile.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

/// Stencils of SurfaceCurvature in a block and one cell around it. Closed cells lie in solids or beyond walls.
namespace freshet {

/// result = f(low, here, high) along an axis; a cell's own value replaces that of a closed neighbour. \pre the axes
/// before this one have been done
template <class Shape, class Function>
void combine_along(int axis, const std::uint8_t* closed, const float* value, float* result, Function&& f) {
  constexpr TileExtents<Shape> tile(1);
  const int stride = tile.stride(axis);
  // along the axes that have been done only cells of the block are needed
  const int j_first = axis == 0 ? 0 : 1;
  const int k_first = Shape::dim == 3 && axis == 2 ? 1 : 0;
  for (int k = k_first; k < tile.nz - k_first; ++k)
    for (int j = j_first; j < tile.ny - j_first; ++j) {
      const int row = tile.nx * (j + tile.ny * k) + 1;
      for (int n = row; n < row + Shape::nx; ++n) {
        const float here = value[n];
        const float low = closed[n - stride] != 0 ? here : value[n - stride];
        const float high = closed[n + stride] != 0 ? here : value[n + stride];
        result[n] = f(low, here, high);
      }
    }
}

/// Apply one pass of S in a block. \return the tile with the result
template <class Shape>
const float* smooth_tile(const std::uint8_t* closed, float* value, float* other) {
  const auto mean = [](float low, float here, float high) { return 0.5F * here + 0.25F * (low + high); };
  for (int axis = 0; axis < Shape::dim; ++axis, std::swap(value, other))
    combine_along<Shape>(axis, closed, value, other, mean);
  return value;
}

/// Find a component of grad G in a block. \param[out] first, second  tiles. \return the tile with the result
template <class Shape>
float* differentiate_tile(int along, const std::uint8_t* closed, const float* value, float* first, float* second) {
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
  return second;
}

template <class Shape>
constexpr double largest_curvature = Shape::dim - 1;  ///< curvature of a drop or hole of one cell's radius

/// Normals into the walls behind a cell's closed faces; by default along the axis.
class FaceNormals {
 public:
  void set(int axis, int side, const Vec3& normal) {
    normals_[index(axis, side)] = normal;
    is_set_ |= 1U << index(axis, side);
  }
  Vec3 at(int axis, int side) const {
    if ((is_set_ >> index(axis, side) & 1U) != 0) return normals_[index(axis, side)];
    return side * Vec3::Unit(axis);
  }

 private:
  static std::size_t index(int axis, int side) { return static_cast<std::size_t>(2 * axis + (side + 1) / 2); }
  std::array<Vec3, 6> normals_;
  unsigned is_set_ = 0;
};

/// grad F in a cell; the cell's own value replaces that of a closed neighbour.
template <class Shape>
Vec3 gradient_beside_wall(const float* value, const std::uint8_t* closed, int here) {
  Vec3 gradient = Vec3::Zero();
  for (int a = 0; a < Shape::dim; ++a) {
    const int stride = TileExtents<Shape>(1).stride(a);
    const bool low = closed[here - stride] == 0, high = closed[here + stride] == 0;
    const float difference = value[high ? here + stride : here] - value[low ? here - stride : here];
    gradient[a] = low && high ? 0.5 * difference : difference;
  }
  return gradient;
}

/// The vector of a cell in a vector field, whose components are those of the tile.
template <class Shape>
Vec3 vector_at(const FaceTile<float, Shape, 1>& field, int cell) {
  Vec3 v = Vec3::Zero();
  for (int a = 0; a < Shape::dim; ++a) v[a] = field[a][cell];
  return v;
}

/// tr((I - n n^T) H) in a cell, H the second differences; an open cell on the way replaces a closed one.
template <class Shape>
double tangential_laplacian(const float* value, const std::uint8_t* closed, int here, const Vec3& n) {
  const auto beside = [&](int step) { return closed[here + step] == 0 ? here + step : here; };
  const auto diagonal = [&](int first, int second) {
    if (closed[here + first + second] == 0) return value[here + first + second];
    return value[closed[here + first] == 0 ? here + first : beside(second)];
  };
  double sum = 0.0;
  for (int a = 0; a < Shape::dim; ++a) {
    const int x = TileExtents<Shape>(1).stride(a);
    sum += (1.0 - n[a] * n[a]) * (value[beside(x)] - 2.0F * value[here] + value[beside(-x)]);
    for (int e = 0; e < a; ++e) {
      const int y = TileExtents<Shape>(1).stride(e);
      sum -= 0.5 * n[a] * n[e] * (diagonal(x, y) - diagonal(x, -y) - diagonal(-x, y) + diagonal(-x, -y));
    }
  }
  return sum;
}

/// kappa of (3) in a cell, from the normals around it and their images in solids: across a wall the mean of a normal
/// and its image meets the wall at the contact angle.
template <class Shape>
double curvature_of(const FaceTile<float, Shape, 1>& normal, const std::uint8_t* closed, int here,
                    const FaceNormals& walls, double cosine) {
  const Vec3 n = vector_at(normal, here);
  double sum = 0.0;
  for (int a = 0; a < Shape::dim; ++a)
    for (const int side : {-1, 1}) {
      const int next = here + side * normal.extents.stride(a);
      Vec3 m;
      if (closed[next] == 0) {
        m = vector_at(normal, next);
      } else {
        const Vec3 s = walls.at(a, side);
        m = n - 2.0 * (n.dot(s) + cosine) * s;
      }
      sum += 0.5 * side * (m[a] - n.dot(m) * n[a]);
    }
  return sum;
}

}  // namespace freshet
