// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "nearest_body.hpp"
#include "open_fraction.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

/// Solids that cut cells: bodies of open fractions.
namespace freshet {

inline constexpr double near_cells = 2.0;       ///< a body does not affect blocks farther from it than this [cells]
inline constexpr double least_fraction = 1e-3;  ///< a face with a smaller open fraction is closed
/// Smallest open fraction of faces near a moving body: displaced liquid passes there
inline constexpr double least_beside_moving = 0.02;

/// Signed distance to bodies of open fractions at the corners of a block's cells, in units of dx; in 2-D in the
/// middle of the layer.
template <class Block>
class CornerDistances {
 public:
  CornerDistances(const Domain& domain, const Vec3i& first_cell, const std::vector<SolidBody>& bodies,
                  const Shapes& shapes) {
    const auto moves = [](const SolidBody& body) { return has_fractions(body) && body.motion != nullptr; };
    const bool any_moves = std::any_of(bodies.begin(), bodies.end(), moves);
    for (int k = 0; k < (Block::dim == 3 ? with_lower : 1); ++k)
      for (int j = 0; j < with_lower; ++j)
        for (int i = 0; i < with_lower; ++i) {
          Vec3 corner = (first_cell + Vec3i(i, j, k)).template cast<double>();
          if (Block::dim == 2) corner.z() += 0.5;
          const Vec3 x = domain.origin() + domain.dx() * corner;
          const double value = nearest_body(bodies, shapes, x, has_fractions).distance / domain.dx();
          value_[at(i, j, k)] = value;
          is_near_moving_[at(i, j, k)] =
              any_moves && std::abs(value) < near_cells &&
              std::abs(nearest_body(bodies, shapes, x, moves).distance) < near_cells * domain.dx();
        }
  }
  double operator()(int i, int j, int k) const { return value_[at(i, j, k)]; }

  /// Open part of the low face of cell (i, j, k) along d. It hangs on the face's own corners only, not on its block.
  double open_fraction(int d, int i, int j, int k) const {
    const auto at_corner = [&](int b, int c) {  // b, c: steps along the face's two axes
      return d == 0 ? at(i, j + b, k + c) : d == 1 ? at(i + b, j, k + c) : at(i + b, j + c, k);
    };
    constexpr int n = Block::dim == 2 ? 2 : 4;
    double value[n];
    double least = least_fraction;
    for (int m = 0; m < n; ++m) {
      const int corner = at_corner(m == 1 || m == 2 ? 1 : 0, m / 2);
      value[m] = value_[corner];
      if (is_near_moving_[corner]) least = least_beside_moving;
    }
    double part = 0.0;
    if constexpr (Block::dim == 2)
      part = positive_part(value[0], value[1]);
    else
      part = positive_part(value[0], value[1], value[2], value[3]);
    return part < least ? 0.0 : part;
  }

  /// The corners of one cell.
  struct Corners {
    double mean = 0.0;  ///< distance
    Vec3 gradient = Vec3::Zero();
    bool all_inside = true;
    bool any_inside = false;
  };
  Corners cell(int i, int j, int k) const {
    const int n_z = Block::dim == 3 ? 2 : 1;
    Corners corners;
    for (int c = 0; c < n_z; ++c)
      for (int b = 0; b < 2; ++b)
        for (int a = 0; a < 2; ++a) {
          const double value = (*this)(i + a, j + b, k + c);
          corners.mean += value;
          corners.gradient += value * Vec3(2 * a - 1, 2 * b - 1, Block::dim == 3 ? 2 * c - 1 : 0);
          corners.all_inside = corners.all_inside && value <= 0.0;
          corners.any_inside = corners.any_inside || value <= 0.0;
        }
    corners.mean /= 4 * n_z;
    corners.gradient /= 2 * n_z;
    return corners;
  }

 private:
  static constexpr int with_lower = block_width + 1;  ///< a block's corners along an axis
  static int at(int i, int j, int k) { return i + with_lower * (j + with_lower * k); }
  static constexpr int size = with_lower * with_lower * (Block::dim == 3 ? with_lower : 1);
  double value_[size];
  bool is_near_moving_[size];
};

/// direction_index of the neighbour cell in the direction of a vector.
inline std::int16_t towards(const Vec3& v) {
  constexpr double sine = 0.38;  // of 22.5 degrees
  const double length = v.norm();
  Vec3i step = Vec3i::Zero();
  for (int d = 0; d < 3; ++d)
    if (std::abs(v[d]) > sine * length) step[d] = v[d] > 0.0 ? 1 : -1;
  return static_cast<std::int16_t>(direction_index(step.x(), step.y(), step.z()));
}

}  // namespace freshet
