// SPDX-License-Identifier: Apache-2.0
#include "viscosity/krylov.hpp"

#include "freshet/core/error.hpp"
#include "viscosity/face_vector.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace freshet::viscous {

/// Iterations after which a method starts anew from the true residual. Multigrid in single precision is not exactly
/// the same matrix in each iteration: the residual that short recurrences update goes on shrinking after the true one
/// has stopped.
constexpr PetscInt iterations_to_restart = 80;
/// Iterations after which convergence is verified: the method starts anew from the true residual.
constexpr int iterations_to_trust = 20;

std::string Krylov::refused_options(const std::string& why) const {
  return fmt::format(
      "PETSc refuses an option below {} ({}). Check [viscosity.petsc] and what stands after --; only preconditioners "
      "that need no matrix can be chosen",
      method_.prefix, why);
}

/// Errors: InputError if the option names a type that PETSc does not have. (PETSc's own error for it leaks memory.)
void Krylov::expect_type(const char* option, PetscFunctionList types) const {
  char name[256] = {};
  PetscBool is_set = PETSC_FALSE;
  FRESHET_PETSC(PetscOptionsGetString(nullptr, method_.prefix.c_str(), option, name, sizeof name, &is_set));
  if (is_set == PETSC_FALSE) return;
  void (*make)() = nullptr;
  FRESHET_PETSC(PetscFunctionListFind(types, name, &make));
  if (make == nullptr)
    throw InputError(refused_options(fmt::format("-{}{} {}: there is no such type", method_.prefix, option + 1, name)));
}

Krylov::Krylov(const Communicator& comm, KrylovMethod method, const ViscosityOptions& options,
               KrylovCallbacks callbacks)
    : comm_(comm),
      method_(std::move(method)),
      tolerance_(options.tolerance),
      max_iterations_(options.max_iterations),
      callbacks_(std::move(callbacks)),
      options_(method_.prefix) {
  for (const auto& [key, value] : options.petsc) options_.set_for_user(key, value);
}

void Krylov::try_options() {
  if (options_.user_options(OptionUse::any).empty()) return;
  is_trial_ = true;
  reset(0);
  try {
    solve(0.0);
  } catch (const LocalError& error) {
    throw InputError(refused_options(error.what()));
  }
  is_trial_ = false;
  ksp_ = KspHandle();
  const std::vector<std::string> unused = options_.user_options(OptionUse::unused);
  if (!unused.empty())
    throw InputError(fmt::format(
        "PETSc option {} is not used (it is misspelt, or belongs to another solver than the chosen one). See PETSc's "
        "manual, or -- -help",
        fmt::join(unused, ", ")));
}

void Krylov::reset(PetscInt n) {
  ksp_ = KspHandle();
  for (VecHandle* vec : {&right_hand_side_, &solution_, &residual_vector_, &scratch_})
    *vec = VecHandle(create_face_vector(comm_, n));
  is_prepared_ = false;
  create_operator(n);
  create_ksp();
}

void Krylov::create_operator(PetscInt n) {
  FRESHET_PETSC(MatCreateShell(comm_.raw(), n, n, PETSC_DETERMINE, PETSC_DETERMINE, this, operator_.receive()));
  const auto set = [matrix = operator_.get()](MatOperation operation, auto* function) {
    FRESHET_PETSC(MatShellSetOperation(matrix, operation, reinterpret_cast<void (*)()>(function)));
  };
  set(MATOP_CREATE_VECS, create_vectors);
  set(MATOP_MULT, call_apply);
  set(MATOP_MULT_TRANSPOSE, call_apply);
  set(MATOP_GET_DIAGONAL, call_diagonal);
  FRESHET_PETSC(MatSetOption(operator_.get(), MAT_SYMMETRIC, PETSC_TRUE));
}

/// Whether the options below the prefix set more than the methods of short_recurrences.hpp read.
bool Krylov::asks_for_petsc() const {
  const std::string begin = "-" + method_.prefix + "ksp_";
  for (const std::string& option : options_.user_options(OptionUse::any)) {
    if (!option.starts_with(begin)) continue;
    const std::string name = option.substr(begin.size());
    if (name != "type" && name != "rtol" && name != "atol" && name != "max_it") return true;
  }
  PetscBool is_method = PETSC_FALSE;
  FRESHET_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp_.get()), method_.type, &is_method));
  return is_method == PETSC_FALSE;
}

void Krylov::create_ksp() {
  FRESHET_PETSC(KSPCreate(comm_.raw(), ksp_.receive()));
  KSP ksp = ksp_.get();
  FRESHET_PETSC(KSPSetOptionsPrefix(ksp, options_.prefix().c_str()));
  FRESHET_PETSC(KSPSetType(ksp, method_.type));
  FRESHET_PETSC(KSPSetTolerances(ksp, tolerance_, PETSC_DEFAULT, PETSC_DEFAULT, max_iterations_));
  FRESHET_PETSC(KSPSetConvergenceTest(ksp, test_convergence, this, nullptr));
  FRESHET_PETSC(KSPSetOperators(ksp, operator_.get(), operator_.get()));
  PC pc = nullptr;
  FRESHET_PETSC(KSPGetPC(ksp, &pc));
  FRESHET_PETSC(PCSetType(pc, PCSHELL));
  expect_type("-ksp_type", KSPList);
  expect_type("-pc_type", PCList);
  try {
    FRESHET_PETSC(KSPSetFromOptions(ksp));
    PetscBool is_cg = PETSC_FALSE;
    PetscBool is_minres = PETSC_FALSE;
    PetscBool has_norm = PETSC_FALSE;
    FRESHET_PETSC(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(ksp), &is_cg, KSPCG, KSPPIPECG, KSPFCG, ""));
    FRESHET_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp), KSPMINRES, &is_minres));
    FRESHET_PETSC(PetscOptionsHasName(nullptr, method_.prefix.c_str(), "-ksp_norm_type", &has_norm));
    if (is_cg == PETSC_TRUE && has_norm == PETSC_FALSE) FRESHET_PETSC(KSPSetNormType(ksp, KSP_NORM_NATURAL));
    has_natural_norm_ = has_norm == PETSC_FALSE && (is_cg == PETSC_TRUE || is_minres == PETSC_TRUE);
#if PETSC_VERSION_GE(3, 20, 0)  // from here on MINRES by default keeps x if |x| exceeds 6.7e7
    PetscBool has_radius = PETSC_FALSE;
    FRESHET_PETSC(PetscOptionsHasName(nullptr, method_.prefix.c_str(), "-ksp_minres_radius", &has_radius));
    if (has_radius == PETSC_FALSE) FRESHET_PETSC(KSPMINRESSetRadius(ksp, PETSC_MAX_REAL));
#endif
    PCType type = nullptr;
    FRESHET_PETSC(PCGetType(pc, &type));
    uses_shell_ = type != nullptr && std::string_view(type) == PCSHELL;
    if (uses_shell_) {
      FRESHET_PETSC(PCShellSetName(pc, "multigrid"));
      FRESHET_PETSC(PCShellSetContext(pc, this));
      FRESHET_PETSC(PCShellSetApply(pc, call_precondition));
    }
    by_petsc_ = is_trial_ || asks_for_petsc();
    if (by_petsc_)
      FRESHET_PETSC(KSPSetUp(ksp));
    else
      FRESHET_PETSC(PCSetUp(pc));
  } catch (const LocalError& error) {  // every rank throws it: options are the same
    throw InputError(refused_options(error.what()));
  }
}

void Krylov::prepare() {
  if (!is_prepared_ && uses_shell_ && !is_trial_) callbacks_.prepare();
  is_prepared_ = true;
}

double Krylov::norm_of_right_hand_side() {
  PetscReal norm = 0.0;
  if (!has_natural_norm_) {
    FRESHET_PETSC(VecNorm(right_hand_side_.get(), NORM_2, &norm));
    return norm;
  }
  prepare();
  PC pc = nullptr;
  failure_ = nullptr;
  FRESHET_PETSC(KSPGetPC(ksp_.get(), &pc));
  const PetscErrorCode code = PCApply(pc, right_hand_side_.get(), scratch_.get());
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  check_petsc(code, "PCApply");
  FRESHET_PETSC(VecDot(right_hand_side_.get(), scratch_.get(), &norm));
  return std::sqrt(std::max(norm, 0.0));
}

bool Krylov::solve(double norm, double largest_start) {
  norm_ = norm;
  largest_start_ = largest_start;
  failure_ = nullptr;
  iterations_ = 0;
  prepare();
  Tolerances of;
  FRESHET_PETSC(KSPGetTolerances(ksp_.get(), &of.relative, &of.absolute, &of.growth, &of.iterations));
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  bool goes_on = true;
  while (goes_on) {
    const int before = iterations_;
    reason = go_on(of, before > 0);
    largest_start_ = std::numeric_limits<double>::infinity();
    const bool is_to_be_proven = reason > 0 && uses_shell_ && iterations_ - before > iterations_to_trust;
    goes_on = (reason == KSP_DIVERGED_ITS || is_to_be_proven) && iterations_ < of.iterations;
  }
  FRESHET_PETSC(KSPSetTolerances(ksp_.get(), of.relative, of.absolute, of.growth, of.iterations));
  return reason != KSP_DIVERGED_DTOL;
}

/// Iterate from the present solution or from zero until the method ends or must start anew.
KSPConvergedReason Krylov::go_on(const Tolerances& of, bool from_solution) {
  const PetscInt left = of.iterations - iterations_;
  const auto most = static_cast<int>(uses_shell_ ? std::min(left, iterations_to_restart) : left);
  const RecurrenceResult result = by_petsc_ ? iterate_by_petsc(of, most, from_solution) : iterate(most, from_solution);
  iterations_ += result.iterations;
  return result.reason;
}

RecurrenceResult Krylov::iterate(int max_iterations, bool from_solution) {
  unit_ = 1.0;
  first_norm_ = 0.0;  // the method computes it
  PC pc = nullptr;
  FRESHET_PETSC(KSPGetPC(ksp_.get(), &pc));
  const auto checked = [this](PetscErrorCode code, const char* call) {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    check_petsc(code, call);
  };
  const RecurrenceCallbacks calls{
      .apply = [&](Vec from, Vec to) { checked(MatMult(operator_.get(), from, to), "MatMult"); },
      .precondition = [&](Vec from, Vec to) { checked(PCApply(pc, from, to), "PCApply"); },
      .test =
          [&](int iteration, double norm) {
            KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
            FRESHET_PETSC(test_convergence(ksp_.get(), iteration, norm, &reason, this));
            return reason;
          }};
  return method_.iterate({right_hand_side_.get(), solution_.get(), from_solution}, calls, max_iterations);
}

RecurrenceResult Krylov::iterate_by_petsc(const Tolerances& of, int max_iterations, bool from_solution) {
  KSP ksp = ksp_.get();
  FRESHET_PETSC(KSPSetTolerances(ksp, of.relative, of.absolute, of.growth, max_iterations));
  FRESHET_PETSC(KSPSetInitialGuessNonzero(ksp, from_solution ? PETSC_TRUE : PETSC_FALSE));
  first_norm_ = has_natural_norm_ && !uses_shell_ && !is_trial_ ? norm_of_right_hand_side() : -1.0;
  const PetscErrorCode code = KSPSolve(ksp, right_hand_side_.get(), solution_.get());
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  check_petsc(code, "KSPSolve");
  PetscInt n = 0;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  FRESHET_PETSC(KSPGetIterationNumber(ksp, &n));
  FRESHET_PETSC(KSPGetConvergedReason(ksp, &reason));
  return {static_cast<int>(n), reason};
}

/// Call f and keep what it throws for solve(); PETSc gets an error code instead.
template <class Function>
PetscErrorCode Krylov::guarded(Function&& f) {
  if (is_trial_) return 0;
  try {
    f();
    return 0;
  } catch (...) {
    failure_ = std::current_exception();
    return PETSC_ERR_LIB;
  }
}

PetscErrorCode Krylov::create_vectors(Mat matrix, Vec* right, Vec* left) {
  Krylov* self = nullptr;
  PetscCall(MatShellGetContext(matrix, &self));
  for (Vec* vec : {right, left})
    if (vec != nullptr) PetscCall(VecDuplicate(self->solution_.get(), vec));
  return 0;
}

PetscErrorCode Krylov::call_apply(Mat matrix, Vec x, Vec y) {
  Krylov* self = nullptr;
  PetscCall(MatShellGetContext(matrix, &self));
  return self->guarded([&] { self->callbacks_.apply(VecReadArray(x).data(), VecArray(y).data()); });
}

PetscErrorCode Krylov::call_diagonal(Mat matrix, Vec diagonal) {
  Krylov* self = nullptr;
  PetscCall(MatShellGetContext(matrix, &self));
  return self->guarded([&] { self->callbacks_.diagonal(VecArray(diagonal).data()); });
}

PetscErrorCode Krylov::call_precondition(PC pc, Vec r, Vec z) {
  Krylov* self = nullptr;
  PetscCall(PCShellGetContext(pc, &self));
  PetscCall(self->guarded([&] { self->callbacks_.precondition(VecReadArray(r).data(), VecArray(z).data()); }));
  if (self->first_norm_ >= 0.0 || self->is_trial_) return 0;
  PetscCall(VecDot(r, z, &self->first_norm_));
  self->first_norm_ = std::sqrt(std::max(self->first_norm_, 0.0));
  return 0;
}

/// PETSc's test for solve(). The norm of PETSc's MINRES is the natural norm times a factor, which follows from the
/// first value (|M^-1 r| before release 3.20); CG's factor is 1.
PetscErrorCode Krylov::test_convergence(KSP ksp, PetscInt iteration, PetscReal norm, KSPConvergedReason* reason,
                                        void* context) {
  PetscReal relative = 0.0;
  PetscReal absolute = 0.0;
  PetscFunctionBegin;
  auto& self = *static_cast<Krylov*>(context);
  PetscCall(KSPGetTolerances(ksp, &relative, &absolute, nullptr, nullptr));
  if (!self.has_natural_norm_) {
    Vec residual = nullptr;
    PetscCall(KSPBuildResidual(ksp, self.scratch_.get(), self.residual_vector_.get(), &residual));
    PetscCall(VecNorm(residual, NORM_2, &norm));
  } else if (!self.is_trial_) {
    if (iteration == 0 && self.by_petsc_) self.unit_ = norm > 0.0 ? self.first_norm_ / norm : 1.0;
    norm *= self.unit_;
  }
  self.residual_ = norm;
  *reason = PetscIsInfOrNanReal(norm)                      ? KSP_DIVERGED_NANORINF
            : iteration == 0 && norm > self.largest_start_ ? KSP_DIVERGED_DTOL
            : norm <= relative * self.norm_                ? KSP_CONVERGED_RTOL
            : norm <= absolute                             ? KSP_CONVERGED_ATOL
                                                           : KSP_CONVERGED_ITERATING;
  PetscFunctionReturn(0);
}

}  // namespace freshet::viscous
