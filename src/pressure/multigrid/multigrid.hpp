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
/// The coarsest levels, seven if nobody asks for another number, form a W-cycle, which keeps the number of iterations
/// flat. Above them, where levels have many ranks, each level is visited once, with four sweeps each way below the
/// finest. A symmetric V-cycle around any positive definite solver is positive definite, so this cycle is so wherever
/// the W-cycle below it is. (A W-cycle above a V-cycle is not: its second visit of a level needs a first one that
/// corrects less than twice, and the coarse operator scaled by 0.5 corrects more below many levels.) Up to 256^3 cells,
/// which have seven levels, all of them are a W-cycle. Levels that are visited once cost iterations, the first most: a
/// dam on 128^3 cells takes 5.4 with none, 7.2, 7.4 and 7.6 with one, two and three, on 256^3 5.6, 8.0, 8.6 and 8.8, in
/// 2-D 5.5, 7, 8 and 9. Linear interpolation in place of a constant for each aggregate needs more (7 to 13, in 2-D and
/// 3-D), so does another scale than 0.5.
///
/// A symmetric F-cycle (the finest level visits the next one by an F-cycle, then by its transpose; an F-cycle by an
/// F-cycle and a V-cycle) with one sweep each way on coarse levels and V-cycles that correct by 3/4 takes 5 to 6
/// iterations in dams of any number of levels (eigenvalues of M^-1 A 0.83 to 1.45 up to 256^3 and 4096^2 cells) with
/// far fewer visits, but it is not definite where parts of the liquid are joined weakly: smoothing leaves alone what is
/// constant in each part, aggregates represent it exactly, a V-cycle corrects it by 2 * 3/4 on every level, and with k
/// levels above the exact solution its error is 1 - 1.5^k. A W-cycle corrects such a mode twice, then takes it back.
///
/// Each visit of a level that several ranks share costs exchanges_of_visit(); a level on one rank costs none. With
/// seven shared levels, and four coarser ones on one rank, a cycle costs 134 exchanges; a W-cycle costs 1270.
struct CycleShape {
  int w_levels = 7;  ///< levels of the W-cycle
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
/// ranks and threads. Sweeps down: even, odd, ...; up: the reverse. The coarse operator is half of P^T A P: with an
/// exact coarse solution the correction turns the error of the aggregates' means into its negative at most, which
/// smoothing damps. The second visit of level 2 keeps the cycle positive definite as long as the first one's correction
/// is less than twice the exact one: the four sweeps see to that. Source: Braess 1995 (aggregation, overcorrection);
/// Brandt 1977 (cycles)
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
