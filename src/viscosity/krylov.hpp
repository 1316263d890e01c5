// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/linear/krylov_shell.hpp"
#include "freshet/linear/short_recurrences.hpp"
#include "freshet/viscosity/viscosity_options.hpp"

#include <functional>
#include <limits>
#include <string>

namespace freshet::viscous {

/// Functions that PETSc calls during a solve; arguments are the entries of this rank.
struct KrylovCallbacks {
  std::function<void(const double* x, double* y)> apply;         ///< y = A x; collective
  std::function<void(double* diagonal)> diagonal;                ///< diagonal of A
  std::function<void(const double* r, double* z)> precondition;  ///< z = B r; collective
  std::function<void()> prepare;  ///< prepare precondition(); called if the options keep PETSc's shell; collective
};

/// The default method of a system, its name in PETSc, and the prefix of PETSc's options.
struct KrylovMethod {
  RecurrenceResult (*iterate)(const RecurrenceSystem&, const RecurrenceCallbacks&, int max_iterations);
  KSPType type;
  std::string prefix;
};

/// Solves symmetric systems whose matrix is a callback, by the methods of short_recurrences.hpp, or by PETSc's KSP if
/// PETSc's options set more than a tolerance, a number of iterations or a preconditioner.
///
/// The default preconditioner is the callback. PETSc's options can choose others that need no matrix
/// (-viscosity_pc_type jacobi, none, ksp).
class Krylov {
 public:
  Krylov(const Communicator& comm, KrylovMethod method, const ViscosityOptions& options, KrylovCallbacks callbacks);
  Krylov(const Krylov&) = delete;
  Krylov& operator=(const Krylov&) = delete;

  /// Solve a system without unknowns if there are options below the prefix.
  /// Collective. Errors: InputError if PETSc refuses an option, or does not use it
  void try_options();
  /// Make vectors of n entries here, and the solver. Collective. Errors: as try_options()
  void reset(PetscInt n);
  Vec right_hand_side() const { return right_hand_side_.get(); }
  Vec solution() const { return solution_.get(); }
  /// The right-hand side in the norm of residuals: sqrt(b M^-1 b), M the preconditioner, for CG and MINRES; |b| for
  /// other methods. Collective. Errors: as solve()
  double norm_of_right_hand_side();
  /// Solve from zero until a residual's norm is at most tolerance * norm. Collective.
  /// \param[in] largest_start  with a first residual above it, nothing is solved and false returned
  /// Errors: LocalError, and whatever a callback throws
  bool solve(double norm, double largest_start = std::numeric_limits<double>::infinity());
  int iterations() const { return iterations_; }
  double residual() const { return residual_; }  ///< norm of the last residual [m/s]

 private:
  struct Tolerances {
    PetscReal relative = 0.0, absolute = 0.0, growth = 0.0;
    PetscInt iterations = 0;
  };
  ShellCallbacks shell_callbacks();
  void precondition(Vec r, Vec z);
  KSPConvergedReason test_convergence(int iteration, double norm);
  void prepare();
  KSPConvergedReason go_on(const Tolerances& of, bool from_solution);
  RecurrenceResult iterate(int max_iterations, bool from_solution);
  RecurrenceResult iterate_by_petsc(const Tolerances& of, int max_iterations, bool from_solution);
  bool asks_for_petsc() const;
  void read_options();
  void choose_norm();
  std::string refused_options(const std::string& why) const;
  void expect_type(const char* option, PetscFunctionList types) const;

  const Communicator& comm_;
  KrylovMethod method_;
  double tolerance_;
  int max_iterations_;
  KrylovCallbacks callbacks_;
  KrylovShell shell_;
  VecHandle right_hand_side_, solution_, residual_vector_, scratch_;
  bool uses_shell_ = true;
  bool by_petsc_ = false;         ///< PETSc's KSP iterates, not a method of short_recurrences.hpp
  bool has_natural_norm_ = true;  ///< residuals have the norm sqrt(r M^-1 r), PETSc's natural norm
  bool is_prepared_ = false;
  bool is_trial_ = false;       ///< try_options() is solving: no callback is called
  double norm_ = 0.0;           ///< norm that the tolerance of the present solve refers to [m/s]
  double largest_start_ = 0.0;  ///< largest_start of the present solve [m/s]
  double first_norm_ = -1.0;    ///< natural norm of the first residual; negative: not known yet [m/s]
  double unit_ = 1.0;           ///< natural norm / PETSc's norm
  double residual_ = 0.0;       ///< [m/s]
  int iterations_ = 0;
};

}  // namespace freshet::viscous
