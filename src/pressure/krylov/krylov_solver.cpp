// SPDX-License-Identifier: Apache-2.0
#include "pressure/krylov/krylov_solver.hpp"

#include "freshet/core/error.hpp"
#include "freshet/pressure/preconditioners.hpp"

#include <fmt/format.h>

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

}  // namespace

KrylovSolver::KrylovSolver(const Communicator& comm, const PressureOptions& parameters, const std::string& prefix,
                           KrylovCallbacks callbacks)
    : comm_(comm), parameters_(parameters), callbacks_(std::move(callbacks)), options_(prefix) {
  for (const auto& [key, value] : parameters_.petsc) options_.set_for_user(key, value);
  for (const PetscSetting& setting : row_of(parameters_.preconditioner).settings)
    options_.set_default(setting.key, setting.value);
}

void KrylovSolver::set_unknowns(const Unknowns& unknowns) {
  vecs_.set_unknowns(unknowns);
  if (layout_id_ == unknowns.layout().id() && !needs_matrix()) return;
  layout_id_ = unknowns.layout().id();
  ksp_ = KspHandle();
  pc_with_matrix_ = PcHandle();
  null_space_ = NullSpaceHandle();
  for (VecHandle* vec : {&solution_, &right_hand_side_, &residual_, &scratch_}) *vec = VecHandle();
  solution_ = VecHandle(vecs_.create_without_memory());
  right_hand_side_ = VecHandle(vecs_.create());
  create_operator();
  create_ksp();
}

std::string refused_options(const char* why) {
  return fmt::format("PETSc refuses an option below pressure_ ({}). Check [pressure.petsc] and what stands after --",
                     why);
}

void KrylovSolver::create_operator() {
  PetscInt n = 0;
  FRESHET_PETSC(VecGetLocalSize(solution_.get(), &n));
  FRESHET_PETSC(MatCreateShell(comm_.raw(), n, n, PETSC_DETERMINE, PETSC_DETERMINE, this, operator_.receive()));
  const auto set = [matrix = operator_.get()](MatOperation operation, auto* function) {
    FRESHET_PETSC(MatShellSetOperation(matrix, operation, reinterpret_cast<void (*)()>(function)));
  };
  set(MATOP_CREATE_VECS, create_vectors);
  set(MATOP_MULT, call_apply);
  set(MATOP_MULT_TRANSPOSE, call_apply);
  set(MATOP_GET_DIAGONAL, call_diagonal);
}

void KrylovSolver::create_ksp() {
  FRESHET_PETSC(KSPCreate(comm_.raw(), ksp_.receive()));
  KSP ksp = ksp_.get();
  FRESHET_PETSC(KSPSetOptionsPrefix(ksp, options_.prefix().c_str()));
  FRESHET_PETSC(KSPSetType(ksp, KSPCG));
  FRESHET_PETSC(KSPSetTolerances(ksp, parameters_.tolerance, PETSC_DEFAULT, PETSC_DEFAULT, parameters_.max_iterations));
  FRESHET_PETSC(KSPSetConvergenceTest(ksp, test_convergence, this, nullptr));
  FRESHET_PETSC(KSPSetOperators(ksp, operator_.get(), operator_.get()));
  PC pc = nullptr;
  FRESHET_PETSC(KSPGetPC(ksp, &pc));
  FRESHET_PETSC(PCSetType(pc, row_of(parameters_.preconditioner).petsc_type));
  try {
    FRESHET_PETSC(KSPSetFromOptions(ksp));
  } catch (const LocalError& error) {  // every rank throws it: options are the same
    throw InputError(refused_options(error.what()));
  }
  set_norm(ksp);
  PetscBool applies_only_pc = PETSC_FALSE;
  FRESHET_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp), KSPPREONLY, &applies_only_pc));
  is_direct_ = applies_only_pc == PETSC_TRUE;
  PetscBool is_cg = PETSC_FALSE;
  KSPNormType norm = KSP_NORM_DEFAULT;
  FRESHET_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp), KSPCG, &is_cg));
  FRESHET_PETSC(KSPGetNormType(ksp, &norm));
  if (is_cg == PETSC_FALSE || norm != KSP_NORM_UNPRECONDITIONED)
    for (VecHandle* vec : {&residual_, &scratch_}) *vec = VecHandle(vecs_.create());
  PCType type = nullptr;  // the user's options may name another than the row
  FRESHET_PETSC(PCGetType(pc, &type));
  const std::string_view type_name = type != nullptr ? type : PCNONE;
  uses_shell_ = type_name == PCSHELL;
  if (row_of(parameters_.preconditioner).make != nullptr) set_shell(pc);
  if (!must_have_matrix(type_name)) return;
  FRESHET_PETSC(PetscObjectReference(reinterpret_cast<PetscObject>(pc)));
  pc_with_matrix_ = PcHandle(pc);
  PcHandle shell;
  FRESHET_PETSC(PCCreate(comm_.raw(), shell.receive()));
  FRESHET_PETSC(PCSetType(shell.get(), PCSHELL));
  set_shell(shell.get());
  FRESHET_PETSC(KSPSetPC(ksp, shell.get()));
  FRESHET_PETSC(KSPSetOperators(ksp, operator_.get(), operator_.get()));
}

/// Let conjugate gradients monitor |r|. Other methods monitor the norm of their choice; test_convergence()
/// computes |r|.
void KrylovSolver::set_norm(KSP ksp) {
  PetscBool supported = PETSC_FALSE;
  PetscBool chosen = PETSC_FALSE;
  const std::string option = "-" + options_.prefix() + "ksp_norm_type";
  FRESHET_PETSC(PetscOptionsHasName(nullptr, nullptr, option.c_str(), &chosen));
  FRESHET_PETSC(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(ksp), &supported, KSPCG, KSPPIPECG, KSPGROPPCG,
                                          KSPFCG, ""));
  if (supported == PETSC_TRUE && chosen == PETSC_FALSE) {
    FRESHET_PETSC(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  }
}

void KrylovSolver::set_shell(PC pc) {
  FRESHET_PETSC(PCShellSetName(pc, row_of(parameters_.preconditioner).name.data()));
  FRESHET_PETSC(PCShellSetContext(pc, this));
  FRESHET_PETSC(PCShellSetApply(pc, call_precondition));
}

void KrylovSolver::set_singular(bool singular) {
  if (singular && null_space_.get() == nullptr) {
    FRESHET_PETSC(MatNullSpaceCreate(comm_.raw(), PETSC_FALSE, 0, nullptr, null_space_.receive()));
    FRESHET_PETSC(MatNullSpaceSetFunction(null_space_.get(), call_remove_null_space, this));
  }
  FRESHET_PETSC(MatSetNullSpace(operator_.get(), singular ? null_space_.get() : nullptr));
}

void KrylovSolver::set_up() {
  // The operator's values have changed outside PETSc: an assembly raises its state.
  FRESHET_PETSC(MatAssemblyBegin(operator_.get(), MAT_FINAL_ASSEMBLY));
  FRESHET_PETSC(MatAssemblyEnd(operator_.get(), MAT_FINAL_ASSEMBLY));
  // Each assembly resets the symmetry flag, which decides whether PETSc projects the right-hand side of a singular A: a
  // solver that is used again must do the same as a new one.
  FRESHET_PETSC(MatSetOption(operator_.get(), MAT_SYMMETRIC, PETSC_TRUE));
  PC pc = nullptr;
  FRESHET_PETSC(KSPGetPC(ksp_.get(), &pc));
  FRESHET_PETSC(PCSetUp(pc));
}

void KrylovSolver::solve(double* x, bool has_start, const KrylovLimits& limits) {
  limits_ = limits;
  failure_ = nullptr;
  FRESHET_PETSC(KSPSetInitialGuessNonzero(ksp_.get(), has_start && !is_direct_ ? PETSC_TRUE : PETSC_FALSE));
  FRESHET_PETSC(VecPlaceArray(solution_.get(), x));
  vecs_.begin_solve(ksp_.get());
  const PetscErrorCode code = KSPSolve(ksp_.get(), right_hand_side_.get(), solution_.get());
  FRESHET_PETSC(VecResetArray(solution_.get()));
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  check_petsc(code, "KSPSolve");
}

void KrylovSolver::precondition(const double* r, double* z) {
  failure_ = nullptr;
  PC pc = nullptr;
  FRESHET_PETSC(KSPGetPC(ksp_.get(), &pc));
  VecHandle from(vecs_.create_without_memory());
  FRESHET_PETSC(VecPlaceArray(from.get(), r));
  FRESHET_PETSC(VecPlaceArray(solution_.get(), z));
  const PetscErrorCode code = PCApply(pc, from.get(), solution_.get());
  FRESHET_PETSC(VecResetArray(solution_.get()));
  FRESHET_PETSC(VecResetArray(from.get()));
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  check_petsc(code, "PCApply");
}

int KrylovSolver::iterations() const {
  PetscInt n = 0;
  FRESHET_PETSC(KSPGetIterationNumber(ksp_.get(), &n));
  return static_cast<int>(n);
}

KSPConvergedReason KrylovSolver::reason() const {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  FRESHET_PETSC(KSPGetConvergedReason(ksp_.get(), &reason));
  return reason;
}

/// Call f and keep what it throws for solve(); PETSc gets an error code instead.
template <class Function>
PetscErrorCode KrylovSolver::guarded(Function&& f) {
  try {
    f();
    return 0;
  } catch (...) {
    failure_ = std::current_exception();
    return PETSC_ERR_LIB;
  }
}

PetscErrorCode KrylovSolver::create_vectors(Mat matrix, Vec* right, Vec* left) {
  KrylovSolver* self = nullptr;
  PetscCall(MatShellGetContext(matrix, &self));
  return self->guarded([&] {
    for (Vec* vec : {right, left})
      if (vec != nullptr) *vec = self->vecs_.create();
  });
}

PetscErrorCode KrylovSolver::call_apply(Mat matrix, Vec x, Vec y) {
  KrylovSolver* self = nullptr;
  PetscCall(MatShellGetContext(matrix, &self));
  return self->guarded([&] {  // ghosts lie behind the vector's entries: gathering does not change it
    const VecArray to(y);
    self->callbacks_.apply(const_cast<double*>(VecReadArray(x).data()), to.data());
    if (const Regions* regions = self->vecs_.regions()) regions->add(1.0, self->vecs_.products(x), to.data());
  });
}

PetscErrorCode KrylovSolver::call_diagonal(Mat matrix, Vec diagonal) {
  KrylovSolver* self = nullptr;
  PetscCall(MatShellGetContext(matrix, &self));
  return self->guarded([&] {
    const VecArray values(diagonal);
    self->callbacks_.diagonal(values.data());
    if (const Regions* regions = self->vecs_.regions()) regions->add_diagonal(values.data());
  });
}

PetscErrorCode KrylovSolver::call_precondition(PC pc, Vec r, Vec z) {
  KrylovSolver* self = nullptr;
  PetscCall(PCShellGetContext(pc, &self));
  return self->guarded([&] { self->callbacks_.precondition(VecReadArray(r).data(), VecArray(z).data()); });
}

PetscErrorCode KrylovSolver::call_remove_null_space(MatNullSpace /*space*/, Vec x, void* context) {
  auto* self = static_cast<KrylovSolver*>(context);
  return self->guarded([&] { self->callbacks_.remove_null_space(VecArray(x).data()); });
}

/// Converged if |r| <= tolerance |b| and the largest |r| of a cell is small; the latter is computed if the
/// former holds.
PetscErrorCode KrylovSolver::test_convergence(KSP ksp, PetscInt iteration, PetscReal norm, KSPConvergedReason* reason,
                                              void* context) {
  PetscReal relative = 0.0;
  PetscReal absolute = 0.0;
  PetscReal growth = 0.0;
  KSPNormType type = KSP_NORM_DEFAULT;
  PetscFunctionBegin;
  auto& self = *static_cast<KrylovSolver*>(context);
  PetscCall(KSPGetTolerances(ksp, &relative, &absolute, &growth, nullptr));
  PetscCall(KSPGetNormType(ksp, &type));
  if (type != KSP_NORM_UNPRECONDITIONED) {
    PetscCall(self.guarded([&] { FRESHET_PETSC(VecNorm(self.build_residual(ksp), NORM_2, &norm)); }));
  }
  if (self.limits_.tolerance > 0.0) relative = self.limits_.tolerance;
  if (iteration == 0) self.first_residual_ = norm;
  *reason = KSP_CONVERGED_ITERATING;
  if (PetscIsInfOrNanReal(norm)) {
    *reason = KSP_DIVERGED_NANORINF;
  } else if (iteration < self.limits_.min_iterations) {
    PetscFunctionReturn(0);
  } else if (norm <= std::max(relative * self.limits_.norm, absolute)) {
    bool small = true;
    PetscCall(self.guarded([&] { small = self.largest_residual_is_small(ksp); }));
    if (small) *reason = norm <= absolute ? KSP_CONVERGED_ATOL : KSP_CONVERGED_RTOL;
  } else if (norm >= growth * std::max(self.first_residual_, self.limits_.norm)) {
    *reason = KSP_DIVERGED_DTOL;
  }
  PetscFunctionReturn(0);
}

Vec KrylovSolver::build_residual(KSP ksp) {
  if (residual_.get() == nullptr) return vecs_.next_norm().vector;  // the vector of the monitored norm
  Vec residual = nullptr;
  FRESHET_PETSC(KSPBuildResidual(ksp, scratch_.get(), residual_.get(), &residual));
  return residual;
}

bool KrylovSolver::largest_residual_is_small(KSP ksp) {
  if (limits_.max_residual <= 0.0) return true;
  const double here = local_max_magnitude(VecReadArray(build_residual(ksp)).data(), vecs_.unknowns());
  return comm_.max(here) <= limits_.max_residual;
}

}  // namespace freshet::pressure
