// SPDX-License-Identifier: Apache-2.0
#include "pressure/preconditioners/ordered_walk.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace freshet::pressure {
namespace {

/// Keys that differ only in these bits share a cube: 2^3 blocks or 8^2, 4096 cells, some 10 us of work.
constexpr int cube_bits(int dimension) {
  return dimension == 3 ? 3 : 9;
}

/// A sweep played through in advance: who works on what until when.
class Play {
 public:
  Play(int n_threads, LocalIndex n_cubes) : free_at_(static_cast<std::size_t>(n_threads), 0), ready_(free_at_.size()) {
    finished_.reserve(static_cast<std::size_t>(n_cubes));
  }
  /// A cube of that thread's stretch can be worked on from now on.
  void offer(int home, LocalIndex front, LocalIndex cube) {
    ready_[static_cast<std::size_t>(home)].push({front, cube});
  }
  int next_free() const {
    return static_cast<int>(std::min_element(free_at_.begin(), free_at_.end()) - free_at_.begin());
  }
  /// Cubes whose work has ended when the thread is free, each told once.
  const std::vector<LocalIndex>& finished_by_now(int thread) {
    finished_.clear();
    while (!under_way_.empty() && under_way_.top().first <= free_at_[static_cast<std::size_t>(thread)]) {
      finished_.push_back(under_way_.top().second);
      under_way_.pop();
    }
    return finished_;
  }
  /// A cube for a free thread, or -1: the thread then waits for the next one to be finished.
  LocalIndex take(int thread) {
    auto source = ready_.begin() + thread;
    if (source->empty()) {
      source = std::max_element(ready_.begin(), ready_.end(),
                                [](const Queue& a, const Queue& b) { return a.size() < b.size(); });
    }
    if (source->empty()) {
      free_at_[static_cast<std::size_t>(thread)] = under_way_.top().first;
      return -1;
    }
    const LocalIndex cube = source->top().second;
    source->pop();
    return cube;
  }
  void work(int thread, LocalIndex cube, LocalIndex cost) {
    under_way_.push({free_at_[static_cast<std::size_t>(thread)] += cost, cube});
  }

 private:
  using Entry = std::pair<LocalIndex, LocalIndex>;
  using Queue = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;
  std::vector<LocalIndex> free_at_;
  std::vector<Queue> ready_;  ///< (front, cube) by home
  Queue under_way_;           ///< (end, cube)
  std::vector<LocalIndex> finished_;
};

}  // namespace

void OrderedWalk::reset(const Unknowns& unknowns, const std::vector<Links>& links) {
  unknowns_ = &unknowns;
  gather_cubes();
  link_cubes(links);
  n_planned_ = 0;
  done_ = std::vector<std::atomic<std::uint32_t>>(cubes_.size());
  sweep_ = 0;
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
      here.front = std::max(here.front, below.front + 1);  // `below` stands earlier in key order: its front is known
    }
}

/// Share the cubes among threads by playing the sweep through: whoever is free first takes a cube whose lower ones are
/// done, from its own stretch of the curve if there is one, else from another's; the one on the lowest front.
void OrderedWalk::plan(int n_threads) {
  n_planned_ = n_threads;
  lists_.clear();
  const auto n_cubes = static_cast<LocalIndex>(cubes_.size());
  LocalIndex n_fronts = 0;
  for (const Cube& cube : cubes_) n_fronts = std::max(n_fronts, cube.front + 1);
  if (n_threads == 1 || n_cubes < 2 * n_fronts) return;  // too narrow to share
  Play play(n_threads, n_cubes);
  const auto home = [&](LocalIndex cube) {
    return static_cast<int>(static_cast<std::int64_t>(cubes_[cube].begin) * n_threads / unknowns_->n_active());
  };
  std::vector<int> n_missing(cubes_.size());
  for (LocalIndex c = 0; c < n_cubes; ++c) {
    n_missing[c] = static_cast<int>(
        std::count_if(cubes_[c].low.begin(), cubes_[c].low.end(), [](LocalIndex l) { return l >= 0; }));
    if (n_missing[c] == 0) play.offer(home(c), cubes_[c].front, c);
  }
  lists_.resize(static_cast<std::size_t>(n_threads));
  for (LocalIndex n_taken = 0; n_taken < n_cubes;) {
    const int thread = play.next_free();
    for (const LocalIndex finished : play.finished_by_now(thread))
      for (const LocalIndex above : cubes_[finished].high)
        if (above >= 0 && --n_missing[above] == 0) play.offer(home(above), cubes_[above].front, above);
    const LocalIndex taken = play.take(thread);
    if (taken < 0) continue;
    lists_[thread].push_back(taken);
    play.work(thread, taken, cubes_[taken].end - cubes_[taken].begin);
    ++n_taken;
  }
}

}  // namespace freshet::pressure
