// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/core/types.hpp"
#include "freshet/grid/domain.hpp"
#include "freshet/grid/morton.hpp"
#include "freshet/grid/partition.hpp"
#include "freshet/parallel/communicator.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace freshet {

class Halo;

/// Index of a direction among the 27 of a block's neighbourhood; each component is -1, 0 or 1. 13 is the block itself.
constexpr int n_directions = 27;
constexpr int self_direction = 13;
constexpr int direction_index(int dx, int dy, int dz) {
  return (dx + 1) + 3 * (dy + 1) + 9 * (dz + 1);
}
inline Vec3i direction_offset(int direction) {
  return {direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1};
}
/// The directions of the blocks across a block's low and high face along an axis.
constexpr int low_direction(int axis) {
  return self_direction - (axis == 0 ? 1 : axis == 1 ? 3 : 9);
}
constexpr int high_direction(int axis) {
  return self_direction + (axis == 0 ? 1 : axis == 1 ? 3 : 9);
}

/// Keys of the blocks that one rank owns, out of those that the ranks together want to exist; ascending.
struct OwnedBlocks {
  std::vector<BlockKey> keys;
  GlobalIndex n_before = 0;  ///< number of blocks before those of rank 0; tests of large numbers set it
};
/// The blocks that this rank would own in a layout. Collective
/// \param[in] wanted  keys of blocks of any owner, in any order; repeats are allowed
OwnedBlocks owned_blocks(const Communicator& comm, const Splitters& splitters, std::vector<BlockKey> wanted);

/// A block of this rank beside blocks of another rank, or a ghost beside blocks of this rank.
struct BlockBorder {
  int rank = 0;                  ///< the other rank
  LocalIndex block = 0;          ///< local number of the block
  std::uint32_t directions = 0;  ///< directions from `block` to those blocks: bit direction_index is set
};

/// The blocks that exist, their owners and their neighbours: one immutable version of the sparse grid.
///
/// Local block numbers: owned blocks are 0 .. n_owned-1 in key order, ghost blocks n_owned .. n_blocks-1 in key order.
/// One shared background block, number background(), stands for all blocks that do not exist. Ghosts are the existing
/// blocks of other ranks among the 26 neighbours of owned ones. On a periodic axis one block wide a block is its own
/// neighbour. Only the splitters grow with the number of ranks.
class BlockLayout {
 public:
  /// \param[in] wanted  keys of blocks of any owner that shall exist, in any order; repeats are allowed. Collective
  BlockLayout(const Communicator& comm, const Domain& domain, const Splitters& splitters, std::vector<BlockKey> wanted);
  /// \param[in] owned  this rank's result of owned_blocks(). Collective
  BlockLayout(const Communicator& comm, const Domain& domain, const Splitters& splitters, const OwnedBlocks& owned);
  ~BlockLayout();
  BlockLayout(const BlockLayout&) = delete;
  BlockLayout& operator=(const BlockLayout&) = delete;

  /// A number that no other layout of the process has. It tells whether the grid has changed.
  std::uint64_t id() const { return id_; }
  const Communicator& comm() const { return comm_; }
  const Domain& domain() const { return domain_; }
  const Splitters& splitters() const { return splitters_; }

  LocalIndex n_owned() const { return n_owned_; }
  LocalIndex n_ghost() const { return static_cast<LocalIndex>(keys_.size()) - n_owned_; }
  LocalIndex n_blocks() const { return static_cast<LocalIndex>(keys_.size()); }  ///< owned + ghost
  LocalIndex background() const { return n_blocks(); }
  LocalIndex n_slots() const { return n_blocks() + 1; }  ///< owned + ghost + background
  GlobalIndex n_global() const { return n_global_; }     ///< number of blocks on all ranks
  GlobalIndex first_global() const {
    return first_global_;
  }  ///< number of the first owned block, in key order over ranks
  int cells_per_block() const { return cells_per_block_; }

  BlockKey key(LocalIndex block) const { return keys_[block]; }  ///< block: owned or ghost
  std::span<const BlockKey> owned_keys() const { return {keys_.data(), static_cast<std::size_t>(n_owned_)}; }
  /// Lattice coordinates of a block. Its cell (i,j,k) is cell coords*block_cells + (i,j,k) of the domain.
  Vec3i block_coords(LocalIndex block) const { return morton_block(keys_[block]); }
  Vec3i first_cell(LocalIndex block) const { return block_coords(block).cwiseProduct(domain_.block_cells()); }
  /// Local number of an owned or ghost block; background() if this rank does not know it.
  LocalIndex find(BlockKey key) const;
  LocalIndex find_owned(BlockKey key) const;
  /// Local numbers of the 27 blocks around an owned block, by direction_index; background() where none exists.
  const LocalIndex* neighbours(LocalIndex owned_block) const {
    return &neighbours_[27 * static_cast<std::size_t>(owned_block)];
  }
  /// Whether one of the 27 blocks around an owned block is a ghost.
  bool touches_ghosts(LocalIndex owned_block) const {
    const LocalIndex* const around = neighbours(owned_block);
    return std::any_of(around, around + n_directions,
                       [this](LocalIndex n) { return n >= n_owned() && n != background(); });
  }
  /// Whether one of the 27 blocks around an owned block does not exist.
  bool touches_background(LocalIndex owned_block) const {
    const LocalIndex* const around = neighbours(owned_block);
    return std::find(around, around + n_directions, background()) != around + n_directions;
  }
  /// Whether a neighbour position of an owned block lies outside the lattice, or the block or the next one extends
  /// beyond the domain's cells. Kernels then apply the conditions of the domain's faces.
  bool touches_boundary(LocalIndex owned_block) const { return touches_boundary_[owned_block] != 0; }

  int ghost_owner(LocalIndex ghost_block) const { return ghost_borders_[ghost_block - n_owned_].rank; }

  /// Owned blocks without a ghost beside them, and all other owned blocks.
  std::span<const LocalIndex> inner_blocks() const { return inner_blocks_; }
  std::span<const LocalIndex> outer_blocks() const { return outer_blocks_; }
  /// Owned blocks that other ranks have as ghosts, with the directions of these ranks' blocks; by rank, then by block.
  std::span<const BlockBorder> seen_blocks() const { return seen_blocks_; }
  /// Ghosts by number, each with its owner and the directions of this rank's blocks. Owners ascend.
  std::span<const BlockBorder> ghost_borders() const { return ghost_borders_; }

  /// The exchange of ghost cells. Its use is collective.
  const Halo& halo() const { return *halo_; }

 private:
  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }
  void find_ghosts();
  void link_neighbours();
  void find_borders();

  const std::uint64_t id_ = next_id();
  const Communicator& comm_;
  Domain domain_;
  Splitters splitters_;
  LocalIndex n_owned_ = 0;
  int cells_per_block_ = 0;
  GlobalIndex n_global_ = 0;
  GlobalIndex first_global_ = 0;
  TrackedVector<BlockKey, MemoryKind::layout> keys_;
  TrackedVector<LocalIndex, MemoryKind::layout> neighbours_;
  std::vector<std::uint8_t> touches_boundary_;
  std::vector<LocalIndex> inner_blocks_, outer_blocks_;
  std::vector<BlockBorder> seen_blocks_, ghost_borders_;
  std::unique_ptr<Halo> halo_;
};

}  // namespace freshet
