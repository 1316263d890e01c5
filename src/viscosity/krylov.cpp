// SPDX-License-Identifier: Apache-2.0
#include "viscosity/krylov.hpp"

#include "freshet/core/error.hpp"
#include "freshet/linear/chunked_vec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace freshet::viscous {

/// Iterations after which a method starts anew from the true residual. Multigrid in single precision is not exactly
/// the same matrix in each iteration: the residual that short recurrences update goes on shrinking after the true one
/// has stopped.
constexpr PetscInt iterations_to_restart = 80;
/// Iterations after which convergence is verified: the method starts anew from the true residual.
constexpr int iterations_to_trust = 20;

std::string Krylov::refused_options(const std::string& why) const {
  return shell_.refused_options("viscosity.petsc", why) + "; only preconditioners that need no matrix can be chosen";
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
      shell_(comm, method_.prefix, options.petsc, shell_callbacks()) {}

ShellCallbacks Krylov::shell_callbacks() {
  return {.create_vector =
              [this] {
                Vec vec = nullptr;
                FRESHET_PETSC(VecDuplicate(solution_.get(), &vec));
                return vec;
              },
          .apply =
              [this](Vec x, Vec y) {
                if (!is_trial_) callbacks_.apply(VecReadArray(x).data(), VecArray(y).data());
              },
          .diagonal =
              [this](Vec diagonal) {
                if (!is_trial_) callbacks_.diagonal(VecArray(diagonal).data());
              },
          .precondition = [this](Vec r, Vec z) { precondition(r, z); },
          .test = [this](int iteration, double norm) { return test_convergence(iteration, norm); }};
}

void Krylov::try_options() {
  if (!shell_.has_user_options()) return;
  is_trial_ = true;
  reset(0);
  try {
    solve(0.0);
  } catch (const LocalError& error) {
    throw InputError(refused_options(error.what()));
  }
  is_trial_ = false;
  shell_.release();
  shell_.expect_options_used();
}

void Krylov::reset(PetscInt n) {
  shell_.release();
  for (VecHandle* vec : {&right_hand_side_, &solution_, &residual_vector_, &scratch_})
    *vec = VecHandle(create_chunked_vector(comm_, n));
  is_prepared_ = false;
  shell_.reset(
      n,
      {.method = method_.type, .preconditioner = PCSHELL, .tolerance = tolerance_, .max_iterations = max_iterations_});
  expect_type("-ksp_type", KSPList);
  expect_type("-pc_type", PCList);
  try {
    read_options();
  } catch (const LocalError& error) {  // every rank throws it: options are the same
    throw InputError(refused_options(error.what()));
  }
}

/// Whether the options below the prefix set more than the methods of short_recurrences.hpp read.
bool Krylov::asks_for_petsc() const {
  const std::string begin = "-" + method_.prefix + "ksp_";
  for (const std::string& option : shell_.options().user_options(OptionUse::any)) {
    if (!option.starts_with(begin)) continue;
    const std::string name = option.substr(begin.size());
    if (name != "type" && name != "rtol" && name != "atol" && name != "max_it") return true;
  }
  return !shell_.has_method({method_.type});
}

void Krylov::read_options() {
  shell_.read_options();
  choose_norm();
  uses_shell_ = shell_.preconditioner() == PCSHELL;
  if (uses_shell_) shell_.set_callback(shell_.pc(), "multigrid");
  by_petsc_ = is_trial_ || asks_for_petsc();
  if (by_petsc_)
    FRESHET_PETSC(KSPSetUp(shell_.ksp()));
  else
    FRESHET_PETSC(PCSetUp(shell_.pc()));
}

/// Monitor the natural norm where the method can and the options name no other norm.
void Krylov::choose_norm() {
  const bool is_cg = shell_.has_method({KSPCG, KSPPIPECG, KSPFCG});
  has_natural_norm_ = !shell_.has_option("ksp_norm_type") && (is_cg || shell_.has_method({KSPMINRES}));
  if (is_cg && has_natural_norm_) FRESHET_PETSC(KSPSetNormType(shell_.ksp(), KSP_NORM_NATURAL));
#if PETSC_VERSION_GE(3, 20, 0)  // from here on MINRES by default keeps x if |x| exceeds 6.7e7
  if (!shell_.has_option("ksp_minres_radius")) FRESHET_PETSC(KSPMINRESSetRadius(shell_.ksp(), PETSC_MAX_REAL));
#endif
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
  shell_.precondition(right_hand_side_.get(), scratch_.get());
  FRESHET_PETSC(VecDot(right_hand_side_.get(), scratch_.get(), &norm));
  return std::sqrt(std::max(norm, 0.0));
}

bool Krylov::solve(double norm, double largest_start) {
  norm_ = norm;
  largest_start_ = largest_start;
  iterations_ = 0;
  prepare();
  Tolerances of;
  FRESHET_PETSC(KSPGetTolerances(shell_.ksp(), &of.relative, &of.absolute, &of.growth, &of.iterations));
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  bool goes_on = true;
  while (goes_on) {
    const int before = iterations_;
    reason = go_on(of, before > 0);
    largest_start_ = std::numeric_limits<double>::infinity();
    const bool is_to_be_proven = reason > 0 && uses_shell_ && iterations_ - before > iterations_to_trust;
    goes_on = (reason == KSP_DIVERGED_ITS || is_to_be_proven) && iterations_ < of.iterations;
  }
  FRESHET_PETSC(KSPSetTolerances(shell_.ksp(), of.relative, of.absolute, of.growth, of.iterations));
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
  const RecurrenceCallbacks calls{
      .apply = [this](Vec from, Vec to) { shell_.apply(from, to); },
      .precondition = [this](Vec from, Vec to) { shell_.precondition(from, to); },
      .test = [this](int iteration, double norm) { return test_convergence(iteration, norm); }};
  return method_.iterate({right_hand_side_.get(), solution_.get(), from_solution}, calls, max_iterations);
}

RecurrenceResult Krylov::iterate_by_petsc(const Tolerances& of, int max_iterations, bool from_solution) {
  FRESHET_PETSC(KSPSetTolerances(shell_.ksp(), of.relative, of.absolute, of.growth, max_iterations));
  first_norm_ = has_natural_norm_ && !uses_shell_ && !is_trial_ ? norm_of_right_hand_side() : -1.0;
  shell_.solve(right_hand_side_.get(), solution_.get(), from_solution);
  return {shell_.iterations(), shell_.reason()};
}

void Krylov::precondition(Vec r, Vec z) {
  if (is_trial_) return;
  callbacks_.precondition(VecReadArray(r).data(), VecArray(z).data());
  if (first_norm_ >= 0.0) return;
  FRESHET_PETSC(VecDot(r, z, &first_norm_));
  first_norm_ = std::sqrt(std::max(first_norm_, 0.0));
}

/// The norm of PETSc's MINRES is the natural norm times a factor, which follows from the first value (|M^-1 r| before
/// release 3.20); CG's factor is 1.
KSPConvergedReason Krylov::test_convergence(int iteration, double norm) {
  PetscReal relative = 0.0;
  PetscReal absolute = 0.0;
  FRESHET_PETSC(KSPGetTolerances(shell_.ksp(), &relative, &absolute, nullptr, nullptr));
  if (!has_natural_norm_) {
    Vec residual = nullptr;
    FRESHET_PETSC(KSPBuildResidual(shell_.ksp(), scratch_.get(), residual_vector_.get(), &residual));
    FRESHET_PETSC(VecNorm(residual, NORM_2, &norm));
  } else if (!is_trial_) {
    if (iteration == 0 && by_petsc_) unit_ = norm > 0.0 ? first_norm_ / norm : 1.0;
    norm *= unit_;
  }
  residual_ = norm;
  if (PetscIsInfOrNanReal(norm)) return KSP_DIVERGED_NANORINF;
  if (iteration == 0 && norm > largest_start_) return KSP_DIVERGED_DTOL;
  if (norm <= relative * norm_) return KSP_CONVERGED_RTOL;
  return norm <= absolute ? KSP_CONVERGED_ATOL : KSP_CONVERGED_ITERATING;
}

}  // namespace freshet::viscous
