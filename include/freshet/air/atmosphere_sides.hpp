// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/air/air_options.hpp"
#include "freshet/air/vents.hpp"
#include "freshet/grid/domain.hpp"

#include <array>

namespace freshet {

/// The sides of the domain, and the cells in it, whose air belongs to the atmosphere.
struct AtmosphereSides {
  std::array<std::array<bool, 2>, 3> side{};  ///< by axis; [0] the low side, [1] the high one

  Vents vents;

  /// Open sides and, with Atmosphere::above, the side that gravity points away from most.
  AtmosphereSides(const Domain& domain, Atmosphere atmosphere, const Vec3& gravity, Vents inside = {});
};

}  // namespace freshet
