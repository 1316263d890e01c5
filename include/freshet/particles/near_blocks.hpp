// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/border_exchange.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/particles/particle_store.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace freshet {

/// Marks the blocks of a layout that are near particles, step after step.
///
/// Which cells hold particles is read off their sorted order, and each rank tells its neighbours, by a word for each
/// block, into which directions the band around the particles of a block reaches.
class NearBlocks {
 public:
  /// Mark the owned blocks that hold a cell within `band` cells of a particle's cell: those of blocks_near_particles()
  /// that exist.
  ///
  /// \param[in] particles  in the sorted state of the layout
  /// \param[in] band  number of cells, from 0 to 8
  /// Parallel: collective, one exchange; OpenMP
  void find(const ParticleStore& particles, const BlockLayout& layout, int band);
  /// 1 or 0 by owned block.
  std::span<const std::uint8_t> marks() const { return near_; }

 private:
  std::uint64_t layout_id_ = 0;               ///< id() of the layout of exchange_; 0: none
  std::unique_ptr<BorderExchange> exchange_;  ///< exchange of one word for each block
  std::vector<std::uint32_t> reached_;        ///< by block, owned and ghost: bit direction_index() if it is reached
  std::vector<std::uint8_t> near_;            ///< by owned block
};

}  // namespace freshet
