// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/pressure/poisson.hpp"
#include "freshet/pressure/pressure_options.hpp"

#include <memory>
#include <span>
#include <string>

namespace freshet {

/// What a solve did; the same on all ranks.
struct SolveReport {
  int iterations = 0;
  double relative_residual = 0.0;  ///< |b - A p| / |b|
  double max_residual = 0.0;       ///< largest |b - A p| of a cell [m/s]; / dx it is the largest divergence left [1/s]
  GlobalIndex unknowns = 0;
  GlobalIndex sealed_bodies = 0;  ///< connected liquid bodies without air: singular, solved up to a constant
  double incompatibility = 0.0;   ///< norm of what sealed bodies' right-hand sides lost [m/s]
  bool converged = true;
  std::string reason;  ///< PETSc's name of the stopping reason
  double setup_seconds = 0.0;
  double solve_seconds = 0.0;
};

/// What differs from the solve before.
enum class SystemChange {
  everything,
  diagonal,  ///< only PoissonCoefficients::diagonal and the right-hand side: unknowns and weights are the same
  nothing    ///< only the right-hand side
};

/// How one solve shall be done; by default as the parameters say.
struct SolveRequest {
  double tolerance = 0.0;     ///< of |r| / norm; 0: pressure.tolerance, or PETSc's option
  double norm = 0.0;          ///< what the tolerance is relative to [m/s]; 0: |b|
  double max_residual = 0.0;  ///< of a cell, to stop at too [m/s]; 0: pressure.max_divergence * dx
  SystemChange change = SystemChange::everything;
  std::span<const LocalIndex> changed_blocks =
      {};  ///< owned blocks with a changed diagonal, if only diagonals have changed
  int min_iterations = 0;
  bool warm_start = true;  ///< start from the given pressure, unless the parameters say no
};

/// Solves PoissonCoefficients systems by PETSc's KSPCG; every option below the prefix `pressure_` is honoured.
///
/// The operator is a matrix-free MATSHELL over blocks. PCSHELLs: `multigrid` (W-cycle of 2x2x2 aggregates, the same on
/// any number of ranks) and `mic0` (modified incomplete Cholesky inside a rank, Bridson 2008, figures 4.2 and 4.3).
/// PETSc's own: `jacobi` and `none`, on the shell; `icc` (inside a rank), `hypre`, `gamg` and whatever else the options
/// name, on the assembled matrix of the same coefficients. Vecs hold the unknowns only: by block, cells x fastest. In a
/// sealed body (see SolveReport) the mean of the solution is 0.
class PressureSolver {
 public:
  /// \param[in] prefix  of PETSc's options that count for this solver
  PressureSolver(const Communicator& comm, const PressureOptions& parameters, const std::string& prefix = "pressure_");
  ~PressureSolver();
  PressureSolver(const PressureSolver&) = delete;
  PressureSolver& operator=(const PressureSolver&) = delete;

  /// Try PETSc's options below `pressure_` on a right-hand side made for it, so that mistakes are found before step 0.
  ///
  /// Does nothing where the user has set none. \param[out] scratch overwritten; ends as 0
  /// Errors: InputError for options that PETSc refuses or that nothing asks for. Parallel: collective
  void try_options(const PoissonCoefficients& coefficients, CellField<double>& right_hand_side,
                   CellField<double>& scratch);

  /// max |b - A p| of a cell, A as of the last solve, which had unknowns somewhere. [m/s] Parallel: collective; OpenMP
  double max_residual(const CellField<double>& right_hand_side, const CellField<double>& pressure);

  /// Solve A p = b.
  ///
  /// \param[in]     right_hand_side owned
  /// \param[in,out] pressure        owned: on entry the start, if the request wants one; on return the solution, 0
  /// where
  ///                                there is no unknown; ghosts valid to width 1 on return
  /// \param[in]     request         when to stop; |r| and, where it is limited, the largest |r| of a cell
  /// No unknowns anywhere: returns at once. Errors: LocalError on a PETSc failure; no convergence is reported, not
  /// thrown. Parallel: collective; OpenMP
  SolveReport solve(const PoissonCoefficients& coefficients, const CellField<double>& right_hand_side,
                    CellField<double>& pressure, const SolveRequest& request = {});

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace freshet
