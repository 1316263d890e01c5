// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/linear/regions.hpp"
#include "freshet/pressure/poisson.hpp"
#include "freshet/pressure/pressure_options.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace freshet {

/// What a solve did; the same on all ranks.
struct SolveReport {
  int iterations = 0;
  double relative_residual = 0.0;  ///< |b - A p| / |b|
  double max_residual = 0.0;       ///< largest |b - A p| of a cell [m/s]; divided by dx, the largest divergence [1/s]
  GlobalIndex unknowns = 0;
  GlobalIndex sealed_bodies = 0;  ///< constants that connected liquid bodies without air leave open in the pressure
  double incompatibility = 0.0;   ///< norm of the means removed from sealed bodies' right-hand sides [m/s]
  bool converged = true;
  std::string reason;  ///< PETSc's name of the stopping reason
  double setup_seconds = 0.0;
  double solve_seconds = 0.0;

  /// Count the iterations and seconds of an earlier solve in; all else stays that of this one.
  void add_earlier(const SolveReport& earlier) {
    iterations += earlier.iterations;
    setup_seconds += earlier.setup_seconds;
    solve_seconds += earlier.solve_seconds;
  }
};

/// Throw RunError if integers of `bytes` (0: PETSc's) cannot number the cells of all ranks' blocks.
void expect_countable(GlobalIndex n_cells, std::size_t bytes = 0);

/// What has changed in the system since the last solve.
enum class SystemChange {
  everything,
  diagonal,  ///< PoissonCoefficients::diagonal and the right-hand side
  nothing    ///< the right-hand side only
};

/// How one solve is done; the default is that of the options.
struct SolveRequest {
  double tolerance = 0.0;     ///< bound of |r| / norm; 0: pressure.tolerance, or PETSc's option
  double norm = 0.0;          ///< norm that the tolerance refers to [m/s]; 0: |b|
  double max_residual = 0.0;  ///< bound of |r| in a cell [m/s]; 0: pressure.max_divergence * dx
  SystemChange change = SystemChange::everything;
  /// Owned blocks with a changed diagonal, for SystemChange::diagonal.
  std::span<const LocalIndex> changed_blocks = {};
  int min_iterations = 0;
  bool warm_start = true;  ///< start from the given pressure if the options allow it
  bool measures = true;    ///< report the true residual; a failed solve always reports it
};

/// Lower bound of the pressure in an owned cell.
struct PressureFloor {
  LocalIndex block;
  int cell;      ///< index in the block
  double least;  ///< lower bound of p [m/s]
};

/// Solves PoissonCoefficients systems by PETSc's KSPCG; every option below the prefix `pressure_` is honoured.
///
/// The operator is a matrix-free MATSHELL over blocks. The preconditioner is one of preconditioners(): a PCSHELL of
/// freshet's own, or a PC of PETSc, which gets the assembled matrix of the same coefficients if it needs one; so does
/// any other PC that the options name. The solver's Vecs have an entry for every cell of every block, 0 without an
/// unknown, and live as long as the layout. The mean of the solution in a sealed body (SolveReport::sealed_bodies)
/// is 0.
class PressureSolver {
 public:
  /// \param[in] prefix  prefix of this solver's PETSc options
  PressureSolver(const Communicator& comm, const PressureOptions& parameters, const std::string& prefix = "pressure_");
  ~PressureSolver();
  PressureSolver(const PressureSolver&) = delete;
  PressureSolver& operator=(const PressureSolver&) = delete;

  /// Try the user's PETSc options below the prefix on an artificial right-hand side, so that mistakes are found before
  /// step 0. Does nothing if the user has set none.
  ///
  /// \param[out] right_hand_side, scratch  owned cells of the coefficients' layout; overwritten, scratch with 0
  /// Errors: InputError for options that PETSc refuses or that nothing asks for; RunError if the layout has more cells
  /// than PETSc can number. Parallel: collective; OpenMP
  void try_options(const PoissonCoefficients& coefficients, CellField<double>& right_hand_side,
                   CellField<double>& scratch);

  /// Largest |b - A p| of a cell with the A of the last solve [m/s]; 0 if it had no unknowns.
  ///
  /// \param[in] right_hand_side  b, owned cells [m/s]
  /// \param[in] pressure  p, 0 in cells without an unknown, ghosts valid to width 1 [m/s]
  /// Parallel: collective; OpenMP
  double max_residual(const CellField<double>& right_hand_side, const CellField<double>& pressure);

  /// Let a function be called in each iteration of a solve, from 0 on, with the largest |b - A p| of a cell [m/s], the
  /// same on all ranks; an empty one: none. Each call takes a reduction. Parallel: local
  void watch(std::function<void(double)> watcher);

  /// Solve (A + S C S^T) p = b from now on; null or no regions: A p = b. The preconditioner remains that of A, also in
  /// precondition(): each eigenvalue that the regions move out of the cluster may cost an iteration.
  ///
  /// \param[in,out] regions  finished, on the layout of the next systems; must outlive the solves, which take rows in
  ///                         films away (SealedModes). Parallel: local
  /// Constants of sealed bodies of liquid that the regions determine are solved for apart; see SealedModes.
  void set_regions(Regions* regions);

  /// Prepare precondition() for a system. \param[in] coefficients  must outlive it
  /// Parallel: collective; OpenMP. Errors: as solve()
  void prepare(const PoissonCoefficients& coefficients);
  /// z = M^-1 r with the preconditioner of the last system, for r whose sum over every sealed body is 0; z = 0 if there
  /// are no unknowns.
  ///
  /// \param[in]  r  owned cells, 0 without an unknown. \param[out] z  owned cells, 0 without an unknown
  /// Parallel: collective; OpenMP. Errors: LocalError on a PETSc failure
  void precondition(const CellField<double>& r, CellField<double>& z);

  /// Add to each sealed body of the last solve the constant that makes its pressure as low as its floors allow; the
  /// solve leaves the constant open. Bodies without a floor keep their pressure.
  ///
  /// \param[in]     floors    floors of this rank's cells; the same set of cells on any number of ranks
  /// \param[in]     margin    how far the lowest cell is below its floor if the right-hand side asks the body to grow,
  ///                          which no pressure above the floors allows; else it is slightly above [m/s]
  /// \param[in,out] pressure  solution of the last solve; on return ghosts are valid to width 1
  /// Parallel: collective; OpenMP
  void lower_sealed_bodies(std::span<const PressureFloor> floors, double margin, CellField<double>& pressure);

  /// Solve A p = b.
  ///
  /// \param[in]     right_hand_side b, owned cells [m/s]
  /// \param[in,out] pressure        p, owned cells [m/s]: initial guess if requested; on return the solution, 0 without
  ///                                an unknown, ghosts valid to width 1
  /// \param[in]     request         when to stop and what has changed since the last solve
  /// Without unknowns on any rank it returns at once. Errors: LocalError on a PETSc failure, RunError for more cells
  /// than PETSc can number. A solve that does not converge is reported, not thrown. Parallel: collective; OpenMP
  SolveReport solve(const PoissonCoefficients& coefficients, const CellField<double>& right_hand_side,
                    CellField<double>& pressure, const SolveRequest& request = {});

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace freshet
