// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/layout.hpp"

#include <functional>
#include <span>

namespace freshet {

/// Waits for ghosts that are under way; empty if they have arrived.
using GhostArrival = std::function<void()>;

/// Call f(block) for the listed blocks, as parallel_for_blocks() does.
template <class Function>
void parallel_for_listed(std::span<const LocalIndex> blocks, Function&& f) {
  parallel_for_blocks(static_cast<LocalIndex>(blocks.size()),
                      [&](LocalIndex n) { f(blocks[static_cast<std::size_t>(n)]); });
}

/// Call f(block) for all owned blocks, as parallel_for_blocks() does. While ghosts are under way, blocks without a
/// ghost beside them come first.
template <class Function>
void parallel_for_inner_first(const BlockLayout& layout, const GhostArrival& arrival, Function&& f) {
  if (!arrival) return parallel_for_blocks(layout.n_owned(), f);
  parallel_for_listed(layout.inner_blocks(), f);
  arrival();
  parallel_for_listed(layout.outer_blocks(), f);
}

}  // namespace freshet
