// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/free_surface/surface_distance.hpp"
#include "freshet/free_surface/surface_place.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/domain_faces.hpp"
#include "freshet/solids/solids.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace freshet {

/// A point in an owned block.
struct PointInBlock {
  LocalIndex block = -1;  ///< owned block; negative: the point is not on this rank
  Vec3i cell{0, 0, 0};    ///< cell in the block
  Vec3 x{0.0, 0.0, 0.0};  ///< relative to the block [cells]
};

/// Find the cell of a point in the domain. A point on a high side, or beyond a side by at most side_tolerance, belongs
/// to the cell beside that side; beyond a periodic side, to the cell at the other end. Local
PointInBlock find_point(const BlockLayout& layout, const Vec3& x);

/// Label and pressure of the cells of one block and one layer around it.
template <class Block>
class PressureTile {
 public:
  PressureTile(const CellField<double>& pressure, const LabelField& labels, LocalIndex block)
      : pressure_(pressure, block), labels_(labels, block) {}
  bool is_liquid(int i, int j, int k) const { return labels_(i, j, k) == Label::liquid; }
  double operator()(int i, int j, int k) const { return pressure_(i, j, k); }
  /// dp/dx at a liquid cell along an axis, from the liquid cells beside it, times the cell size. [Pa]
  ///
  /// Liquid on one side alone gives a one-sided difference. Without liquid on either side, air counts as pressure 0. A
  /// cell behind a closed face counts as solid. \param[in] closed  parts of the cell's low and high face along the axis
  double slope(const Vec3i& cell, int axis, const double (&closed)[2]) const {
    Vec3i low = cell, high = cell;
    --low[axis];
    ++high[axis];
    const Label at_low = closed[0] < 1.0 ? labels_(low) : Label::solid;
    const Label at_high = closed[1] < 1.0 ? labels_(high) : Label::solid;
    const bool from_low = at_low == Label::liquid, from_high = at_high == Label::liquid;
    if (from_low && from_high) return 0.5 * (pressure_(high) - pressure_(low));
    if (from_low) return pressure_(cell) - pressure_(low);
    if (from_high) return pressure_(high) - pressure_(cell);
    return pressure_(cell) * ((at_low == Label::air ? 1.0 : 0.0) - (at_high == Label::air ? 1.0 : 0.0));
  }

 private:
  Tile<double, Block, 1> pressure_;
  Tile<Label, Block, 1> labels_;
};

/// phi of the cells of one block and one layer around it, for interpolation at any point of the block. Of voxels it is
/// not known.
template <class Block>
class PhiTile {
 public:
  /// \param[in] labels  ghosts valid to width 1
  PhiTile(const SurfacePlace& surface, const LabelField& labels, LocalIndex block)
      : is_known_(surface.is_between_centres()) {
    if (!is_known_) return;
    phi_.fill(surface.phi(), block);
    labels_.fill(labels, block);
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

  bool is_known() const { return is_known_; }

  /// phi [cells] and its gradient, multilinear between the centres of cells that are not solid. Between the last centre
  /// and a side of the domain, phi is that at the centre. In a plane of centres the gradient is the mean of both sides.
  /// Nothing where all surrounding cells are solid. \pre is_known()
  /// \param[in] x  position relative to the block, inside it [cells]
  std::optional<double> at(const Vec3& x, Vec3& gradient) const {
    constexpr double rounding = 1e-9;  // distance from a plane of centres within which both sides count [cells]
    Vec3i first = Vec3i::Zero();
    Vec3 t = Vec3::Zero();
    for (int d = 0; d < Block::dim; ++d) {
      const double r = std::clamp(x[d], low_[d], high_[d]) - 0.5;
      first[d] = std::clamp(static_cast<int>(std::floor(r + rounding)), -1, Block::n(d) - 1);
      t[d] = std::max(r - first[d], 0.0);
      if (t[d] <= rounding) t[d] = 0.0;
    }
    gradient.setZero();
    const std::optional<double> value = between(first, t);
    if (!value) return value;
    for (int d = 0; d < Block::dim; ++d) {
      if (x[d] < low_[d] - rounding || x[d] > high_[d] + rounding) continue;
      gradient[d] = slope(first, t, d, *value);
      if (t[d] == 0.0) gradient[d] = 0.5 * (gradient[d] + slope(first - Vec3i::Unit(d), t, d, *value));
    }
    return value;
  }
  double of_cell(int i, int j, int k) const { return phi_(i, j, k); }
  Label label(int i, int j, int k) const { return labels_(i, j, k); }

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
    const LocalIndex* neighbours = layout.neighbours(block);
    const auto side = [](int i, int n) { return i < 0 ? -1 : i >= n ? 1 : 0; };
    const int deep = Block::dim == 3 ? 1 : 0;
    for (int k = -deep; k < Block::nz + deep; ++k)
      for (int j = -1; j <= Block::ny; ++j)
        for (int i = -1; i <= Block::nx; ++i) {
          const int direction = direction_index(side(i, Block::nx), side(j, Block::ny), side(k, Block::nz));
          if (neighbours[direction] != layout.background()) continue;
          const Vec3i cell = layout.domain().wrap_cell(layout.first_cell(block) + Vec3i(i, j, k));
          if (!layout.domain().contains_cell(cell)) continue;
          phi_[phi_.extents.at(i, j, k)] = SurfaceDistance::farthest;
          labels_[labels_.extents.at(i, j, k)] = Label::air;
        }
  }

  Tile<float, Block, 1> phi_;
  Tile<Label, Block, 1> labels_;
  Vec3 low_ = Vec3::Zero(), high_ = Vec3::Zero();  ///< range of interpolation by at() [cells]
  bool is_known_;
};

/// Find the body nearest to a point. \param[out] distance  signed [m]; infinite without bodies
int nearest_body_to(const SolidFields& solids, const Vec3& x, double& distance);

/// Unit normal into the liquid of the surface of a solid or a wall on which a point lies within half a cell; 0 if it
/// lies on none. \param[in] solid  body of the point, however far away it is; -1: the nearest one
Vec3 normal_at(const SolidFields& solids, const Domain& domain, const Vec3& x, int solid);

/// Move a point that lies at most half a cell inside a body to the nearest point of its surface; other points stay.
Vec3 out_of_body(const SolidFields& solids, const Domain& domain, const Vec3& x);

/// Format a position: "(0.5, 0, 0.3) m".
std::string place_text(const Vec3& x);
/// Format a position, with the solid or the wall that it lies on or in, within half a cell, if any.
std::string surroundings_text(const SolidFields& solids, const Domain& domain, const Vec3& x);
/// Name a side of the domain: "x_low", "x_high", ...
std::string side_text(int axis, int side);
/// "dry", "wet", or the wet part as text.
std::string wet_text(double share);

/// A point that may lie on a surface, and the cell on the liquid's side of it.
struct SurfacePoint {
  PointInBlock beside;    ///< place half a cell or more along the normal from the point
  Vec3 x{0.0, 0.0, 0.0};  ///< the point, relative to the block of `beside` [cells]
};
/// Find the cell beside a point: the first one without solid, starting half a cell along the normal. Half a cell is not
/// always enough for bodies of whole cells: their surface may lie at a cell's centre or be oblique to the grid.
///
/// Without a normal it is the cell of the point or, if a solid fills that cell, the first one outside the nearest body.
/// If all candidates are solid, it is the nearest one.
/// \param[in] x  [m] \param[in] normal  from normal_at(); may be 0
SurfacePoint find_surface_point(const SolidFields& solids, const BlockLayout& layout, const Vec3& x,
                                const Vec3& normal);

/// phi at a point. If everything around the point is solid, as at the centre of a solid cell, phi at the nearest place
/// along `way` where this is not so; nothing if there is none. \param[in] x, way  relative to the block [cells]
template <class Block>
std::optional<double> phi_at_surface(const PhiTile<Block>& phi, const Vec3& x, const Vec3& way, Vec3& slope) {
  constexpr int parts = 4;
  std::optional<double> value;
  for (int n = 0; n <= parts && !value; ++n) value = phi.at(x + way * n / parts, slope);
  return value;
}

/// Whether a point is in the liquid: where phi < 0 if there is a level set, otherwise in a cell of liquid.
/// \param[in] phi  phi around the point's block \pre the block is on this rank
template <class Block>
bool is_in_liquid(const SurfacePoint& point, const PhiTile<Block>& phi, const LabelField& labels) {
  Vec3 slope;
  if (phi.is_known()) return phi_at_surface(phi, point.x, point.beside.x - point.x, slope).value_or(1.0) < 0.0;
  const Vec3i& cell = point.beside.cell;
  return labels.block(point.beside.block)[Block::cell(cell)] == Label::liquid;
}

}  // namespace freshet
