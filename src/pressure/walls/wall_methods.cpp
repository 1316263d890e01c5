// SPDX-License-Identifier: Apache-2.0
// The table of the wall methods: pressure.walls.method.
#include "freshet/core/contracts.hpp"
#include "pressure/walls/projection_implementation.hpp"

#include <algorithm>
#include <array>

namespace freshet {

const Projection::Implementation::WallModel& Projection::Implementation::model_of(WallMethod method) {
  using Self = Projection::Implementation;
  static constexpr std::array<WallModel, 5> models{{
      {WallMethod::complementarity, false, true, &Self::complementarity},
      {WallMethod::cg, false, false, &Self::original_separating},
      {WallMethod::admm, true, false, &Self::admm},
      {WallMethod::iop, true, false, &Self::iop},
      {WallMethod::iop_bc, false, false, &Self::iop_bc},
  }};
  const auto* const found = std::ranges::find(models, method, &WallModel::method);
  FRESHET_EXPECT(found != models.end());
  return *found;
}

bool Projection::treats_all_walls(WallMethod method) {
  return Implementation::model_of(method).treats_all;
}

}  // namespace freshet
