// SPDX-License-Identifier: Apache-2.0
#include "pressure/fallback_solver.hpp"

#include "freshet/core/error.hpp"
#include "freshet/pressure/preconditioners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace freshet::pressure {
namespace {

constexpr int more_iterations = 10;  ///< factor of the iterations in the second try
/// Name of a robust preconditioner whose pressures agree between numbers of ranks as closely as the chosen one's.
std::string_view second_choice(const PressureOptions& options) {
  return rank_agreement(options) == RankAgreement::same_bits ? "block_mic0" : "mic0";
}

std::string what_was_reached(std::string_view who, const SolveReport& report) {
  return fmt::format("{}: {} after {} iterations, relative residual {:.2e}, largest residual {:.2e} m/s", who,
                     report.reason, report.iterations, report.relative_residual, report.max_residual);
}

}  // namespace

FallbackSolver::FallbackSolver(const Communicator& comm, const PressureOptions& parameters)
    : comm_(comm), parameters_(parameters), chosen_(comm, parameters_), second_name_(second_choice(parameters)) {}

PressureSolver& FallbackSolver::second() {
  if (!second_) {
    PressureOptions parameters = parameters_;
    parameters.preconditioner = preconditioner_named(second_name_);
    parameters.max_iterations = static_cast<int>(std::min<std::int64_t>(
        std::int64_t{more_iterations} * parameters_.max_iterations, std::numeric_limits<int>::max()));
    parameters.petsc.clear();
    second_ = std::make_unique<PressureSolver>(comm_, parameters, "second_pressure_");
  }
  second_->set_regions(regions_);
  return *second_;
}

void FallbackSolver::set_regions(Regions* regions) {
  regions_ = regions;
  chosen_.set_regions(regions);
}

SolveReport FallbackSolver::solve(const PoissonCoefficients& coefficients, const CellField<double>& target,
                                  CellField<double>& pressure, const SolveRequest& request, double dx,
                                  std::string& retried) {
  const SolveReport failed = chosen_.solve(coefficients, target, pressure, request);
  if (failed.converged) return failed;
  SolveRequest anew = request;
  anew.change = SystemChange::everything;
  anew.warm_start = false;  // the first solver's result is no initial guess
  SolveReport done = second().solve(coefficients, target, pressure, anew);
  const std::string first = what_was_reached(row_of(parameters_.preconditioner).name, failed);
  if (!done.converged)
    throw RunError(
        fmt::format("the pressure solve did not converge to {} ({}; then {}). Raise pressure.max_iterations or what it "
                    "aims at, or try another pressure.preconditioner (inputs/troubleshooting.md#residual)",
                    aim_of(request, dx), first, what_was_reached(second_name_, done)));
  retried = fmt::format("{}, after {}", second_name_, first);
  done.add_earlier(failed);
  return done;
}

std::string FallbackSolver::aim_of(const SolveRequest& request, double dx) const {
  if (request.tolerance == any_norm) return fmt::format("a divergence of {:.1e} 1/s", request.max_residual / dx);
  return fmt::format("a relative residual of {:.1e}",
                     request.tolerance > 0.0 ? request.tolerance : parameters_.tolerance);
}

}  // namespace freshet::pressure
