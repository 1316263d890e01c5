// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/pressure/poisson.hpp"

#include <memory>
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

/// Solves PoissonCoefficients systems by PETSc's KSPCG; every option below the prefix `pressure_` is honoured.
///
/// The operator is a matrix-free MATSHELL over blocks; `mic0` is a PCSHELL (modified incomplete Cholesky inside a rank,
/// Bridson 2008, figures 4.2 and 4.3). PETSc's own: `jacobi` and `none`, on the shell; `icc` (inside a rank), `hypre`,
/// `gamg` and whatever else the options name, on the assembled matrix of the same coefficients. Vecs hold the unknowns
/// only: by block, cells x fastest. In a sealed body (see SolveReport) the mean of the solution is 0.
class PressureSolver {
 public:
  PressureSolver(const Communicator& comm, const Parameters::Pressure& parameters);
  ~PressureSolver();
  PressureSolver(const PressureSolver&) = delete;
  PressureSolver& operator=(const PressureSolver&) = delete;

  /// Try PETSc's options below `pressure_` on a right-hand side made for it, so that mistakes are found before step 0.
  ///
  /// Does nothing where the user has set none. \param[out] scratch overwritten; ends as 0
  /// Errors: InputError for options that PETSc refuses or that nothing asks for. Parallel: collective
  void try_options(const PoissonCoefficients& coefficients, CellField<double>& right_hand_side,
                   CellField<double>& scratch);

  /// Solve A p = b.
  ///
  /// \param[in]     right_hand_side owned
  /// \param[in,out] pressure        owned: on entry the warm start (not looked at unless the parameters say so); on
  /// return the solution, 0 where there is
  ///                                no unknown; ghosts valid to width 1 on return
  /// Stops when |r| <= tolerance |b| and, if max_divergence > 0, max |r| <= max_divergence * dx. No unknowns anywhere:
  /// returns at once. Errors: RunError on a PETSc failure; no convergence is reported, not thrown. Parallel:
  /// collective; OpenMP
  SolveReport solve(const PoissonCoefficients& coefficients, const CellField<double>& right_hand_side,
                    CellField<double>& pressure);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace freshet
