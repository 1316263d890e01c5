// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "pressure/operator/unknowns.hpp"

#include <petscvec.h>

#include <memory>
#include <vector>

/// PETSc vectors that lie on arrays of unknowns (see Unknowns): a vector's entries are the cells of the owned blocks,
/// and ghosts and the background stand behind them in memory.
///
/// PETSc's operations act on all cells of the owned blocks: where there is no unknown, 0 stays 0.
namespace freshet::pressure {

/// Makes such vectors, and keeps the memory of destroyed ones for the next. Must outlive its vectors and their
/// duplicates.
class BlockVecs {
 public:
  BlockVecs() = default;
  BlockVecs(const BlockVecs&) = delete;
  BlockVecs& operator=(const BlockVecs&) = delete;

  /// Tell which unknowns the vectors hold from now on. While the layout stays, so do all vectors; what they hold in
  /// rows with unknowns has no meaning, and all other rows become 0. With another layout
  /// they can only be destroyed. \param[in] unknowns  must outlive the vectors' use. Parallel: local
  void set_unknowns(const Unknowns& unknowns);
  const Unknowns& unknowns() const { return *unknowns_; }
  /// A vector of zeros; its duplicates are such vectors too. Collective.
  Vec create();
  /// A vector without memory, for VecPlaceArray() with an array of unknowns. Collective.
  Vec create_without_memory();

  using Buffer = TrackedVector<double, MemoryKind::pressure>;
  Buffer* take();
  void give_back(Buffer* buffer) { free_.push_back(buffer); }

 private:
  const Unknowns* unknowns_ = nullptr;
  std::uint64_t layout_id_ = 0;
  std::vector<std::uint64_t> active_rows_;  ///< by owned block: rows that may hold anything but 0
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<Buffer*> free_;  ///< those of them that no vector uses
};

}  // namespace freshet::pressure
