// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/domain.hpp"
#include "freshet/grid/morton.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/parallel/reduction.hpp"

#include <memory>
#include <span>
#include <vector>

namespace freshet {

/// The owner of each block: rank r owns the keys from first_keys()[r] to before first_keys()[r + 1].
///
/// The keys of all ranks are stored once: copies, and the splitters of coarser levels, refer to the same array. Two
/// splitters with the same array are known to be equal without comparing its keys.
class Splitters {
 public:
  Splitters() : Splitters(std::vector<BlockKey>{0}) {}
  /// \param[in] first_keys  first key of each rank, ascending; the first is 0
  explicit Splitters(std::vector<BlockKey> first_keys);

  int n_ranks() const { return static_cast<int>(finest_->size()); }
  int owner(BlockKey key) const;
  /// Splitters of blocks twice as wide. Each block belongs to the owner of its first possible child.
  Splitters coarser() const;
  /// The first key of each rank, in a new list.
  std::vector<BlockKey> first_keys() const;
  bool operator==(const Splitters& other) const;

 private:
  std::shared_ptr<const std::vector<BlockKey>> finest_;  ///< first keys of the finest level
  int levels_ = 0;                                       ///< number of levels above the finest
};

/// Splitters that cut the curve through the whole lattice into equal lengths, for a start without particles.
Splitters uniform_splitters(const Domain& domain, int n_ranks);

/// Splitters that cut the curve into parts of nearly equal cost.
///
/// \param[in] keys   keys of this rank's blocks, ascending; the parts of the ranks ascend too
/// \param[in] costs  costs of the same blocks, >= 0
/// Parallel: collective; same result for any earlier distribution of the same blocks, up to rounding of the sums
Splitters balanced_splitters(const Communicator& comm, std::span<const BlockKey> keys, std::span<const double> costs);
/// Splitters as above, which give blocks to the first n_ranks ranks only; 1 <= n_ranks <= comm.size().
Splitters balanced_splitters(const Communicator& comm, std::span<const BlockKey> keys, std::span<const double> costs,
                             int n_ranks);

/// The largest cost of a rank divided by the mean cost, if `splitters` cut the curve; 1 if all costs are 0.
///
/// \param[in] keys, costs  those of this rank's blocks, as for balanced_splitters()
/// Parallel: collective; the rounding may differ between ranks
double imbalance_of(const Communicator& comm, std::span<const BlockKey> keys, std::span<const double> costs,
                    const Splitters& splitters);

/// The largest and the total cost of the ranks, which give their imbalance.
struct RankCosts {
  double largest = 0.0;
  ExactSum total;

  explicit RankCosts(double of_this_rank) : largest(of_this_rank) { total.add(of_this_rank); }
  void add_to(Reduction& reduction) {
    reduction.max(largest);
    reduction.sum(total);
  }
  /// After the reduction: the largest cost of a rank divided by the mean, the same on all ranks; 1 if all costs are 0.
  double imbalance(int n_ranks) const {
    const double mean = total.round() / n_ranks;
    return mean > 0.0 ? largest / mean : 1.0;
  }
};

}  // namespace freshet
