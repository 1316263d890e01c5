// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/pressure/poisson.hpp"
#include "pressure/multigrid/coarse_solve.hpp"
#include "pressure/multigrid/grids.hpp"
#include "pressure/multigrid/level.hpp"
#include "pressure/operator/unknowns.hpp"
#include "pressure/preconditioners/preconditioner_shell.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace freshet::pressure {

/// The shape of a cycle, the same on any number of ranks; level 0 is the finest.
///
/// The coarsest levels form a W-cycle: by default six, and four where there are more than seven levels (34 million
/// unknowns and more), as such grids lie on many ranks. It keeps the number of iterations nearly independent of the
/// grid and corrects errors between parts of the liquid that are joined by narrow holes. Above it, where levels have
/// many ranks, each level is visited once. The finest level and those above the W-cycle take two sweeps each way, the
/// others one. A symmetric V-cycle around any positive definite solver is positive definite, so this cycle is positive
/// definite if the W-cycle is. Up to 128^3 cells, which have six levels, all levels form a W-cycle. Levels above it
/// cost iterations. An F-cycle above it would cost fewer, but visits a level twice as often for each level above it.
///
/// Each visit of a level that several ranks share costs exchanges_of_visit(); a level on one rank costs none.
struct CycleShape {
  int w_levels = 0;  ///< levels of the W-cycle; 0: by the number of all levels
  int n_levels = 1;  ///< number of all levels

  static constexpr int few_levels = 4, usual_levels = 6, most_usual_levels = 7;
  constexpr int levels_of_w_cycle() const {
    if (w_levels > 0) return w_levels;
    return n_levels > most_usual_levels ? few_levels : usual_levels;
  }
  constexpr int first_of_w_cycle() const { return std::max(n_levels - levels_of_w_cycle(), 0); }
  constexpr int sweeps_each_way(int level) const { return level == 0 || level < first_of_w_cycle() ? 2 : 1; }
  /// Number of visits of the next level in one visit of a level.
  constexpr int visits_of_next(int level) const { return level >= first_of_w_cycle() ? 2 : 1; }
  constexpr int visits_of_level(int level) const {
    return level <= first_of_w_cycle() ? 1 : 1 << (level - first_of_w_cycle());
  }
  /// Exchanges of one visit: ghosts of each half-sweep, the residual to the coarser level, the correction back.
  constexpr int exchanges_of_visit(int level) const { return 4 * sweeps_each_way(level) + 2; }
  /// \param[in] n_shared  number of levels that several ranks share, the finest ones
  constexpr int exchanges_of_cycle(int n_shared) const {
    int sum = 0;
    for (int level = 0; level < n_shared; ++level) sum += visits_of_level(level) * exchanges_of_visit(level);
    return sum;
  }
};

/// One symmetric multigrid cycle for A z = r in float32, with aggregates of 2x2x2 cells and two-colour Gauss-Seidel.
///
/// Aggregates and colours depend on a cell's place in the domain only, and the first coarse level with few unknowns is
/// solved directly, on the rank that has its blocks. The operator is therefore the same, bit for bit, on any number of
/// ranks and threads. Sweeps down: even, odd, ...; up: the reverse.
///
/// Weights of coarse levels are conductances in series (aggregation.hpp), between P^T A P / 2 and P^T A P: with an
/// exact coarse solution the correction at most reverses the error of the aggregates' means, which smoothing damps.
/// With P^T A P / 2 everywhere, a mode that is constant in weakly joined parts would be corrected twice on every
/// level that is visited once, which makes V- and F-cycles slow or indefinite and raises the largest eigenvalue of
/// M^-1 A. Only in channels two or three cells wide, whose aggregates reach across walls, would P^T A P / 2 take
/// fewer iterations.
///
/// The second visit of a level keeps the cycle positive definite as long as the first one's correction is less than
/// twice the exact one.
/// Source: Braess 1995 (aggregation, overcorrection); Brandt 1977 (cycles)
///
/// Half-sweeps of the finest level bound the speed; in part-filled blocks so do vectors of eight cells with
/// few unknowns.
class Multigrid : public PreconditionerShell {
 public:
  /// \param[in] w_levels  see CycleShape
  explicit Multigrid(int w_levels = CycleShape().w_levels) { shape_.w_levels = w_levels; }
  /// Build the levels.
  void reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns) override;
  /// The cost grows with the number of changed blocks; coarse levels are made anew.
  void update(std::span<const LocalIndex> changed_blocks) override;
  void set_magnitude(double magnitude) override;
  /// Apply one cycle. The operator is the same, bit for bit, on any number of ranks.
  void apply(const double* r, double* z) override;

 private:
  void build();
  MultigridLevel* next_level(std::size_t number);
  bool has_few_unknowns(const MultigridLevel& level) const;
  void refresh_coarse_levels(Refresh what);
  void agree_on_shape();
  void load(const double* r);
  void unload(double* z);
  bool is_elsewhere(const MultigridLevel& level) const;
  /// Contents of x before the first half-sweep: undefined, the result of load()'s half-sweep, or an approximation.
  enum class Start { from_zero, after_load, from_before };
  enum class End { complete, before_unload };  ///< before_unload: unload() takes the last half-sweep
  void visit(std::size_t number, Start start);
  void correct(std::size_t number);
  static void smooth_down(MultigridLevel& level, Start start, int sweeps);
  static void smooth_up(MultigridLevel& level, End end, int sweeps);

  CycleShape shape_;  ///< the same on all ranks
  const PoissonCoefficients* system_ = nullptr;
  const Unknowns* unknowns_ = nullptr;
  MultigridGrids grids_;
  std::vector<MultigridLevel> levels_;
  std::size_t n_levels_ = 0;  ///< levels that this rank visits; others may have coarser ones, too
  bool solves_directly_ = false;
  CoarseSolve direct_;
  double scale_ = 1.0;  ///< power of two that scales residuals to about 1, far above the smallest float32
};

}  // namespace freshet::pressure
