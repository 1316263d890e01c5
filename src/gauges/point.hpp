// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/free_surface/phi_tile.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/domain_faces.hpp"
#include "freshet/grid/kernels/tile.hpp"
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

/// Whether a point is in the liquid, as PhiTile::is_liquid() says.
/// \param[in] phi  phi around the point's block \pre the block is on this rank
template <class Block>
bool is_in_liquid(const SurfacePoint& point, const PhiTile<Block>& phi) {
  return phi.is_liquid(point.x, point.beside.x - point.x, point.beside.cell);
}

}  // namespace freshet
