// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/solids.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/padded.hpp"

#include <vector>

namespace freshet {

/// A point in an owned block.
struct PointInBlock {
  LocalIndex block = -1;  ///< negative: not on this rank
  Vec3i cell{0, 0, 0};    ///< in the block
  Vec3 x{0.0, 0.0, 0.0};  ///< relative to the block [cells]
};

/// Where a point of the domain lies; points on a high side of the domain belong to the last cell. Local
PointInBlock find_point(const BlockLayout& layout, const Vec3& x);

/// Label and pressure of the cells of one block and one layer around it.
template <class Block>
class PressureAround {
 public:
  PressureAround(const CellField<double>& pressure, const LabelField& labels, LocalIndex block) : extents_(1) {
    fill_padded(pressure, block, extents_, pressure_);
    fill_padded(labels, block, extents_, labels_);
  }
  bool is_liquid(int i, int j, int k) const { return labels_[extents_.at(i, j, k)] == Label::liquid; }
  double operator()(int i, int j, int k) const { return pressure_[extents_.at(i, j, k)]; }
  /// dp/dx along an axis from the liquid cells beside a liquid cell, times the cell size. [Pa]
  ///
  /// Liquid on one side alone gives a one-sided difference. Without liquid beside it, air counts as pressure 0.
  double slope(const Vec3i& cell, int axis) const {
    Vec3i low = cell, high = cell;
    --low[axis];
    ++high[axis];
    const int a = at(low), b = at(high), here = at(cell);
    const bool from_low = labels_[a] == Label::liquid, from_high = labels_[b] == Label::liquid;
    if (from_low && from_high) return 0.5 * (pressure_[b] - pressure_[a]);
    if (from_low) return pressure_[here] - pressure_[a];
    if (from_high) return pressure_[b] - pressure_[here];
    return pressure_[here] * ((labels_[a] == Label::air ? 1.0 : 0.0) - (labels_[b] == Label::air ? 1.0 : 0.0));
  }

 private:
  int at(const Vec3i& cell) const { return extents_.at(cell.x(), cell.y(), cell.z()); }
  static constexpr int size = (Block::nx + 2) * (Block::ny + 2) * (Block::dim == 3 ? Block::nz + 2 : 1);
  PaddedExtents<Block> extents_;
  double pressure_[size];
  Label labels_[size];
};

/// The velocity around one block, with its values beyond the domain's sides.
template <class Block>
std::vector<double> velocity_around(const FaceField<double>& velocity, LocalIndex block,
                                    const PaddedExtents<Block>& extents) {
  const BlockLayout& layout = velocity.layout();
  std::vector<double> values(static_cast<std::size_t>(Block::dim * extents.size()));
  for (int d = 0; d < Block::dim; ++d) {
    double* component = values.data() + d * extents.size();
    fill_padded(velocity[d], block, extents, component);
    if (layout.touches_boundary(block))
      apply_domain_faces(layout.domain(), layout.first_cell(block), d, extents, component);
  }
  return values;
}

/// The nearest of the bodies to a point. \param[out] distance  signed [m]; infinite without bodies
int nearest_body_to(const SolidFields& solids, const Vec3& x, double& distance);

}  // namespace freshet
