// SPDX-License-Identifier: Apache-2.0
#include "freshet/air/atmosphere_sides.hpp"

#include <cmath>
#include <utility>

namespace freshet {

AtmosphereSides::AtmosphereSides(const Domain& domain, Atmosphere atmosphere, const Vec3& gravity, Vents inside)
    : vents(std::move(inside)) {
  int upright = 0;
  for (int d = 0; d < domain.dimension(); ++d) {
    for (int s = 0; s < 2; ++s) side[d][s] = domain.condition(d, s) == FaceCondition::open;
    if (std::abs(gravity[d]) > std::abs(gravity[upright])) upright = d;
  }
  if (atmosphere == Atmosphere::above && gravity[upright] != 0.0 && !domain.periodic(upright))
    side[upright][gravity[upright] < 0.0 ? 1 : 0] = true;
}

}  // namespace freshet
