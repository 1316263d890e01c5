// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/layout.hpp"

#include <functional>
#include <span>

namespace freshet {

/// Waits for ghosts that are on their way; empty if they are there.
using GhostArrival = std::function<void()>;

/// parallel_for_blocks() over some blocks of a layout.
template <class Function>
void parallel_for_listed(std::span<const LocalIndex> blocks, Function&& f) {
  parallel_for_blocks(static_cast<LocalIndex>(blocks.size()),
                      [&](LocalIndex n) { f(blocks[static_cast<std::size_t>(n)]); });
}

/// parallel_for_blocks() over all owned blocks: those without a ghost beside them come first, while ghosts are on their
/// way.
template <class Function>
void parallel_for_inner_first(const BlockLayout& layout, const GhostArrival& arrival, Function&& f) {
  if (!arrival) return parallel_for_blocks(layout.n_owned(), f);
  parallel_for_listed(layout.inner_blocks(), f);
  arrival();
  parallel_for_listed(layout.outer_blocks(), f);
}

}  // namespace freshet
