// SPDX-License-Identifier: Apache-2.0
#include "pressure/krylov/krylov_solver.hpp"

#include "freshet/core/error.hpp"
#include "freshet/pressure/preconditioners.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace freshet::pressure {
namespace {

/// True unless preconditioners() says that this type of PC needs no matrix.
bool must_have_matrix(std::string_view type) {
  return std::none_of(preconditioners().begin(), preconditioners().end(), [type](const PreconditionerRow& row) {
    return row.needs != PreconditionerNeeds::matrix && row.petsc_type == type;
  });
}

/// Lets a vector without memory lie on an array.
class PlacedArray {
 public:
  PlacedArray(Vec vec, const double* array) : vec_(vec) { FRESHET_PETSC(VecPlaceArray(vec_, array)); }
  ~PlacedArray() { VecResetArray(vec_); }
  PlacedArray(const PlacedArray&) = delete;
  PlacedArray& operator=(const PlacedArray&) = delete;

 private:
  Vec vec_;
};

}  // namespace

KrylovSolver::KrylovSolver(const Communicator& comm, const PressureOptions& parameters, const std::string& prefix,
                           KrylovCallbacks callbacks)
    : comm_(comm),
      parameters_(parameters),
      callbacks_(std::move(callbacks)),
      shell_(comm, prefix, parameters_.petsc,
             {.create_vector = [this] { return vecs_.create(); },
              .apply = [this](Vec x, Vec y) { apply(x, y); },
              .diagonal = [this](Vec diagonal) { set_diagonal(diagonal); },
              .precondition = [this](Vec r,
                                     Vec z) { callbacks_.precondition(VecReadArray(r).data(), VecArray(z).data()); },
              .test = [this](int iteration, double norm) { return test_convergence(iteration, norm); }}) {
  for (const PetscSetting& setting : row_of(parameters_.preconditioner).settings)
    shell_.options().set_default(setting.key, setting.value);
}

void KrylovSolver::set_unknowns(const Unknowns& unknowns) {
  vecs_.set_unknowns(unknowns);
  if (layout_id_ == unknowns.layout().id() && !needs_matrix()) return;
  layout_id_ = unknowns.layout().id();
  shell_.release();
  pc_with_matrix_ = PcHandle();
  null_space_ = NullSpaceHandle();
  for (VecHandle* vec : {&solution_, &right_hand_side_, &residual_, &scratch_}) *vec = VecHandle();
  solution_ = VecHandle(vecs_.create_without_memory());
  right_hand_side_ = VecHandle(vecs_.create());
  PetscInt n = 0;
  FRESHET_PETSC(VecGetLocalSize(solution_.get(), &n));
  shell_.reset(n, {.method = KSPCG,
                   .preconditioner = row_of(parameters_.preconditioner).petsc_type,
                   .tolerance = parameters_.tolerance,
                   .max_iterations = parameters_.max_iterations});
  read_options();
  set_preconditioner();
}

/// Let PETSc read the options, and conjugate gradients monitor |r|. Other methods monitor the norm of their choice;
/// test_convergence() computes |r|.
void KrylovSolver::read_options() {
  try {
    shell_.read_options();
  } catch (const LocalError& error) {  // every rank throws it: options are the same
    throw InputError(shell_.refused_options(table_of_options, error.what()));
  }
  if (shell_.has_method({KSPCG, KSPPIPECG, KSPGROPPCG, KSPFCG}) && !shell_.has_option("ksp_norm_type"))
    FRESHET_PETSC(KSPSetNormType(shell_.ksp(), KSP_NORM_UNPRECONDITIONED));
  is_direct_ = shell_.has_method({KSPPREONLY});
  if (!shell_.has_method({KSPCG}) || !monitors_residual())
    for (VecHandle* vec : {&residual_, &scratch_}) *vec = VecHandle(vecs_.create());
}

/// Set the callback of the preconditioner; the user's options may name another than the row.
void KrylovSolver::set_preconditioner() {
  const std::string_view type = shell_.preconditioner();
  const char* const name = row_of(parameters_.preconditioner).name.data();
  uses_shell_ = type == PCSHELL;
  PC pc = shell_.pc();
  if (row_of(parameters_.preconditioner).make != nullptr) shell_.set_callback(pc, name);
  if (!must_have_matrix(type)) return;
  FRESHET_PETSC(PetscObjectReference(reinterpret_cast<PetscObject>(pc)));
  pc_with_matrix_ = PcHandle(pc);
  PcHandle shell;
  FRESHET_PETSC(PCCreate(comm_.raw(), shell.receive()));
  FRESHET_PETSC(PCSetType(shell.get(), PCSHELL));
  shell_.set_callback(shell.get(), name);
  FRESHET_PETSC(KSPSetPC(shell_.ksp(), shell.get()));
  FRESHET_PETSC(KSPSetOperators(shell_.ksp(), shell_.matrix(), shell_.matrix()));
}

void KrylovSolver::set_singular(bool singular) {
  if (singular && null_space_.get() == nullptr) {
    FRESHET_PETSC(MatNullSpaceCreate(comm_.raw(), PETSC_FALSE, 0, nullptr, null_space_.receive()));
    FRESHET_PETSC(MatNullSpaceSetFunction(null_space_.get(), call_remove_null_space, this));
  }
  FRESHET_PETSC(MatSetNullSpace(shell_.matrix(), singular ? null_space_.get() : nullptr));
}

void KrylovSolver::set_up() {
  // The operator's values have changed outside PETSc: an assembly raises its state.
  FRESHET_PETSC(MatAssemblyBegin(shell_.matrix(), MAT_FINAL_ASSEMBLY));
  FRESHET_PETSC(MatAssemblyEnd(shell_.matrix(), MAT_FINAL_ASSEMBLY));
  // Each assembly resets the symmetry flag, which decides whether PETSc projects the right-hand side of a singular A: a
  // solver that is used again must do the same as a new one.
  FRESHET_PETSC(MatSetOption(shell_.matrix(), MAT_SYMMETRIC, PETSC_TRUE));
  FRESHET_PETSC(PCSetUp(shell_.pc()));
}

void KrylovSolver::solve(double* x, bool has_start, const KrylovLimits& limits) {
  limits_ = limits;
  const PlacedArray placed(solution_.get(), x);
  vecs_.begin_solve(shell_.ksp());
  shell_.solve(right_hand_side_.get(), solution_.get(), has_start && !is_direct_);
}

void KrylovSolver::precondition(const double* r, double* z) {
  const VecHandle from(vecs_.create_without_memory());
  const PlacedArray placed_r(from.get(), r), placed_z(solution_.get(), z);
  shell_.precondition(from.get(), solution_.get());
}

void KrylovSolver::apply(Vec x, Vec y) {  // ghosts lie behind the vector's entries: gathering does not change it
  const VecArray to(y);
  callbacks_.apply(const_cast<double*>(VecReadArray(x).data()), to.data());
  if (const Regions* regions = vecs_.regions()) regions->add(1.0, vecs_.products(x), to.data());
}

void KrylovSolver::set_diagonal(Vec diagonal) {
  const VecArray values(diagonal);
  callbacks_.diagonal(values.data());
  if (const Regions* regions = vecs_.regions()) regions->add_diagonal(values.data());
}

PetscErrorCode KrylovSolver::call_remove_null_space(MatNullSpace /*space*/, Vec x, void* context) {
  auto* self = static_cast<KrylovSolver*>(context);
  return self->shell_.guarded([&] { self->callbacks_.remove_null_space(VecArray(x).data()); });
}

/// Converged if |r| <= tolerance |b| and the largest |r| of a cell is small; the latter is computed if the
/// former holds.
KSPConvergedReason KrylovSolver::test_convergence(int iteration, double norm) {
  PetscReal relative = 0.0;
  PetscReal absolute = 0.0;
  PetscReal growth = 0.0;
  FRESHET_PETSC(KSPGetTolerances(shell_.ksp(), &relative, &absolute, &growth, nullptr));
  if (!monitors_residual()) FRESHET_PETSC(VecNorm(build_residual(), NORM_2, &norm));
  if (limits_.tolerance > 0.0) relative = limits_.tolerance;
  if (iteration == 0) first_residual_ = norm;
  if (watcher_) watcher_(largest_residual());
  if (PetscIsInfOrNanReal(norm)) return KSP_DIVERGED_NANORINF;
  if (iteration < limits_.min_iterations) return KSP_CONVERGED_ITERATING;
  if (norm <= std::max(relative * limits_.norm, absolute)) {
    if (limits_.max_residual > 0.0 && largest_residual() > limits_.max_residual) return KSP_CONVERGED_ITERATING;
    return norm <= absolute ? KSP_CONVERGED_ATOL : KSP_CONVERGED_RTOL;
  }
  const bool has_grown = norm >= growth * std::max(first_residual_, limits_.norm);
  return has_grown ? KSP_DIVERGED_DTOL : KSP_CONVERGED_ITERATING;
}

/// Whether PETSc's norm is |r|.
bool KrylovSolver::monitors_residual() const {
  KSPNormType norm = KSP_NORM_DEFAULT;
  FRESHET_PETSC(KSPGetNormType(shell_.ksp(), &norm));
  return norm == KSP_NORM_UNPRECONDITIONED;
}

Vec KrylovSolver::build_residual() {
  if (residual_.get() == nullptr) return vecs_.next_norm().vector;  // the vector of the monitored norm
  Vec residual = nullptr;
  FRESHET_PETSC(KSPBuildResidual(shell_.ksp(), scratch_.get(), residual_.get(), &residual));
  return residual;
}

/// The largest |r| of a cell. [m/s] Collective
double KrylovSolver::largest_residual() {
  return comm_.max(local_max_magnitude(VecReadArray(build_residual()).data(), vecs_.unknowns()));
}

}  // namespace freshet::pressure
