// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/air/air_options.hpp"
#include "freshet/grid/domain.hpp"

#include <array>

namespace freshet {

/// The sides of the domain whose air belongs to the atmosphere.
struct AtmosphereSides {
  std::array<std::array<bool, 2>, 3> side{};  ///< by axis; [0] the low side, [1] the high one

  /// Open sides and, with Atmosphere::above, the side that gravity points away from most.
  AtmosphereSides(const Domain& domain, Atmosphere atmosphere, const Vec3& gravity);
};

}  // namespace freshet
