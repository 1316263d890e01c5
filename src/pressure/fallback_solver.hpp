// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/pressure/solver.hpp"

#include <memory>
#include <string>

namespace freshet::pressure {

constexpr double any_norm = 1e100;  ///< a tolerance that every |r| meets: what counts is the largest r of a cell

/// The chosen solver and, where it does not converge, mic0 with ten times the iterations.
class FallbackSolver {
 public:
  FallbackSolver(const Communicator& comm, const PressureOptions& parameters)
      : comm_(comm), parameters_(parameters), chosen_(comm, parameters_) {}

  /// The chosen solver alone.
  PressureSolver& chosen() { return chosen_; }

  /// \param[in]     dx       for messages [m]
  /// \param[out]    retried  why the chosen solver was given up; as it was if it converged
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
  std::unique_ptr<PressureSolver> second_;  ///< made when it is first needed
};

}  // namespace freshet::pressure
