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
      : at_(center - low), inside_(radius * radius), outside_((radius + margin) * (radius + margin)) {
    for (int d = 0; d < 3; ++d)
      for (int n = 0; n < 3; ++n) square_[d][n] = (0.5 * n - at_[d]) * (0.5 * n - at_[d]);
    if (dim == 2) square_[2][1] = square_[2][2] = square_[2][0];
  }

  /// Whether CellParts::may_be_cut() is surely false. \param[in] corner  distances at the cell's corners, x fastest
  bool leaves_whole(const double* corner) const {
    return CellParts<dim>::are_joined(corner) && are_edges_free(corner) && are_faces_free(corner);
  }

 private:
  /// Nearer to the surface than this, and outside, CellParts looks for itself: its distances are rounded.
  static constexpr double margin = 1e-3;

  /// The square of the distance of a corner from the centre across an axis, or across two in 2-D.
  double across(int n, int axis) const {
    double sum = dim == 2 ? square_[2][0] : 0.0;
    for (int d = 0; d < dim; ++d)
      if (d != axis) sum += square_[d][2 * (n >> d & 1)];
    return sum;
  }
  double nearest_along(int axis) const {
    const double beyond = at_[axis] - std::clamp(at_[axis], 0.0, 1.0);
    return beyond * beyond;
  }

  bool are_edges_free(const double* corner) const {
    for (int n = 0; n < CellParts<dim>::n_corners; ++n)
      for (int d = 0; d < dim; ++d) {
        const int next = n | 1 << d;
        if (next == n) continue;
        const double most = std::max(corner[n], corner[next]), least = std::min(corner[n], corner[next]);
        if (most <= 0.0) continue;
        if (least > 0.0) {
          if (least + most <= 1.0 && across(n, d) + nearest_along(d) <= outside_) return false;
          continue;
        }
        if (most > 0.5) continue;
        // on its way in, a distance that is convex is nowhere less than in the middle
        const double middle = across(n, d) + square_[d][1];
        if (middle > inside_ && middle <= outside_) return false;
      }
    return true;
  }

  bool are_faces_free(const double* corner) const {
    if (dim == 2) return true;
    for (int d = 0; d < dim; ++d) {
      const int p = d == 0 ? 1 : 0, q = d == 2 ? 1 : 2;
      for (const int side : {0, 1 << d}) {
        const int around[4] = {side, side | 1 << p, side | 1 << q, side | 1 << p | 1 << q};
        int highest = around[0];
        for (const int n : around)
          if (corner[n] > corner[highest]) highest = n;
        if (corner[highest] > CellParts<dim>::half_of_face) continue;
        const double off = square_[d][side == 0 ? 0 : 2];
        const double middle = off + square_[p][1] + square_[q][1];
        if (middle <= inside_) continue;
        if (middle <= outside_) return false;
        // the way from that corner to the middle
        const double from_p = highest >> p & 1, from_q = highest >> q & 1;
        const double way_p = 0.5 - from_p, way_q = 0.5 - from_q;
        const double part = std::clamp(
            ((at_[p] - from_p) * way_p + (at_[q] - from_q) * way_q) / (way_p * way_p + way_q * way_q), 0.0, 1.0);
        const double to_p = from_p + part * way_p - at_[p], to_q = from_q + part * way_q - at_[q];
        if (off + to_p * to_p + to_q * to_q <= outside_) return false;
      }
    }
    return true;
  }

  const Vec3 at_;                  ///< the ball's centre, from the cell's lowest corner
  const double inside_, outside_;  ///< squared distance from the centre: places nearer than the first lie inside,
                                   ///< beyond the second outside
  double square_[3][3];            ///< squared distances along each axis from the centre to the cell's ends and middle
};

}  // namespace freshet
