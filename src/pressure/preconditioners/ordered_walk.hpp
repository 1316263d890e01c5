// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pressure/operator/unknowns.hpp"

#include <omp.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace freshet::pressure {

/// Slots next to a block that a triangular sweep couples it with; the background, all 0, where it does not.
struct Links {
  std::array<LocalIndex, 3> low;   ///< before the block in key order
  std::array<LocalIndex, 3> high;  ///< after it
  bool is_cut;                     ///< some coupling is left out
};

enum class Direction { up, down };

/// Visits the active blocks so that each comes after those it is linked with below (or above), threads sharing them.
///
/// Each thread has its own list of aligned cubes of blocks, the same in every sweep, and waits only for the up to three
/// cubes before the next one: no barrier stops all threads after each front. As far as the order allows, the list holds
/// cubes of the stretch of the curve on which the thread also does everything else, so that they are in its cache.
class OrderedWalk {
 public:
  /// \param[in] links of each active block; only read here
  void reset(const Unknowns& unknowns, const std::vector<Links>& links);
  /// f(block) for every active block. \pre f reads of other blocks only those that come before. Parallel: local; OpenMP
  template <class Function>
  void visit(Direction direction, Function&& f);

 private:
  struct Cube {
    LocalIndex begin, end;  ///< positions among the active blocks
    std::array<LocalIndex, 3> low{-1, -1, -1};
    std::array<LocalIndex, 3> high{-1, -1, -1};
    LocalIndex front = 0;  ///< longest chain of lower cubes
  };
  void gather_cubes();
  void link_cubes(const std::vector<Links>& links);
  void plan(int n_threads);
  void wait_for(LocalIndex cube) const;

  const Unknowns* unknowns_ = nullptr;
  std::vector<Cube> cubes_;                       ///< in key order
  std::vector<LocalIndex> cube_of_;               ///< of each owned block
  int n_planned_ = 0;                             ///< threads the lists are for
  std::vector<std::vector<LocalIndex>> lists_;    ///< cubes by thread, upwards; none where sharing does not pay
  std::vector<std::atomic<std::uint32_t>> done_;  ///< by cube: the last sweep that has been there
  std::uint32_t sweep_ = 0;
};

inline void OrderedWalk::wait_for(LocalIndex cube) const {
  constexpr int patience = 100000;  // looks, some 50 us; by then the other thread has lost its core, maybe to this one
  if (cube < 0) return;
  const std::atomic<std::uint32_t>& done = done_[static_cast<std::size_t>(cube)];
  for (int looks = 0; done.load(std::memory_order_acquire) != sweep_; ++looks)
    if (looks > patience) std::this_thread::yield();
}

template <class Function>
void OrderedWalk::visit(Direction direction, Function&& f) {
  if (n_planned_ != omp_get_max_threads()) plan(omp_get_max_threads());
  const std::vector<LocalIndex>& blocks = unknowns_->active_blocks();
  const bool is_up = direction == Direction::up;
  const auto visit_positions = [&](LocalIndex begin, LocalIndex end) {
    for (LocalIndex n = begin; n < end; ++n) f(blocks[static_cast<std::size_t>(is_up ? n : begin + end - 1 - n)]);
  };
  if (lists_.empty()) {
    visit_positions(0, unknowns_->n_active());
    return;
  }
  ++sweep_;
#pragma omp parallel
  {
    const bool all_here = omp_get_num_threads() == n_planned_;
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    if (!all_here && thread == 0) visit_positions(0, unknowns_->n_active());
    const std::size_t n_own = all_here ? lists_[thread].size() : 0;
    for (std::size_t n = 0; n < n_own; ++n) {
      const LocalIndex place = lists_[thread][is_up ? n : n_own - 1 - n];
      const Cube& cube = cubes_[static_cast<std::size_t>(place)];
      for (const LocalIndex before : is_up ? cube.low : cube.high) wait_for(before);
      visit_positions(cube.begin, cube.end);
      done_[static_cast<std::size_t>(place)].store(sweep_, std::memory_order_release);
    }
  }
}

}  // namespace freshet::pressure
