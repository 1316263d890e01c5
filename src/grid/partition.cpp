// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/partition.hpp"

#include "freshet/core/contracts.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

namespace freshet {

Splitters::Splitters(std::vector<BlockKey> first_keys)
    : finest_(std::make_shared<const std::vector<BlockKey>>(std::move(first_keys))) {
  FRESHET_EXPECT(!finest_->empty());
}

int Splitters::owner(BlockKey key) const {
  const auto after = std::upper_bound(finest_->begin(), finest_->end(), key << (3U * static_cast<unsigned>(levels_)));
  return static_cast<int>(after - finest_->begin()) - 1;
}

Splitters Splitters::coarser() const {
  Splitters result = *this;
  ++result.levels_;
  return result;
}

std::vector<BlockKey> Splitters::first_keys() const {
  std::vector<BlockKey> keys = *finest_;
  for (int level = 0; level < levels_; ++level)
    for (BlockKey& key : keys) key = (key >> 3U) + ((key & 7U) != 0 ? 1 : 0);
  return keys;
}

bool Splitters::operator==(const Splitters& other) const {
  if (levels_ == other.levels_ && finest_ == other.finest_) return true;
  return first_keys() == other.first_keys();
}

Splitters uniform_splitters(const Domain& domain, int n_ranks) {
  const BlockKey end = morton_key(domain.lattice() - Vec3i::Ones()) + 1;
  std::vector<BlockKey> first(static_cast<std::size_t>(n_ranks));
  const BlockKey share = end / static_cast<BlockKey>(n_ranks);
  const BlockKey rest = end % static_cast<BlockKey>(n_ranks);
  for (std::size_t r = 0; r < first.size(); ++r) first[r] = share * r + std::min<BlockKey>(r, rest);
  return Splitters(std::move(first));
}

Splitters balanced_splitters(const Communicator& comm, std::span<const BlockKey> keys, std::span<const double> costs) {
  return balanced_splitters(comm, keys, costs, comm.size());
}

Splitters balanced_splitters(const Communicator& comm, std::span<const BlockKey> keys, std::span<const double> costs,
                             int n_ranks) {
  FRESHET_EXPECT(keys.size() == costs.size());
  FRESHET_EXPECT(n_ranks >= 1 && n_ranks <= comm.size());
  double local = 0.0;
  for (const double cost : costs) local += cost;
  const double total = comm.sum(local);
  double before = comm.exclusive_sum(local);
  const auto n_parts = static_cast<std::size_t>(n_ranks);
  constexpr BlockKey none = std::numeric_limits<BlockKey>::max();
  // first[r] is the first block whose middle lies at or beyond r shares of the total cost
  std::vector<BlockKey> first(static_cast<std::size_t>(comm.size()), none);
  for (std::size_t b = 0; b < keys.size(); ++b) {
    const double middle = before + 0.5 * costs[b];
    const double place = total > 0.0 ? middle / total * static_cast<double>(n_parts) : 0.0;
    const auto rank = std::min(static_cast<std::size_t>(place), n_parts - 1);
    first[rank] = std::min(first[rank], keys[b]);
    before += costs[b];
  }
  comm.min_in_place(std::span(first).first(n_parts));
  // A rank without a first block gets an empty range before the next rank's first key.
  for (std::size_t r = first.size() - 1; r-- > 0;) first[r] = std::min(first[r], first[r + 1]);
  first[0] = 0;
  return Splitters(std::move(first));
}

double imbalance_of(const Communicator& comm, std::span<const BlockKey> keys, std::span<const double> costs,
                    const Splitters& splitters) {
  FRESHET_EXPECT(keys.size() == costs.size());
  std::vector<double> of_rank(static_cast<std::size_t>(comm.size()), 0.0);
  for (std::size_t b = 0; b < keys.size(); ++b) of_rank[static_cast<std::size_t>(splitters.owner(keys[b]))] += costs[b];
  comm.sum_in_place(of_rank);
  const double mean = std::accumulate(of_rank.begin(), of_rank.end(), 0.0) / comm.size();
  return mean > 0.0 ? *std::max_element(of_rank.begin(), of_rank.end()) / mean : 1.0;
}

}  // namespace freshet
