// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/pressure/poisson.hpp"
#include "pressure/multigrid/coarse_solve.hpp"
#include "pressure/multigrid/grids.hpp"
#include "pressure/multigrid/level.hpp"
#include "pressure/operator/unknowns.hpp"
#include "pressure/preconditioners/preconditioner_shell.hpp"

#include <span>
#include <vector>

namespace freshet::pressure {

/// One symmetric multigrid cycle for A z = r: W(2,2) in float32, aggregates of 2x2x2 cells, Gauss-Seidel by colours.
///
/// Aggregates and colours follow from a cell's place in the domain, and the first coarse level with few unknowns is
/// solved directly, on whichever rank has its blocks. The operator is therefore the same, bit for bit, on any number of
/// ranks and threads. Sweeps down: even, odd, even, odd; up: the reverse. The coarse operator is half of P^T A P: with
/// an exact coarse solution the correction turns the error of the aggregates' means into its negative at most, which
/// smoothing damps, so that the W-cycle stays positive definite. Source: Braess 1995 (aggregation, overcorrection);
/// Brandt 1977 (cycles)
class Multigrid : public PreconditionerShell {
 public:
  /// Build the levels.
  void reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns) override;
  /// The cost follows the number of blocks, but for the coarse levels, which are made anew.
  void update(std::span<const LocalIndex> changed_blocks) override;
  void set_magnitude(double magnitude) override;
  /// Apply one cycle. The operator is the same, bit for bit, on any number of ranks.
  void apply(const double* r, double* z) override;

 private:
  void build();
  MultigridLevel* next_level(std::size_t number);
  bool has_few_unknowns(const MultigridLevel& level) const;
  void refresh_coarse_levels(Refresh what);
  void load(const double* r);
  void unload(double* z);
  bool is_elsewhere(const MultigridLevel& level) const;
  /// What x holds before the first half-sweep: nothing of use, the result of load()'s half-sweep, or an approximation.
  enum class Start { from_zero, after_load, from_before };
  enum class End { complete, before_unload };  ///< before_unload: unload() does the last half-sweep
  void visit(std::size_t number, Start start);
  void correct(std::size_t number);
  static void smooth_down(MultigridLevel& level, Start start);
  static void smooth_up(MultigridLevel& level, End end);

  const PoissonCoefficients* system_ = nullptr;
  const Unknowns* unknowns_ = nullptr;
  MultigridGrids grids_;
  std::vector<MultigridLevel> levels_;
  std::size_t n_levels_ = 0;  ///< that this rank visits
  bool solves_directly_ = false;
  CoarseSolve direct_;
  double scale_ = 1.0;  ///< a power of two: scaled to 1 or less, residuals stay far above the smallest float32
};

}  // namespace freshet::pressure
