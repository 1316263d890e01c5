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

/// The shape of a cycle, the same on any number of ranks; level 0 is the finest.
///
/// The coarsest levels, six if nobody asks for another number, form a W-cycle, which keeps the number of iterations
/// flat and corrects what other cycles leave for long where parts of the liquid are joined by narrow holes. Above them,
/// where levels have many ranks, each level is visited once. The finest level and those above the W-cycle take two
/// sweeps each way, the others one. A symmetric V-cycle around any positive definite solver is positive definite, so
/// this cycle is so wherever the W-cycle below it is. Up to 128^3 cells, which have six levels, all of them are a
/// W-cycle. Levels above it cost iterations: a dam on 256^3 cells takes 5.0 with none, 5.8, 6.6, 7.0 and 7.2 with one,
/// two, three and four, a flat one on 4096^2 cells 6.5, and 8 with a W-cycle of four levels. Tanks joined by a hole of
/// two cells on 128^3 take 3.7 with none and 4.3 with one. An F-cycle above the W-cycle would keep iterations at 5, but
/// visits a level twice as often for each level above it.
///
/// Each visit of a level that several ranks share costs exchanges_of_visit(); a level on one rank costs none. With
/// seven shared levels, and four coarser ones on one rank, a cycle costs 68 exchanges.
struct CycleShape {
  int w_levels = 6;  ///< levels of the W-cycle
  int n_levels = 1;  ///< in all

  constexpr int first_of_w_cycle() const { return n_levels > w_levels ? n_levels - w_levels : 0; }
  constexpr int sweeps_each_way(int level) const { return level == 0 || level < first_of_w_cycle() ? 2 : 1; }
  /// How often a visit of a level visits the next one.
  constexpr int visits_of_next(int level) const { return level >= first_of_w_cycle() ? 2 : 1; }
  constexpr int visits_of_level(int level) const {
    return level <= first_of_w_cycle() ? 1 : 1 << (level - first_of_w_cycle());
  }
  /// One rim of ghosts for each half-sweep, the residual to the coarser level, and the correction back.
  constexpr int exchanges_of_visit(int level) const { return 4 * sweeps_each_way(level) + 2; }
  /// \param[in] n_shared  levels that several ranks share: the finest ones
  constexpr int exchanges_of_cycle(int n_shared) const {
    int sum = 0;
    for (int level = 0; level < n_shared; ++level) sum += visits_of_level(level) * exchanges_of_visit(level);
    return sum;
  }
};

/// One symmetric multigrid cycle for A z = r in float32: aggregates of 2x2x2 cells, Gauss-Seidel by colours.
///
/// Aggregates and colours follow from a cell's place in the domain, and the first coarse level with few unknowns is
/// solved directly, on whichever rank has its blocks. The operator is therefore the same, bit for bit, on any number of
/// ranks and threads. Sweeps down: even, odd, ...; up: the reverse.
///
/// Weights of coarse levels are conductances in series (aggregation.hpp), between P^T A P / 2 and P^T A P: with an
/// exact coarse solution the correction turns the error of the aggregates' means into its negative at most, which
/// smoothing damps. With P^T A P / 2 everywhere, a mode that is constant in parts which are joined weakly is corrected
/// twice on every level that is visited once, which makes V- and F-cycles slow or indefinite; and dams and sheets take
/// an iteration more (eigenvalues of M^-1 A up to 1.6, now up to 1.1). Where liquid is in channels two or three cells
/// wide, whose aggregates reach across the walls, half of P^T A P happens to hide a part of that: a solve takes up
/// to 1.9 times as many iterations as with it.
///
/// The second visit of a level keeps the cycle positive definite as long as the first one's correction is less than
/// twice the exact one. Source: Braess 1995 (aggregation, overcorrection); Brandt 1977 (cycles)
///
/// What limits it: on the finest level the instructions of the half-sweeps, about 85 % of a cycle where blocks are
/// full; in part-filled blocks the vectors of eight cells that hold few unknowns.
class Multigrid : public PreconditionerShell {
 public:
  /// \param[in] w_levels  see CycleShape
  explicit Multigrid(int w_levels = CycleShape().w_levels) { shape_.w_levels = w_levels; }
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
  void agree_on_shape();
  void load(const double* r);
  void unload(double* z);
  bool is_elsewhere(const MultigridLevel& level) const;
  /// What x holds before the first half-sweep: nothing of use, the result of load()'s half-sweep, or an approximation.
  enum class Start { from_zero, after_load, from_before };
  enum class End { complete, before_unload };  ///< before_unload: unload() does the last half-sweep
  void visit(std::size_t number, Start start);
  void correct(std::size_t number);
  static void smooth_down(MultigridLevel& level, Start start, int sweeps);
  static void smooth_up(MultigridLevel& level, End end, int sweeps);

  CycleShape shape_;  ///< the same on all ranks
  const PoissonCoefficients* system_ = nullptr;
  const Unknowns* unknowns_ = nullptr;
  MultigridGrids grids_;
  std::vector<MultigridLevel> levels_;
  std::size_t n_levels_ = 0;  ///< that this rank visits: others have coarser ones, too
  bool solves_directly_ = false;
  CoarseSolve direct_;
  double scale_ = 1.0;  ///< a power of two: scaled to 1 or less, residuals stay far above the smallest float32
};

}  // namespace freshet::pressure
