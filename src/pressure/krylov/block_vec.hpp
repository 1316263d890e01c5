// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/core/memory.hpp"
#include "freshet/linear/regions.hpp"
#include "pressure/operator/unknowns.hpp"

#include <petscksp.h>

#include <array>
#include <memory>
#include <span>
#include <vector>

/// PETSc vectors that lie on arrays of unknowns (see Unknowns): a vector's entries are the cells of the owned blocks,
/// and ghosts and the background stand behind them in memory.
///
/// Dot, norm, axpy, aypx and copy visit the rows with unknowns only, and share their blocks among the rank's OpenMP
/// threads. Sums are taken a block at a time in a fixed order, and the blocks' sums are added without round-off: same
/// bits for any number of threads and of ranks. This costs 1 to 2 % of a multigrid solve on 64^3 cells (2 ranks, or 2
/// threads) against sums in double precision.
namespace freshet::pressure {

/// Makes such vectors, and keeps the memory of destroyed ones for the next. Must outlive its vectors and their
/// duplicates.
class BlockVecs {
 public:
  BlockVecs() = default;
  BlockVecs(const BlockVecs&) = delete;
  BlockVecs& operator=(const BlockVecs&) = delete;

  /// Tell which unknowns the vectors hold from now on. While the layout stays, so do all vectors; what they hold in
  /// rows with unknowns has no meaning, and all other rows become 0. With another layout
  /// they can only be destroyed. \param[in] unknowns  must outlive the vectors' use. Parallel: local
  void set_unknowns(const Unknowns& unknowns);
  const Unknowns& unknowns() const { return *unknowns_; }
  /// A vector of zeros; its duplicates are such vectors too. Collective.
  Vec create();
  /// A vector without memory, for VecPlaceArray() with an array of unknowns. Collective.
  Vec create_without_memory();

  /// A vector and how often it has changed.
  struct State {
    PetscObjectId id = 0;
    PetscObjectState changes = 0;
    bool operator==(const State&) const = default;
  };
  /// |r - a w|^2 = r.r - 2 a r.w + a^2 w.w: conjugate gradients form this norm after p.w, so that its sums travel with
  /// that of p.w. r is the vector whose norm was asked for last. Where the norm falls to less than a thousandth it is
  /// summed anew.
  struct ResidualNorm {
    Vec vector = nullptr;
    State r, w;
    double r_r = 0.0, r_w = 0.0, w_w = 0.0;
  };
  ResidualNorm& next_norm() { return next_norm_; }

  /// PETSc's conjugate gradients form r.x and b.x of the start in each solve, from release 3.20 on. The first norm of a
  /// solve brings both, so that they need no sums over the ranks of their own.
  struct Start {
    struct Dot {
      State x, y;
      double value = 0.0;
    };
    KSP solver = nullptr;  ///< whose first norm is still to come
    std::array<Dot, 2> dots;
  };
  Start& start() { return start_; }
  /// A solve begins, with this solver and these vectors. Parallel: local
  void begin_solve(KSP solver);

  /// S^T x of a vector, which the regions of the operator ask for. Conjugate gradients form S^T z with the sums of r.z,
  /// and S^T p is a combination of S^T z and the last S^T p: a product with the operator then has no sums of its own.
  struct Products {
    State of;
    std::vector<double> values;
  };
  /// Tell the regions of the operator; null: none. Parallel: local
  void set_regions(const Regions* regions);
  const Regions* regions() const { return regions_; }
  Products& products_of_z() { return products_of_z_; }
  Products& products_of_p() { return products_of_p_; }
  /// S^T x, without a reduction if it is known. \pre there are regions. Collective
  std::span<const double> products(Vec x);
  /// Sums under way: kept, so that a solve allocates nothing.
  std::vector<ExactSum>& sums() { return sums_; }

  using Buffer = TrackedVector<double, MemoryKind::pressure>;
  Buffer* take();
  void give_back(Buffer* buffer) { free_.push_back(buffer); }

 private:
  const Unknowns* unknowns_ = nullptr;
  std::uint64_t layout_id_ = 0;
  ResidualNorm next_norm_;
  Start start_;
  const Regions* regions_ = nullptr;
  Products products_of_z_, products_of_p_, products_;
  std::vector<ExactSum> sums_;
  std::vector<std::uint64_t> active_rows_;  ///< by owned block: rows that may hold anything but 0
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<Buffer*> free_;  ///< those of them that no vector uses
};

/// Sum of x_i y_i over the unknowns here, a block at a time. Parallel: local; OpenMP
ExactSum local_dot(const double* x, const double* y, const Unknowns& unknowns);
/// Largest |x_i| here; infinite if an entry is not a number. Parallel: local; OpenMP
double local_max_magnitude(const double* x, const Unknowns& unknowns);

}  // namespace freshet::pressure
