// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/pressure/solver.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace freshet::pressure {

constexpr double any_norm = 1e100;  ///< a tolerance that every |r| meets: only the largest |r| of a cell decides

/// The chosen solver and, if it does not converge, a second one with ten times the iterations.
///
/// The second one is preconditioned by mic0, or by block_mic0 if the chosen preconditioner gives the same bits on any
/// number of ranks, so that the second solve does, too.
class FallbackSolver {
 public:
  FallbackSolver(const Communicator& comm, const PressureOptions& parameters);

  /// The chosen solver, without a second try.
  PressureSolver& chosen() { return chosen_; }
  /// Same as PressureSolver::set_regions(), for both solvers.
  void set_regions(Regions* regions);

  /// \param[in]     dx       cell size for messages [m]
  /// \param[out]    retried  the second solver's name and why the chosen one failed; unchanged if it converged
  /// \return the report of the solver that converged, with the iterations of both
  /// Errors: RunError if the second one does not converge either. Parallel: collective. Else see PressureSolver::solve
  SolveReport solve(const PoissonCoefficients& coefficients, const CellField<double>& target,
                    CellField<double>& pressure, const SolveRequest& request, double dx, std::string& retried);

 private:
  PressureSolver& second();
  std::string aim_of(const SolveRequest& request, double dx) const;

  const Communicator& comm_;
  PressureOptions parameters_;
  PressureSolver chosen_;
  std::string_view second_name_;
  Regions* regions_ = nullptr;
  std::unique_ptr<PressureSolver> second_;  ///< null until it is needed
};

}  // namespace freshet::pressure
