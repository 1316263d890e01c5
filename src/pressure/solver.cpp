// SPDX-License-Identifier: Apache-2.0
#include "freshet/pressure/solver.hpp"

#include "freshet/core/error.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/parallel/reduction.hpp"
#include "freshet/pressure/preconditioners.hpp"
#include "pressure/krylov/block_vec.hpp"
#include "pressure/krylov/krylov_solver.hpp"
#include "pressure/null_space/sealed_bodies.hpp"
#include "pressure/null_space/sealed_modes.hpp"
#include "pressure/operator/laplacian.hpp"
#include "pressure/operator/unknowns.hpp"
#include "pressure/preconditioners/petsc_preconditioner.hpp"
#include "pressure/preconditioners/preconditioner_shell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

namespace freshet {

using namespace pressure;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A right-hand side of which a smaller part is left after removing sealed bodies' means counts as 0.
constexpr double round_off = 1e-13;

std::unique_ptr<PreconditionerShell> make_shell(const PressureOptions& parameters) {
  const PreconditionerRow& row = row_of(parameters.preconditioner);
  return row.make != nullptr ? row.make(parameters) : nullptr;
}

}  // namespace

void expect_countable(GlobalIndex n_cells, std::size_t bytes) {
  if (bytes == 0) bytes = sizeof(PetscInt);
  const GlobalIndex largest =
      bytes < 8 ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<GlobalIndex>::max();
  if (n_cells <= largest) return;
  throw RunError(
      fmt::format("the blocks of all ranks have {} cells, and PETSc's {}-bit integers number {} at most. Build freshet "
                  "with a PETSc of 64-bit integers",
                  n_cells, 8 * bytes, largest));
}

struct PressureSolver::Implementation {
  Implementation(const Communicator& communicator, const PressureOptions& pressure_parameters,
                 const std::string& prefix)
      : comm(communicator),
        parameters(pressure_parameters),
        shell(make_shell(parameters)),
        krylov(comm, parameters, prefix,
               {[this](double* x, double* y) { laplacian.apply(x, y); },
                [this](double* diagonal) { laplacian.diagonal(diagonal); },
                [this](const double* r, double* z) { precondition(r, z); },
                [this](double* x) { modes.remove_null(x); }}) {}

  SolveReport solve(const PoissonCoefficients& coefficients, const CellField<double>& right_hand_side,
                    CellField<double>& pressure, const SolveRequest& request);
  double max_residual(const CellField<double>& right_hand_side, const CellField<double>& pressure);
  GlobalIndex set_up(const PoissonCoefficients& coefficients, const SolveRequest& request);
  void copy_right_hand_side(const CellField<double>& right_hand_side, double* b);
  double load_reals(const CellField<double>& right_hand_side, CellField<double>& pressure, bool warm_start,
                    SolveReport& report);
  void lower_sealed_bodies(std::span<const PressureFloor> floors, double margin, CellField<double>& pressure);
  void precondition(const double* r, double* z);
  void precondition_plain(const double* r, double* z);
  void join(const PoissonCoefficients& coefficients, const SolveRequest& request);
  void find_modes();
  void measure_residual(const CellField<double>& pressure, double norm, SolveReport& report);
  double global_norm(const double* values) const { return std::sqrt(comm.sum(local_dot(values, values, unknowns))); }

  const Communicator& comm;
  PressureOptions parameters;
  Unknowns unknowns;
  Unknowns joined;                          ///< those of PoissonCoefficients::joined
  std::vector<std::size_t> only_in_joined;  ///< unknowns of the joined system that are none of `unknowns`
  Laplacian laplacian;
  std::unique_ptr<PreconditionerShell> shell;  ///< null for a PC of PETSc
  SealedBodies sealed;
  SealedModes modes;
  bool regions_are_new = false;   ///< set since the modes were found
  PetscPreconditioner assembled;  ///< used if the PC needs a matrix
  KrylovSolver krylov;
  Regions* regions = nullptr;             ///< null: none
  std::vector<double> products;           ///< S^T p
  std::vector<double> without_constants;  ///< buffer: r without the constants of sealed bodies
  GlobalIndex n_global = 0;               ///< unknowns on all ranks
  Reduction residuals;                    ///< reduction for the residual's sizes
  std::vector<double> sealed_sums;        ///< sums of the last right-hand side over each sealed body [m/s]
};

/// Prepare all that depends on the coefficients. Returns the number of unknowns on all ranks. Collective.
GlobalIndex PressureSolver::Implementation::set_up(const PoissonCoefficients& coefficients,
                                                   const SolveRequest& request) {
  const SystemChange change = request.change;
  if (change == SystemChange::nothing) {
    if (regions_are_new && n_global > 0) find_modes();
    return n_global;
  }
  if (change == SystemChange::everything) {
    unknowns.rebuild(coefficients);
  } else {
    unknowns.examine(coefficients, request.changed_blocks);
  }
  join(coefficients, request);
  GlobalIndex totals[] = {unknowns.count(), sealed.find_unanchored(coefficients, unknowns),
                          static_cast<GlobalIndex>(request.changed_blocks.size())};
  comm.sum_in_place(std::span<GlobalIndex>(totals));
  const auto [n_unknowns, n_in_doubt, n_changed_blocks] = totals;
  n_global = n_unknowns;
  if (n_unknowns == 0) return 0;
  expect_countable(unknowns.layout().n_global() * unknowns.layout().cells_per_block());
  if (n_in_doubt > 0) sealed.resolve();
  if (change == SystemChange::diagonal && n_changed_blocks == 0) {
    find_modes();
    return n_unknowns;
  }
  laplacian.reset(coefficients, unknowns);
  krylov.set_unknowns(unknowns);
  find_modes();
  if (krylov.needs_matrix()) {
    assembled.reset(coefficients, unknowns, sealed);
    assembled.set_up(krylov.pc_with_matrix());
  } else if (krylov.uses_shell() && change == SystemChange::diagonal) {
    shell->update(request.changed_blocks);
  } else if (krylov.uses_shell() && shell) {
    if (coefficients.joined != nullptr) {
      shell->reset(*coefficients.joined, joined);
    } else {
      shell->reset(coefficients, unknowns);
    }
  }
  krylov.set_up();
  return n_unknowns;
}

/// Prepare the unknowns of the joined system, and its diagonal of the liquid, which walls may have changed.
void PressureSolver::Implementation::join(const PoissonCoefficients& coefficients, const SolveRequest& request) {
  PoissonCoefficients* const system = coefficients.joined;
  if (system == nullptr) return only_in_joined.clear();
  const bool is_new = request.change == SystemChange::everything;
  for (const LocalIndex b : is_new ? std::span<const LocalIndex>(unknowns.active_blocks()) : request.changed_blocks)
    for (int c = 0; c < unknowns.layout().cells_per_block(); ++c)
      if (coefficients.unknown.block(b)[c] != 0) system->diagonal.block(b)[c] = coefficients.diagonal.block(b)[c];
  if (!is_new) return joined.examine(*system, request.changed_blocks);
  joined.rebuild(*system);
  only_in_joined.clear();
  const int rows = unknowns.rows();
  for (const LocalIndex b : joined.active_blocks())
    for (int r = 0; r < rows; ++r)
      for (unsigned more = joined.masks(b)[r] & ~unknowns.masks(b)[r] & 0xffU; more != 0; more &= more - 1)
        only_in_joined.push_back(
            (static_cast<std::size_t>(b) * static_cast<std::size_t>(rows) + static_cast<std::size_t>(r)) * block_width +
            static_cast<std::size_t>(std::countr_zero(more)));
}

/// Find which constants of sealed bodies the regions leave open. Collective
void PressureSolver::Implementation::find_modes() {
  modes.set(sealed, regions);
  regions_are_new = false;
  krylov.set_singular(modes.n_null() > 0);
}

void PressureSolver::Implementation::precondition(const double* r, double* z) {
  if (!modes.any_opened()) return precondition_plain(r, z);
  const BlockLayout& layout = unknowns.layout();
  without_constants.assign(
      static_cast<std::size_t>(layout.n_slots()) * static_cast<std::size_t>(unknowns.rows()) * block_width, 0.0);
  unknowns.copy(r, without_constants.data());
  modes.take_constants(without_constants.data());
  precondition_plain(without_constants.data(), z);
  modes.add_opened(z);
}

void PressureSolver::Implementation::precondition_plain(const double* r, double* z) {
  if (krylov.needs_matrix()) {
    assembled.apply(krylov.pc_with_matrix(), r, z);
  } else {
    shell->apply(r, z);
    for (const std::size_t n : only_in_joined) z[n] = 0.0;
  }
}

/// Copy the right-hand side, and subtract what regions add to it.
void PressureSolver::Implementation::copy_right_hand_side(const CellField<double>& right_hand_side, double* b) {
  unknowns.copy_active(right_hand_side.data(), b);
  if (regions != nullptr) regions->subtract_offset(b);
}

/// Copy the right-hand side and prepare the initial guess. Returns |b|, 0 if nothing is left to solve. Collective.
double PressureSolver::Implementation::load_reals(const CellField<double>& right_hand_side, CellField<double>& pressure,
                                                  bool warm_start, SolveReport& report) {
  const VecArray b(krylov.right_hand_side());
  copy_right_hand_side(right_hand_side, b.data());
  if (warm_start) unknowns.copy(pressure.data(), pressure.data());
  double norm = global_norm(b.data());
  if (sealed.count() > 0) {
    const double given = norm;
    report.incompatibility = modes.remove_null(b.data());
    sealed_sums = modes.removed_sums();
    if (warm_start) modes.remove_null(pressure.data());
    norm = global_norm(b.data());
    if (norm <= round_off * given) norm = 0.0;
  }
  return norm;
}

/// Report the true residual of a solution whose ghosts are valid. Collective.
void PressureSolver::Implementation::measure_residual(const CellField<double>& pressure, double norm,
                                                      SolveReport& report) {
  if (regions != nullptr) {  // overwrite b, no longer needed, with b - S C S^T p
    regions->multiply_transposed(pressure.data(), products);
    regions->add(-1.0, products, VecArray(krylov.right_hand_side()).data());
  }
  const ResidualSize here = laplacian.measure_residual(VecReadArray(krylov.right_hand_side()).data(), pressure.data());
  ExactSum squares = here.squares;
  report.max_residual = here.largest;
  if (norm > 0.0) residuals.sum(squares);
  residuals.max(report.max_residual);
  residuals.reduce(comm);
  if (norm > 0.0) report.relative_residual = std::sqrt(squares.round()) / norm;
}

double PressureSolver::Implementation::max_residual(const CellField<double>& right_hand_side,
                                                    const CellField<double>& pressure) {
  if (n_global == 0) return 0.0;
  {
    const VecArray b(krylov.right_hand_side());
    copy_right_hand_side(right_hand_side, b.data());
    if (sealed.count() > 0) modes.remove_null(b.data());
  }
  SolveReport report;
  measure_residual(pressure, 0.0, report);
  return report.max_residual;
}

void PressureSolver::Implementation::lower_sealed_bodies(std::span<const PressureFloor> floors, double margin,
                                                         CellField<double>& pressure) {
  if (modes.n_null() == 0) return;
  constexpr double none = std::numeric_limits<double>::max();
  std::vector<double> shifts(static_cast<std::size_t>(sealed.count()), -none);  // largest floor - p of each body
  for (const PressureFloor& floor : floors) {
    const LocalIndex body = sealed.body_at(floor.block, floor.cell);
    if (body < 0) continue;
    double& shift = shifts[static_cast<std::size_t>(body)];
    shift = std::max(shift, floor.least - pressure.block(floor.block)[floor.cell]);
  }
  comm.max_in_place(std::span<double>(shifts));
  constexpr double barely = 1e-3;  // part of the margin: beyond round-off
  for (std::size_t body = 0; body < shifts.size(); ++body) {
    const bool grows = body < sealed_sums.size() && sealed_sums[body] < -margin;
    if (shifts[body] != -none) shifts[body] += grows ? -margin : barely * margin;
  }
  modes.raise(shifts, none);
  sealed.add(shifts, pressure.data());
  unknowns.layout().halo().gather(pressure, 1);
}

SolveReport PressureSolver::Implementation::solve(const PoissonCoefficients& coefficients,
                                                  const CellField<double>& right_hand_side, CellField<double>& pressure,
                                                  const SolveRequest& request) {
  SolveReport report;
  const Clock::time_point start = Clock::now();
  report.unknowns = set_up(coefficients, request);
  report.sealed_bodies = modes.n_null();
  report.setup_seconds = seconds_since(start);
  const Clock::time_point solve_start = Clock::now();
  const BlockLayout& layout = coefficients.unknown.layout();
  const bool warm_start = request.warm_start && parameters.warm_start;
  const double norm = report.unknowns > 0 ? load_reals(right_hand_side, pressure, warm_start, report) : 0.0;
  if (norm == 0.0) {
    report.reason = report.unknowns > 0 ? "zero right-hand side" : "no unknowns";
    pressure.fill(0.0);
  } else {
    const double limit =
        request.max_residual > 0.0 ? request.max_residual : parameters.max_divergence * layout.domain().dx();
    if (shell) shell->set_magnitude(norm);
    krylov.solve(pressure.data(), warm_start,
                 {request.tolerance, request.norm > 0.0 ? request.norm : norm, limit, request.min_iterations});
    report.iterations = krylov.iterations();
    report.converged = krylov.reason() > 0;
    report.reason = KSPConvergedReasons[krylov.reason()];
    modes.remove_null(pressure.data());
    layout.halo().gather(pressure, 1);
    if (request.measures || !report.converged) measure_residual(pressure, norm, report);
  }
  report.solve_seconds = seconds_since(solve_start);
  return report;
}

PressureSolver::PressureSolver(const Communicator& comm, const PressureOptions& parameters, const std::string& prefix)
    : implementation_(std::make_unique<Implementation>(comm, parameters, prefix)) {}

PressureSolver::~PressureSolver() = default;

SolveReport PressureSolver::solve(const PoissonCoefficients& coefficients, const CellField<double>& right_hand_side,
                                  CellField<double>& pressure, const SolveRequest& request) {
  FRESHET_EXPECT(right_hand_side.is_bound_to(coefficients.unknown.layout()));
  FRESHET_EXPECT(pressure.is_bound_to(coefficients.unknown.layout()));
  return implementation_->solve(coefficients, right_hand_side, pressure, request);
}

void PressureSolver::watch(std::function<void(double)> watcher) {
  implementation_->krylov.watch(std::move(watcher));
}

void PressureSolver::set_regions(Regions* regions) {
  implementation_->regions = regions != nullptr && regions->columns() > 0 ? regions : nullptr;
  implementation_->regions_are_new = true;
  implementation_->krylov.set_regions(implementation_->regions);
  implementation_->products.assign(regions != nullptr ? static_cast<std::size_t>(regions->columns()) : 0, 0.0);
}

void PressureSolver::prepare(const PoissonCoefficients& coefficients) {
  implementation_->set_up(coefficients, {});
}

void PressureSolver::precondition(const CellField<double>& r, CellField<double>& z) {
  FRESHET_EXPECT(r.is_bound_to(z.layout()));
  z.fill(0.0);
  if (implementation_->n_global == 0) return;
  implementation_->krylov.precondition(r.data(), z.data());
  implementation_->modes.remove_null(z.data());
}

void PressureSolver::lower_sealed_bodies(std::span<const PressureFloor> floors, double margin,
                                         CellField<double>& pressure) {
  implementation_->lower_sealed_bodies(floors, margin, pressure);
}

double PressureSolver::max_residual(const CellField<double>& right_hand_side, const CellField<double>& pressure) {
  return implementation_->max_residual(right_hand_side, pressure);
}

void PressureSolver::try_options(const PoissonCoefficients& coefficients, CellField<double>& right_hand_side,
                                 CellField<double>& scratch) {
  const BlockLayout& layout = right_hand_side.layout();
  expect_countable(layout.n_global() * layout.cells_per_block());
  if (!implementation_->krylov.shell().has_user_options()) return;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)  // rough, not constant: a sealed body keeps most of it
    for (int c = 0; c < layout.cells_per_block(); ++c) right_hand_side.block(b)[c] = c % 3 - 1;
  scratch.fill(0.0);
  try {
    solve(coefficients, right_hand_side, scratch, {});
  } catch (const LocalError& error) {  // by the options on all ranks, or on this one alone
    abort_job(layout.comm(), implementation_->krylov.shell().refused_options(table_of_options, error.what()),
              ExitCode::input);
  }
  scratch.fill(0.0);
  implementation_->krylov.shell().expect_options_used();
}

}  // namespace freshet
