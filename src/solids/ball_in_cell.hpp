// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cell_parts.hpp"
#include "freshet/core/types.hpp"

#include <algorithm>

namespace freshet {

/// A ball that is nearest to all places of a cell.
///
/// The distance to it is convex, and its least value on a way is known without a search. So most cells at its surface
/// are known to be whole before CellParts asks for distances. Lengths in cells.
template <int dim>
class BallInCell {
 public:
  BallInCell(const Vec3& center, double radius, const Vec3& low)
      : center_(center), low_(low), inside_(radius * radius), outside_((radius + margin) * (radius + margin)) {}

  /// Whether CellParts::may_be_cut() is surely false. \param[in] corner  distances at the cell's corners, x fastest
  bool leaves_whole(const double* corner) const {
    return CellParts<dim>::are_joined(corner) && are_edges_free(corner) && are_faces_free(corner);
  }

 private:
  /// Nearer to the surface than this, and outside, CellParts looks for itself: its distances are rounded.
  static constexpr double margin = 1e-3;

  Vec3 corner_place(int n) const {
    Vec3 x = low_;
    for (int d = 0; d < dim; ++d) x[d] += n >> d & 1;
    return x;
  }
  bool is_inside(const Vec3& x) const { return (x - center_).squaredNorm() <= inside_; }
  bool is_outside(const Vec3& x) const { return (x - center_).squaredNorm() > outside_; }
  bool is_free(const Vec3& from, const Vec3& to) const {
    const Vec3 way = to - from;
    return is_outside(from + std::clamp((center_ - from).dot(way) / way.squaredNorm(), 0.0, 1.0) * way);
  }

  bool are_edges_free(const double* corner) const {
    for (int n = 0; n < CellParts<dim>::n_corners; ++n)
      for (int d = 0; d < dim; ++d) {
        const int next = n | 1 << d;
        if (next == n) continue;
        const double most = std::max(corner[n], corner[next]), least = std::min(corner[n], corner[next]);
        if (most <= 0.0) continue;
        if (least > 0.0) {
          if (least + most <= 1.0 && !is_free(corner_place(n), corner_place(next))) return false;
          continue;
        }
        if (most > 0.5) continue;
        // on its way in, a distance that is convex is nowhere less than in the middle
        const Vec3 middle = 0.5 * (corner_place(n) + corner_place(next));
        if (!is_inside(middle) && !is_outside(middle)) return false;
      }
    return true;
  }

  bool are_faces_free(const double* corner) const {
    if (dim == 2) return true;
    for (int d = 0; d < dim; ++d)
      for (const int side : {0, 1 << d}) {
        int highest = -1;
        Vec3 middle = Vec3::Zero();
        for (int n = 0; n < CellParts<dim>::n_corners; ++n) {
          if ((n & 1 << d) != side) continue;
          middle += 0.25 * corner_place(n);
          if (highest < 0 || corner[n] > corner[highest]) highest = n;
        }
        if (corner[highest] > CellParts<dim>::half_of_face || is_inside(middle)) continue;
        if (!is_outside(middle) || !is_free(corner_place(highest), middle)) return false;
      }
    return true;
  }

  const Vec3 center_;
  const Vec3 low_;                 ///< place of the cell's lowest corner
  const double inside_, outside_;  ///< squared distances from the centre up to and from which a place is surely so
};

}  // namespace freshet
