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

/// How a visit of a level visits the next coarser one.
enum class Cycle {
  symmetric,     ///< by an F-cycle, then by a transposed one: the finest level
  f,             ///< by an F-cycle, then by a V-cycle
  f_transposed,  ///< by a V-cycle, then by a transposed F-cycle
  v              ///< once, by a V-cycle
};

/// What a cycle costs; level 0 is the finest.
///
/// Each visit of a level that several ranks share costs exchanges_of_visit(), and those who wait for its result the
/// work on it; a level on one rank costs no exchange. With seven shared levels a cycle takes 43 visits of them and 262
/// exchanges, where a W-cycle of as many sweeps takes 127 and 766.
struct CycleCost {
  static constexpr int sweeps_each_way(int level) { return level == 0 ? 2 : 1; }
  static constexpr int visits_of_level(int level) { return level == 0 ? 1 : 2 * level; }
  /// One rim of ghosts for each half-sweep, the residual to the coarser level, and the correction back.
  static constexpr int exchanges_of_visit(int level) { return 4 * sweeps_each_way(level) + 2; }
  /// \param[in] n_shared  levels that several ranks share: the finest ones
  static constexpr int exchanges_of_cycle(int n_shared) {
    int sum = 0;
    for (int level = 0; level < n_shared; ++level) sum += visits_of_level(level) * exchanges_of_visit(level);
    return sum;
  }
};

/// One symmetric multigrid cycle for A z = r in float32: aggregates of 2x2x2 cells, Gauss-Seidel by colours.
///
/// Aggregates and colours follow from a cell's place in the domain, and the first coarse level with few unknowns is
/// solved directly, on whichever rank has its blocks. The operator is therefore the same, bit for bit, on any number of
/// ranks and threads. Sweeps down: even, odd, ...; up: the reverse. Source: Braess 1995 (aggregation, overcorrection);
/// Brandt 1977 (cycles)
///
/// The coarse operator is half of P^T A P: an exact coarse solution then turns the error of the aggregates' means into
/// its negative at most, which smoothing damps, and corrects smooth errors by what they need. Over many levels these
/// factors multiply, so that a V-cycle corrects far too much: with one visit of each level iterations grow with the
/// number of levels. An F-cycle visits each level a second time, by a V-cycle, which takes back what was too much. The
/// V-cycles for their part correct by v_cycle_part of what the F-cycles do, which keeps them right at any depth. The
/// finest level's two visits of the next one are each other's transpose, so that the cycle is symmetric.
///
/// Measured, the eigenvalues of M^-1 A in dams of 6 to 12 levels, up to 256^3 and in 2-D up to 4096^2 cells: 0.83 to
/// 1.45 with parts from 0.7 to 0.8, and 5 to 6 iterations to 1e-5 everywhere, as with a W-cycle of two sweeps each way.
/// The smallest falls to 0.4 with a part of 0.6, below 0 with 0.5, and to 0.6 with 0.85 on 11 levels. A V-cycle
/// of the finest levels above a W-cycle has eigenvalues to 2.4, and takes 8 or 9. One sweep on the finest level
/// takes 9.
///
/// What limits it: on the finest level the instructions of the half-sweeps, about 85 % of a cycle where blocks are
/// full; in part-filled blocks the vectors of eight cells that hold few unknowns.
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
  void visit(std::size_t number, Start start, Cycle cycle);
  void correct(std::size_t number, Cycle cycle);
  static void smooth_down(MultigridLevel& level, Start start, int sweeps);
  static void smooth_up(MultigridLevel& level, End end, int sweeps);

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
