// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape.hpp"
#include "freshet/grid/domain.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace freshet {

/// Cells inside the domain that are open to the atmosphere, as sinks are: the same on all ranks.
class Vents {
 public:
  /// The cells of a block, a word for each layer along z, 8 bits for each row along x.
  using Bits = std::array<std::uint64_t, 8>;
  struct Block {
    Vec3i place;  ///< block coordinates
    Bits bits;    ///< cells whose centres lie inside a shape
  };

  Vents() = default;
  /// \param[in] shapes  regions that do not move. Parallel: local
  Vents(const Domain& domain, std::span<const std::shared_ptr<const Shape>> shapes);

  /// Whether any of some cells of a block is a vent. \param[in] place  block coordinates
  bool reach(const Vec3i& place, const Bits& cells) const;
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  std::vector<Block> blocks_;
};

}  // namespace freshet
