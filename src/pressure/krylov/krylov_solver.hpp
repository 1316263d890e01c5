// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"
#include "freshet/pressure/preconditioners.hpp"
#include "pressure/krylov/petsc_handle.hpp"
#include "pressure/krylov/petsc_options.hpp"
#include "pressure/krylov/threaded_vec.hpp"

#include <exception>
#include <functional>
#include <span>
#include <string>

namespace freshet::pressure {

/// Functions that PETSc calls during a solve, on arrays of this rank's unknowns.
struct KrylovCallbacks {
  std::function<void(const double* x, double* y)> apply;         ///< y = A x; collective
  std::function<void(double* diagonal)> diagonal;                ///< of A
  std::function<void(const double* r, double* z)> precondition;  ///< z = M^-1 r, for preconditioners of freshet's own
  std::function<void(double* x)> remove_null_space;              ///< of a singular A; collective
};

/// When to stop.
struct KrylovLimits {
  double tolerance = 0.0;     ///< largest |r| / norm; 0: what the options of the case or PETSc's options say
  double norm = 0.0;          ///< [m/s]
  double max_residual = 0.0;  ///< largest |r| of a cell [m/s]; 0: no such limit
  int min_iterations = 0;
};

/// PETSc's KSP and its vectors around a matrix-free operator, all below one prefix of options.
///
/// The sums of conjugate gradients do not depend on which rank or thread has a block. Other methods that PETSc's
/// options can choose may sum as PETSc does (block or pipelined dot products).
class KrylovSolver {
 public:
  KrylovSolver(const Communicator& comm, const PressureOptions& parameters, const std::string& prefix,
               KrylovCallbacks callbacks);
  KrylovSolver(const KrylovSolver&) = delete;
  KrylovSolver& operator=(const KrylovSolver&) = delete;

  /// Make the objects for n unknowns here. Collective.
  void rebuild(LocalIndex n_unknowns);
  LocalIndex n_unknowns() const { return n_unknowns_; }
  /// Where each block's unknowns begin; \see VecPool::set_blocks
  void set_blocks(std::span<const LocalIndex> begins) { vec_pool_.set_blocks(begins); }
  /// True if rebuild() was called and no matrix is needed: the objects then serve other coefficients too.
  bool is_reusable() const { return ksp_.get() != nullptr && !needs_matrix(); }
  /// True if the PC is the shell that calls KrylovCallbacks::precondition, and not one that the user's options name.
  bool uses_shell() const { return uses_shell_; }
  bool needs_matrix() const { return needs_matrix_; }
  /// Set the matrix that PETSc's own preconditioners are made from. Collective.
  void set_matrix(MatHandle matrix);
  void set_singular(bool singular);
  /// Build the preconditioner for new coefficients. Collective.
  void set_up();

  Vec solution() const { return solution_.get(); }
  Vec right_hand_side() const { return right_hand_side_.get(); }
  Vec residual() const { return residual_.get(); }  ///< free for the caller between solves

  /// Solve from the initial guess in solution(), until every limit is met.
  /// Parallel: collective. Errors: LocalError, and whatever a callback throws
  void solve(const KrylovLimits& limits);
  const PetscOptions& options() const { return options_; }
  int iterations() const;
  KSPConvergedReason reason() const;

 private:
  template <class Function>
  PetscErrorCode guarded(Function&& f);
  static PetscErrorCode call_apply(Mat matrix, Vec x, Vec y);
  static PetscErrorCode call_diagonal(Mat matrix, Vec diagonal);
  static PetscErrorCode call_precondition(PC pc, Vec r, Vec z);
  static PetscErrorCode call_remove_null_space(MatNullSpace space, Vec x, void* self);
  static PetscErrorCode test_convergence(KSP ksp, PetscInt iteration, PetscReal norm, KSPConvergedReason* reason,
                                         void* self);
  void create_vectors();
  void create_operator();
  void create_ksp();
  void set_norm(KSP ksp);
  void set_preconditioner(PC pc);
  Vec build_residual(KSP ksp);
  bool largest_residual_is_small(KSP ksp);

  const Communicator& comm_;
  PressureOptions parameters_;
  KrylovCallbacks callbacks_;
  PetscOptions options_;
  VecPool vec_pool_;
  LocalIndex n_unknowns_ = -1;
  VecHandle solution_;
  VecHandle right_hand_side_;
  VecHandle residual_;
  VecHandle scratch_;
  MatHandle operator_;
  MatHandle matrix_;
  NullSpaceHandle null_space_;
  KspHandle ksp_;
  bool uses_shell_ = false;
  bool needs_matrix_ = false;
  KrylovLimits limits_;  ///< of the solve under way
  double first_residual_ = 0.0;
  std::exception_ptr failure_;  ///< what a callback threw; PETSc's frames must not be unwound
};

}  // namespace freshet::pressure
