// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/core/memory.hpp"
#include "freshet/linear/block_vec.hpp"
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
/// Dot, norm, axpy, aypx and copy are those of freshet/linear/block_vec.hpp on the rows with unknowns. A dot product of
/// one pair has four interleaved sums in each block.
namespace freshet::pressure {

/// Makes these vectors, and keeps the memory of destroyed ones for the next. Must outlive its vectors and
/// their duplicates.
class BlockVecs {
 public:
  BlockVecs() = default;
  BlockVecs(const BlockVecs&) = delete;
  BlockVecs& operator=(const BlockVecs&) = delete;

  /// Set the unknowns that the vectors hold. On the same layout vectors stay valid: rows with unknowns become
  /// undefined, other rows 0. On another layout they can only be destroyed. \param[in] unknowns  must outlive the
  /// vectors' use. Parallel: local
  void set_unknowns(const Unknowns& unknowns);
  const Unknowns& unknowns() const { return *unknowns_; }
  /// A vector of zeros; its duplicates are vectors of this kind, too. Collective
  Vec create();
  /// A vector without memory, for VecPlaceArray() with an array of unknowns. Collective.
  Vec create_without_memory();

  /// Identifies a vector and its contents, by the number of its changes.
  struct State {
    PetscObjectId id = 0;
    PetscObjectState changes = 0;
    bool operator==(const State&) const = default;
  };
  /// |r - a w|^2 = r.r - 2 a r.w + a^2 w.w: conjugate gradients need this norm after p.w, so its sums join the
  /// reduction of p.w. r is the vector of the last norm. A norm that falls to less than a thousandth is summed anew.
  struct ResidualNorm {
    Vec vector = nullptr;
    State r, w;
    double r_r = 0.0, r_w = 0.0, w_w = 0.0;
  };
  ResidualNorm& next_norm() { return next_norm_; }

  /// From release 3.20 on PETSc's conjugate gradients form r.x and b.x of the initial guess in each solve. The first
  /// norm of a solve computes both in its reduction.
  struct Start {
    struct Dot {
      State x, y;
      double value = 0.0;
    };
    KSP solver = nullptr;  ///< solver whose first norm is to come; else null
    std::array<Dot, 2> dots;
  };
  Start& start() { return start_; }
  /// Note that a solver begins a solve with these vectors. Parallel: local
  void begin_solve(KSP solver);

  /// S^T x of a vector, which the operator's regions need. S^T z joins the reduction of r.z, and S^T p is a combination
  /// of S^T z and the last S^T p: a product with the operator then has no reduction of its own.
  struct Products {
    State of;
    std::vector<double> values;
  };
  /// Set the regions of the operator; null: none. Parallel: local
  void set_regions(const Regions* regions);
  const Regions* regions() const { return regions_; }
  Products& products_of_z() { return products_of_z_; }
  Products& products_of_p() { return products_of_p_; }
  /// S^T x; without a reduction if it is known already. \pre there are regions. Collective
  std::span<const double> products(Vec x);
  /// Scratch sums, kept so that a solve allocates no memory.
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
  std::vector<std::uint64_t> active_rows_;  ///< by owned block: rows that may differ from 0
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<Buffer*> free_;  ///< buffers that no vector uses
};

/// Sum of x_i y_i over the unknowns here, a block at a time. Parallel: local; OpenMP
ExactSum local_dot(const double* x, const double* y, const Unknowns& unknowns);
/// Largest |x_i| here; infinite if an entry is not a number. Parallel: local; OpenMP
double local_max_magnitude(const double* x, const Unknowns& unknowns);

}  // namespace freshet::pressure
