// SPDX-License-Identifier: Apache-2.0
#include "freshet/linear/krylov_shell.hpp"

#include "freshet/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace freshet {

KrylovShell::KrylovShell(const Communicator& comm, std::string prefix,
                         const std::map<std::string, std::string>& options, ShellCallbacks callbacks)
    : comm_(comm), options_(std::move(prefix)), callbacks_(std::move(callbacks)) {
  for (const auto& [key, value] : options) options_.set_for_user(key, value);
}

void KrylovShell::reset(PetscInt n, const Defaults& defaults) {
  ksp_ = KspHandle();
  FRESHET_PETSC(MatCreateShell(comm_.raw(), n, n, PETSC_DETERMINE, PETSC_DETERMINE, this, matrix_.receive()));
  const auto set = [this](MatOperation operation, auto* function) {
    FRESHET_PETSC(MatShellSetOperation(matrix(), operation, reinterpret_cast<void (*)()>(function)));
  };
  set(MATOP_CREATE_VECS, create_vectors);
  set(MATOP_MULT, call_apply);
  set(MATOP_MULT_TRANSPOSE, call_apply);
  set(MATOP_GET_DIAGONAL, call_diagonal);
  FRESHET_PETSC(MatSetOption(matrix(), MAT_SYMMETRIC, PETSC_TRUE));
  FRESHET_PETSC(KSPCreate(comm_.raw(), ksp_.receive()));
  FRESHET_PETSC(KSPSetOptionsPrefix(ksp(), options_.prefix().c_str()));
  FRESHET_PETSC(KSPSetType(ksp(), defaults.method));
  FRESHET_PETSC(KSPSetTolerances(ksp(), defaults.tolerance, PETSC_DEFAULT, PETSC_DEFAULT, defaults.max_iterations));
  FRESHET_PETSC(KSPSetConvergenceTest(ksp(), call_test, this, nullptr));
  FRESHET_PETSC(KSPSetOperators(ksp(), matrix(), matrix()));
  FRESHET_PETSC(PCSetType(pc(), defaults.preconditioner));
}

void KrylovShell::expect_options_used() const {
  const std::vector<std::string> unused = options_.user_options(OptionUse::unused);
  if (!unused.empty())
    throw InputError(fmt::format(
        "PETSc option {} is not used (it is misspelt, or belongs to another solver than the chosen one). See PETSc's "
        "manual, or -- -help",
        fmt::join(unused, ", ")));
}

std::string KrylovShell::refused_options(std::string_view table, std::string_view why) const {
  return fmt::format("PETSc refuses an option below {} ({}). Check [{}] and what stands after --", options_.prefix(),
                     why, table);
}

bool KrylovShell::has_option(std::string_view name) const {
  PetscBool is_set = PETSC_FALSE;
  FRESHET_PETSC(PetscOptionsHasName(nullptr, options_.prefix().c_str(), ("-" + std::string(name)).c_str(), &is_set));
  return is_set == PETSC_TRUE;
}

bool KrylovShell::has_method(std::initializer_list<std::string_view> names) const {
  KSPType type = nullptr;
  FRESHET_PETSC(KSPGetType(ksp(), &type));
  return std::ranges::find(names, std::string_view(type)) != names.end();
}

std::string_view KrylovShell::preconditioner() const {
  PCType type = nullptr;
  FRESHET_PETSC(PCGetType(pc(), &type));
  return type != nullptr ? type : PCNONE;
}

PC KrylovShell::pc() const {
  PC pc = nullptr;
  FRESHET_PETSC(KSPGetPC(ksp(), &pc));
  return pc;
}

void KrylovShell::set_callback(PC shell, const char* name) {
  FRESHET_PETSC(PCShellSetName(shell, name));
  FRESHET_PETSC(PCShellSetContext(shell, this));
  FRESHET_PETSC(PCShellSetApply(shell, call_precondition));
}

void KrylovShell::solve(Vec b, Vec x, bool has_start) {
  FRESHET_PETSC(KSPSetInitialGuessNonzero(ksp(), has_start ? PETSC_TRUE : PETSC_FALSE));
  call("KSPSolve", [&] { return KSPSolve(ksp(), b, x); });
}

int KrylovShell::iterations() const {
  PetscInt n = 0;
  FRESHET_PETSC(KSPGetIterationNumber(ksp(), &n));
  return static_cast<int>(n);
}

KSPConvergedReason KrylovShell::reason() const {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  FRESHET_PETSC(KSPGetConvergedReason(ksp(), &reason));
  return reason;
}

PetscErrorCode KrylovShell::create_vectors(Mat matrix, Vec* right, Vec* left) {
  KrylovShell* self = nullptr;
  PetscCall(MatShellGetContext(matrix, &self));
  return self->guarded([&] {
    for (Vec* vec : {right, left})
      if (vec != nullptr) *vec = self->callbacks_.create_vector();
  });
}

PetscErrorCode KrylovShell::call_apply(Mat matrix, Vec x, Vec y) {
  KrylovShell* self = nullptr;
  PetscCall(MatShellGetContext(matrix, &self));
  return self->guarded([&] { self->callbacks_.apply(x, y); });
}

PetscErrorCode KrylovShell::call_diagonal(Mat matrix, Vec diagonal) {
  KrylovShell* self = nullptr;
  PetscCall(MatShellGetContext(matrix, &self));
  return self->guarded([&] { self->callbacks_.diagonal(diagonal); });
}

PetscErrorCode KrylovShell::call_precondition(PC pc, Vec r, Vec z) {
  KrylovShell* self = nullptr;
  PetscCall(PCShellGetContext(pc, &self));
  return self->guarded([&] { self->callbacks_.precondition(r, z); });
}

PetscErrorCode KrylovShell::call_test(KSP /*ksp*/, PetscInt iteration, PetscReal norm, KSPConvergedReason* reason,
                                      void* context) {
  auto& self = *static_cast<KrylovShell*>(context);
  return self.guarded([&] { *reason = self.callbacks_.test(static_cast<int>(iteration), norm); });
}

}  // namespace freshet
