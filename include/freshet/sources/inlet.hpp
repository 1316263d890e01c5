// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape.hpp"
#include "freshet/grid/domain.hpp"

#include <array>
#include <memory>
#include <vector>

namespace freshet {

/// The upstream side of a shape, seen along a direction: the points where parallel rays first meet the shape inside the
/// domain and outside solids.
///
/// Entry points follow the R2 sequence (Roberts 2018: the additive recurrence of the plastic number; of the golden
/// ratio in 2-D). Any run of consecutive entry points therefore covers the cross-section evenly.
class Inlet {
 public:
  /// \param[in] direction  unit vector
  /// Errors: InputError if no ray meets the shape, or if it has no bounds
  Inlet(const Domain& domain, const Shape& shape, const std::vector<std::shared_ptr<const Shape>>& solids,
        const Vec3& direction);

  double area() const { return area_; }  ///< area of the cross-section; in 2-D its length times the cell size [m^2]
  const Vec3& direction() const { return direction_; }
  /// Entry point of particle n of the source. [m]
  const Vec3& point(std::int64_t n) const { return points_[static_cast<std::size_t>(n) % points_.size()]; }
  std::array<Vec3, 2> across() const { return across_; }  ///< unit vectors of the cross-section; the second is 0 in 2-D

  /// A cell at the inlet, and the share of the volume that crosses its upstream face normal to each axis.
  struct Cell {
    Vec3i cell;
    Vec3 share;
  };
  const std::vector<Cell>& cells() const { return cells_; }
  const Box& bounds() const { return bounds_; }  ///< box around the entry points [m]
  const std::vector<std::size_t>& solids() const {
    return solids_;
  }  ///< numbers of the solids that the inlet lies on, ascending

 private:
  Vec3 direction_;
  std::array<Vec3, 2> across_;
  double area_ = 0.0;
  std::vector<Vec3> points_;
  std::vector<Cell> cells_;
  Box bounds_;
  std::vector<std::size_t> solids_;
};

}  // namespace freshet
