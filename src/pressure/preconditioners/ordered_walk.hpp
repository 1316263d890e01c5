// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/parallel_for.hpp"
#include "pressure/operator/unknowns.hpp"

#include <omp.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace freshet::pressure {

/// The neighbours with which a triangular sweep couples a block: low ones come before it in key order, high ones after
/// it. The background, which is all 0, replaces neighbours without coupling.
struct Links : StarSlots {
  bool is_cut = false;  ///< some couplings are left out
};

enum class Direction { up, down };

/// Visits the active blocks on several threads so that each comes after the blocks it is linked with below (or above).
///
/// Threads share aligned cubes of blocks. The cubes are listed by front (the longest chain of cubes below a cube); a
/// free thread takes the next cube of the list and waits for the up to three cubes below it. Every cube comes in the
/// list after those that it waits for, so that some thread always goes on. No barrier stops all threads after a front.
class OrderedWalk {
 public:
  /// \param[in] links  by owned block; set for active blocks; not kept
  void reset(const Unknowns& unknowns, const std::vector<Links>& links);
  /// Call f(block) for every active block. \pre f reads only other blocks that come before. Parallel: local; OpenMP
  template <class Function>
  void visit(Direction direction, Function&& f);

 private:
  struct Cube {
    LocalIndex begin, end;  ///< positions among the active blocks
    std::array<LocalIndex, 3> low{-1, -1, -1};
    std::array<LocalIndex, 3> high{-1, -1, -1};
    LocalIndex front = 0;
  };
  void gather_cubes();
  void link_cubes(const std::vector<Links>& links);
  void wait_for(LocalIndex cube) const;

  const Unknowns* unknowns_ = nullptr;
  std::vector<Cube> cubes_;                       ///< cubes in key order
  std::vector<LocalIndex> cube_of_;               ///< cube of each active block
  std::vector<LocalIndex> list_;                  ///< cubes by front; empty if sharing does not pay
  std::vector<std::atomic<std::uint32_t>> done_;  ///< by cube: number of the last sweep that visited it
  std::uint32_t sweep_ = 0;
};

inline void OrderedWalk::wait_for(LocalIndex cube) const {
  constexpr int patience = 100000;  // number of tests after which the other thread has probably lost its core
  if (cube < 0) return;
  const std::atomic<std::uint32_t>& done = done_[static_cast<std::size_t>(cube)];
  for (int n = 0; done.load(std::memory_order_acquire) != sweep_; ++n)
    if (n > patience) std::this_thread::yield();
}

template <class Function>
void OrderedWalk::visit(Direction direction, Function&& f) {
  const std::vector<LocalIndex>& blocks = unknowns_->active_blocks();
  const bool is_up = direction == Direction::up;
  const auto visit_positions = [&](LocalIndex begin, LocalIndex end) {
    for (LocalIndex n = begin; n < end; ++n)
      call_body(f, blocks[static_cast<std::size_t>(is_up ? n : begin + end - 1 - n)]);
  };
  if (list_.empty() || omp_get_max_threads() == 1) {
    visit_positions(0, unknowns_->n_active());
    return;
  }
  ++sweep_;
  std::atomic<std::size_t> next{0};
#pragma omp parallel
  for (std::size_t n = next++; n < list_.size(); n = next++) {
    const LocalIndex place = list_[is_up ? n : list_.size() - 1 - n];
    const Cube& cube = cubes_[static_cast<std::size_t>(place)];
    for (const LocalIndex before : is_up ? cube.low : cube.high) wait_for(before);
    visit_positions(cube.begin, cube.end);
    done_[static_cast<std::size_t>(place)].store(sweep_, std::memory_order_release);
  }
}

}  // namespace freshet::pressure
