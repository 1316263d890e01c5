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
/// The keys of all ranks stand in memory once: copies, and the splitters of coarser levels, refer to the same array.
/// Two of them with the same array are known to be equal without a look at it.
class Splitters {
 public:
  Splitters() : Splitters(std::vector<BlockKey>{0}) {}
  /// \param[in] first_keys  of all ranks, ascending; the first is 0
  explicit Splitters(std::vector<BlockKey> first_keys);

  int n_ranks() const { return static_cast<int>(finest_->size()); }
  int owner(BlockKey key) const;
  /// Splitters of blocks twice as wide: each belongs to the owner of its first possible child.
  Splitters coarser() const;
  /// A list of n_ranks() keys, made anew.
  std::vector<BlockKey> first_keys() const;
  bool operator==(const Splitters& other) const;

 private:
  std::shared_ptr<const std::vector<BlockKey>> finest_;  ///< first keys of the finest level
  int levels_ = 0;                                       ///< above the finest
};

/// Stretches of equal length of the curve through the whole lattice, for a start without particles.
Splitters uniform_splitters(const Domain& domain, int n_ranks);

/// Stretches of the curve with nearly equal cost.
///
/// \param[in] keys   of this rank's blocks, ascending; ranks hold ascending stretches
/// \param[in] costs  of the same blocks, >= 0
/// Parallel: collective; same result for any earlier distribution of the same blocks, up to rounding of the sums
Splitters balanced_splitters(const Communicator& comm, std::span<const BlockKey> keys, std::span<const double> costs);
/// As above; only the first n_ranks ranks get blocks: 1 .. comm.size().
Splitters balanced_splitters(const Communicator& comm, std::span<const BlockKey> keys, std::span<const double> costs,
                             int n_ranks);

/// The largest cost of a rank divided by the mean if the ranks' stretches were these; 1 if all costs are 0.
///
/// \param[in] keys, costs  of this rank's blocks, as above
/// Parallel: collective; rounded differently on each rank, perhaps
double imbalance_of(const Communicator& comm, std::span<const BlockKey> keys, std::span<const double> costs,
                    const Splitters& splitters);

/// Costs of the ranks, from which their imbalance follows.
struct RankCosts {
  double largest = 0.0;
  ExactSum total;

  explicit RankCosts(double of_this_rank) : largest(of_this_rank) { total.add(of_this_rank); }
  void add_to(Reduction& reduction) {
    reduction.max(largest);
    reduction.sum(total);
  }
  /// After the reduction: the largest cost of a rank divided by the mean; 1 if all costs are 0. The same on all ranks
  double imbalance(int n_ranks) const {
    const double mean = total.round() / n_ranks;
    return mean > 0.0 ? largest / mean : 1.0;
  }
};

}  // namespace freshet
