// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/work_counts.hpp"

#include <atomic>

namespace freshet {
namespace {

constinit std::array<std::atomic<std::int64_t>, n_works> counts{};

}  // namespace

const char* work_name(Work work) {
  constexpr std::array<const char*, n_works> names{"reductions",  "collectives", "messages", "bytes",    "exchanges",
                                                   "allocations", "visits",      "levels",   "rebuilds", "body_tests"};
  return names[static_cast<std::size_t>(work)];
}

void count_work(Work work, std::int64_t n) noexcept {
  counts[static_cast<std::size_t>(work)].fetch_add(n, std::memory_order_relaxed);
}

WorkCounts work_so_far() {
  WorkCounts result;
  for (std::size_t n = 0; n < result.size(); ++n) result[n] = counts[n].load(std::memory_order_relaxed);
  return result;
}

}  // namespace freshet
