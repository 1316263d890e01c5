// SPDX-License-Identifier: Apache-2.0
#include "pressure/preconditioners/ordered_walk.hpp"

#include <algorithm>
#include <numeric>

namespace freshet::pressure {
namespace {

/// Keys that differ only in these lowest bits share a cube: 2^3 blocks, or 8^2 in 2-D, of 4096 cells.
constexpr int cube_bits(int dimension) {
  return dimension == 3 ? 3 : 9;
}

}  // namespace

void OrderedWalk::reset(const Unknowns& unknowns, const std::vector<Links>& links) {
  unknowns_ = &unknowns;
  gather_cubes();
  link_cubes(links);
  LocalIndex n_fronts = 0;
  for (const Cube& cube : cubes_) n_fronts = std::max(n_fronts, cube.front + 1);
  list_.clear();
  sweep_ = 0;
  done_ = std::vector<std::atomic<std::uint32_t>>(cubes_.size());
  if (static_cast<LocalIndex>(cubes_.size()) < 2 * n_fronts) return;  // fronts are too narrow to share
  list_.resize(cubes_.size());
  std::iota(list_.begin(), list_.end(), LocalIndex{0});
  std::stable_sort(list_.begin(), list_.end(),
                   [this](LocalIndex a, LocalIndex b) { return cubes_[a].front < cubes_[b].front; });
}

void OrderedWalk::gather_cubes() {
  const BlockLayout& layout = unknowns_->layout();
  const int bits = cube_bits(layout.domain().dimension());
  const std::vector<LocalIndex>& blocks = unknowns_->active_blocks();
  cubes_.clear();
  cube_of_.resize(static_cast<std::size_t>(layout.n_owned()));
  for (LocalIndex n = 0; n < unknowns_->n_active(); ++n) {
    const bool is_first = n == 0 || layout.key(blocks[n]) >> bits != layout.key(blocks[n - 1]) >> bits;
    if (is_first) cubes_.push_back({n, n});
    ++cubes_.back().end;
    cube_of_[blocks[n]] = static_cast<LocalIndex>(cubes_.size()) - 1;
  }
}

void OrderedWalk::link_cubes(const std::vector<Links>& links) {
  const LocalIndex background = unknowns_->layout().background();
  for (const LocalIndex block : unknowns_->active_blocks())
    for (int d = 0; d < 3; ++d) {
      const LocalIndex low = links[block].low[d];
      if (low == background || cube_of_[low] == cube_of_[block]) continue;
      Cube& here = cubes_[cube_of_[block]];
      Cube& below = cubes_[cube_of_[low]];
      here.low[d] = cube_of_[low];
      below.high[d] = cube_of_[block];
      here.front = std::max(here.front, below.front + 1);  // `below` comes earlier in key order: its front is known
    }
}

}  // namespace freshet::pressure
