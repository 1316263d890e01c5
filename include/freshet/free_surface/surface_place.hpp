// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/contracts.hpp"
#include "freshet/grid/field.hpp"

namespace freshet {

/// Where the surface between liquid and air lies: at phi = 0 of a level set or, for voxels, at the cells.
///
/// Voxels have p = 0 at the centres of the cells of air, so that theta is 1 (see SurfaceCondition), and liquid fills
/// its cells and no others.
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

 private:
  CellField<float>* phi_ = nullptr;
};

}  // namespace freshet
