// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"
#include "freshet/parallel/petsc_handle.hpp"
#include "freshet/parallel/petsc_options.hpp"

#include <petscksp.h>

#include <exception>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace freshet {

/// Functions that PETSc calls during a solve. The solve throws again what they throw.
struct ShellCallbacks {
  std::function<Vec()> create_vector;              ///< a new vector of zeros of the kind of b and x
  std::function<void(Vec x, Vec y)> apply;         ///< y = A x; collective
  std::function<void(Vec diagonal)> diagonal;      ///< diagonal of A
  std::function<void(Vec r, Vec z)> precondition;  ///< z = M^-1 r, where PETSc's PC is its shell; collective
  std::function<KSPConvergedReason(int iteration, double norm)> test;  ///< whether to stop; collective
};

/// PETSc's KSP with a symmetric matrix A, a preconditioner and a test of convergence that are callbacks, under one
/// prefix of PETSc's options.
///
/// A callback's exception is kept while PETSc returns an error code through its frames, which must not be unwound.
class KrylovShell {
 public:
  /// \param[in] options  the user's options below the prefix, without the dash
  KrylovShell(const Communicator& comm, std::string prefix, const std::map<std::string, std::string>& options,
              ShellCallbacks callbacks);
  KrylovShell(const KrylovShell&) = delete;
  KrylovShell& operator=(const KrylovShell&) = delete;

  /// What the solver has unless the options say otherwise.
  struct Defaults {
    KSPType method;
    PCType preconditioner;
    double tolerance = 0.0;
    int max_iterations = 0;
  };
  /// Make A for vectors of n entries on this rank, and a solver that has not read the options yet. Collective
  void reset(PetscInt n, const Defaults& defaults);
  /// Let PETSc read the options. Collective. Errors: LocalError on all ranks if PETSc refuses an option
  void read_options() { FRESHET_PETSC(KSPSetFromOptions(ksp())); }
  /// Destroy the solver. Collective
  void release() { ksp_ = KspHandle(); }

  PetscOptions& options() { return options_; }
  bool has_user_options() const { return !options_.user_options(OptionUse::any).empty(); }
  const PetscOptions& options() const { return options_; }
  /// Errors: InputError if PETSc has not read one of the user's options
  void expect_options_used() const;
  /// Text of the error that PETSc refuses one of the user's options.
  /// \param[in] table  table of the case file that may give it. \param[in] why  PETSc's message
  std::string refused_options(std::string_view table, std::string_view why) const;
  /// Whether the database has the option of this name below the prefix.
  bool has_option(std::string_view name) const;
  bool has_method(std::initializer_list<std::string_view> names) const;
  std::string_view preconditioner() const;  ///< type of the PC

  KSP ksp() const { return ksp_.get(); }
  PC pc() const;
  Mat matrix() const { return matrix_.get(); }
  /// Let a PC of the type shell call the preconditioner. Collective
  void set_callback(PC shell, const char* name);

  /// Solve A x = b. Collective. Errors: LocalError, and whatever a callback throws
  void solve(Vec b, Vec x, bool has_start);
  /// to = A from. Collective. Errors: as solve()
  void apply(Vec from, Vec to) {
    call("MatMult", [&] { return MatMult(matrix(), from, to); });
  }
  /// to = M^-1 from with the solver's preconditioner. Collective. Errors: as solve()
  void precondition(Vec from, Vec to) {
    call("PCApply", [&] { return PCApply(pc(), from, to); });
  }
  int iterations() const;             ///< number of iterations of the last solve
  KSPConvergedReason reason() const;  ///< why the last solve ended

  /// Call f for PETSc, and keep what it throws first.
  template <class Function>
  PetscErrorCode guarded(Function&& f) {
    try {
      f();
      return 0;
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
      return PETSC_ERR_LIB;
    }
  }

 private:
  /// Throw what a callback throws while f calls PETSc, or LocalError if PETSc fails for another reason.
  template <class Function>
  void call(const char* name, Function&& f) {
    failure_ = nullptr;
    const PetscErrorCode code = f();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    check_petsc(code, name);
  }
  static PetscErrorCode create_vectors(Mat matrix, Vec* right, Vec* left);
  static PetscErrorCode call_apply(Mat matrix, Vec x, Vec y);
  static PetscErrorCode call_diagonal(Mat matrix, Vec diagonal);
  static PetscErrorCode call_precondition(PC pc, Vec r, Vec z);
  static PetscErrorCode call_test(KSP ksp, PetscInt iteration, PetscReal norm, KSPConvergedReason* reason, void* self);

  const Communicator& comm_;
  PetscOptions options_;
  ShellCallbacks callbacks_;
  MatHandle matrix_;
  KspHandle ksp_;
  std::exception_ptr failure_;  ///< exception of a callback
};

}  // namespace freshet
