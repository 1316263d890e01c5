// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/domain.hpp"
#include "freshet/grid/morton.hpp"

#include <array>
#include <optional>

namespace freshet {

/// Where a particle stands: its block, and the place in it.
struct Place {
  BlockKey key = 0;
  std::array<ParticleReal, 3> position{};  ///< relative to the block [cells]
};

/// Block and place in it of a world position [m]; none outside the domain. Periodic axes have no outside: x is brought
/// into the domain. In 2-D it is brought into the middle plane.
std::optional<Place> locate(const Domain& domain, Vec3& x);

}  // namespace freshet
