// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/free_surface/surface_distance.hpp"
#include "freshet/free_surface/surface_place.hpp"
#include "freshet/grid/kernels/outside_cells.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/grid/layout.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace freshet {

/// phi and labels of the cells of one block and one layer around it, for interpolation at any point of the block. Of
/// voxels phi is known nowhere.
template <class Block>
class PhiTile {
 public:
  /// \param[in] labels  ghosts valid to width 1
  PhiTile(const SurfacePlace& surface, const LabelField& labels, LocalIndex block)
      : is_known_(surface.is_between_centres()) {
    labels_.fill(labels, block);
    if (!is_known_) return;
    phi_.fill(surface.phi(), block);
    const BlockLayout& layout = labels.layout();
    const Domain& domain = layout.domain();
    const Vec3i first = layout.first_cell(block);
    for (int d = 0; d < Block::dim; ++d) {
      const bool begins = !domain.periodic(d) && first[d] == 0;
      const int n_inside = std::min(Block::n(d), domain.cells()[d] - first[d]);
      const bool ends = !domain.periodic(d) && first[d] + n_inside == domain.cells()[d];
      low_[d] = begins ? 0.5 : -0.5;
      high_[d] = n_inside + (ends ? -0.5 : 0.5);
    }
    fill_missing(layout, block);
  }

  /// phi [cells] and its gradient, multilinear between the centres of cells that are not solid. Between the last centre
  /// and a side of the domain, phi is that at the centre. In a plane of centres the gradient is the mean of both sides.
  /// Nothing where all surrounding cells are solid, and of voxels.
  /// \param[in] x  position relative to the block, inside it [cells]
  std::optional<double> at(const Vec3& x, Vec3& gradient) const {
    gradient.setZero();
    if (!is_known_) return std::nullopt;
    constexpr double rounding = 1e-9;  // distance from a plane of centres within which both sides count [cells]
    Vec3i first = Vec3i::Zero();
    Vec3 t = Vec3::Zero();
    for (int d = 0; d < Block::dim; ++d) {
      const double r = std::clamp(x[d], low_[d], high_[d]) - 0.5;
      first[d] = std::clamp(static_cast<int>(std::floor(r + rounding)), -1, Block::n(d) - 1);
      t[d] = std::max(r - first[d], 0.0);
      if (t[d] <= rounding) t[d] = 0.0;
    }
    const std::optional<double> value = between(first, t);
    if (!value) return value;
    for (int d = 0; d < Block::dim; ++d) {
      if (x[d] < low_[d] - rounding || x[d] > high_[d] + rounding) continue;
      gradient[d] = slope(first, t, d, *value);
      if (t[d] == 0.0) gradient[d] = 0.5 * (gradient[d] + slope(first - Vec3i::Unit(d), t, d, *value));
    }
    return value;
  }
  /// phi at a point. If everything around the point is solid, as at the centre of a solid cell, phi at the nearest
  /// place along `way` where this is not so; nothing if there is none. \param[in] x, way  relative to the block [cells]
  std::optional<double> near(const Vec3& x, const Vec3& way, Vec3& gradient) const {
    constexpr int parts = 4;
    std::optional<double> value;
    for (int n = 0; n <= parts && !value; ++n) value = at(x + way * n / parts, gradient);
    return value;
  }
  /// Whether a point is in the liquid: where phi < 0, as near() says, or of voxels in a cell of liquid.
  /// \param[in] cell  of the block, not solid if any beside the point is not
  bool is_liquid(const Vec3& x, const Vec3& way, const Vec3i& cell) const {
    if (!is_known_) return labels_(cell) == Label::liquid;
    Vec3 gradient;
    return near(x, way, gradient).value_or(1.0) < 0.0;
  }
  /// Part of the way from the centre of a liquid cell to that of another at which the surface lies; nothing if the
  /// other is not air, and of voxels.
  std::optional<double> surface_between(const Vec3i& cell, const Vec3i& other) const {
    if (!is_known_ || labels_(other) != Label::air) return std::nullopt;
    const double here = phi_(cell);
    return here / (here - phi_(other));
  }

 private:
  static constexpr int n_corners = 1 << Block::dim;  ///< corners of the cube between centres that starts at `first`

  /// Interpolate at t in that cube; nothing where all corners with a share are solid.
  std::optional<double> between(const Vec3i& first, const Vec3& t) const {
    double sum = 0.0, sum_of_shares = 0.0;
    for (int corner = 0; corner < n_corners; ++corner) {
      double share = 1.0;
      for (int d = 0; d < Block::dim; ++d) share *= is_up(corner, d) ? t[d] : 1.0 - t[d];
      const int cell = index(first, corner);
      if (labels_[cell] == Label::solid) continue;
      sum += share * phi_[cell];
      sum_of_shares += share;
    }
    constexpr double least = 1e-6;
    if (sum_of_shares < least) return std::nullopt;
    return sum / sum_of_shares;
  }
  /// Slope in that cube along axis d, at t on the other axes. \param[in] value  replaces phi in solids
  double slope(const Vec3i& first, const Vec3& t, int d, double value) const {
    double result = 0.0;
    for (int corner = 0; corner < n_corners; ++corner) {
      double share = is_up(corner, d) ? 1.0 : -1.0;
      for (int e = 0; e < Block::dim; ++e)
        if (e != d) share *= is_up(corner, e) ? t[e] : 1.0 - t[e];
      const int cell = index(first, corner);
      result += share * (labels_[cell] == Label::solid ? value : double{phi_[cell]});
    }
    return result;
  }
  static bool is_up(int corner, int axis) { return (corner >> axis & 1) != 0; }
  int index(const Vec3i& first, int corner) const {
    return phi_.extents.at(first[0] + (corner & 1), first[1] + (corner >> 1 & 1), first[2] + (corner >> 2 & 1));
  }
  /// Blocks of the domain that do not exist are air.
  void fill_missing(const BlockLayout& layout, LocalIndex block) {
    for_each_outside_cell<Block>(
        layout, block, 1, [](const Vec3i&) {},
        [this](const Vec3i& cell) {
          phi_[phi_.extents.at(cell)] = SurfaceDistance::farthest;
          labels_[labels_.extents.at(cell)] = Label::air;
        });
  }

  Tile<float, Block, 1> phi_;
  Tile<Label, Block, 1> labels_;
  Vec3 low_ = Vec3::Zero(), high_ = Vec3::Zero();  ///< range of interpolation by at() [cells]
  bool is_known_;
};

}  // namespace freshet
