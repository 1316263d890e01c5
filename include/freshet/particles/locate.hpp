// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/domain.hpp"
#include "freshet/grid/morton.hpp"

#include <array>
#include <optional>

namespace freshet {

/// The place of a particle: its block and its position in the block.
struct Place {
  BlockKey key = 0;
  std::array<ParticleReal, 3> position{};  ///< relative to the block [cells]
};

/// The block of a world position x [m], and the position in that block; nothing outside the domain. On periodic axes x
/// is shifted into the domain first. In 2-D x is moved into the middle plane.
std::optional<Place> locate(const Domain& domain, Vec3& x);

}  // namespace freshet
