// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/contracts.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/halo.hpp"

namespace freshet {

/// Where the surface between liquid and air lies: at phi = 0 of a level set or, for voxels, at the cells.
///
/// Voxels have p = 0 at the centres of the cells of air, so that theta is 1 (see SurfaceCondition), and liquid fills
/// its cells and no others. Nothing is known of where the surface lies within a cell: kernels get null pointers.
class SurfacePlace {
 public:
  SurfacePlace() = default;  ///< voxels
  /// \param[in] phi  < 0 in liquid cells [cells]; ghosts valid to width 1, readers refresh more where they need them
  SurfacePlace(CellField<float>& phi) : phi_(&phi) {}

  bool is_between_centres() const { return phi_ != nullptr; }
  /// \pre is_between_centres()
  CellField<float>& phi() const {
    FRESHET_EXPECT(phi_ != nullptr);
    return *phi_;
  }
  /// phi in the cells of a block [cells]; null for voxels.
  const float* phi(LocalIndex block) const { return phi_ != nullptr ? phi_->block(block) : nullptr; }
  bool is_bound_to(const BlockLayout& layout) const { return phi_ == nullptr || phi_->is_bound_to(layout); }
  /// Refresh the ghosts of phi to a width. Parallel: collective
  void refresh(int width) const {
    if (phi_ != nullptr) phi_->layout().halo().gather(*phi_, width);
  }

  /// The cells in which the liquid's volume is known: all, which null stands for, or of voxels the inner ones.
  const CellField<std::uint8_t>* cells_of_known_volume(const CellField<std::uint8_t>& inner) const {
    return phi_ != nullptr ? nullptr : &inner;
  }
  /// Part of a change of volume to make up for at once: all of it, or the given share of voxels, whose volume changes
  /// by whole cells.
  double part_of_change(double of_voxels) const { return phi_ != nullptr ? 1.0 : of_voxels; }

 private:
  CellField<float>* phi_ = nullptr;
};

}  // namespace freshet
