// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"
#include "freshet/parallel/petsc_handle.hpp"
#include "freshet/parallel/petsc_options.hpp"
#include "freshet/viscosity/viscosity_options.hpp"
#include "viscosity/short_recurrences.hpp"

#include <exception>
#include <functional>
#include <limits>
#include <string>

namespace freshet::viscous {

/// Functions that PETSc calls during a solve, on the entries of this rank.
struct KrylovCallbacks {
  std::function<void(const double* x, double* y)> apply;         ///< y = A x; collective
  std::function<void(double* diagonal)> diagonal;                ///< of A
  std::function<void(const double* r, double* z)> precondition;  ///< z = B r; collective
  std::function<void()> prepare;  ///< for precondition, called if the options leave PETSc's shell; collective
};

/// A system's method unless PETSc's options choose another, PETSc's name of it, and the prefix of these options.
struct KrylovMethod {
  RecurrenceResult (*iterate)(const RecurrenceSystem&, const RecurrenceCallbacks&, int max_iterations);
  KSPType type;
  std::string prefix;
};

/// Solves symmetric systems whose matrix is a callback, by the methods of short_recurrences.hpp, or by PETSc's KSP
/// where PETSc's options ask for more than a tolerance, a number of iterations or a preconditioner.
///
/// By default its preconditioner is the callback. PETSc's options can choose others that make do without a matrix
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
  /// The norm of the right-hand side in which residuals are measured: sqrt(b M^-1 b), M the preconditioner, for CG and
  /// MINRES; |b| for other methods. Collective. Errors: as solve()
  double norm_of_right_hand_side();
  /// Solve from zero until a residual's norm is at most tolerance * norm. Collective.
  /// \param[in] largest_start  a first residual above it is not worth a solve: false, and nothing is done
  /// Errors: LocalError, and whatever a callback throws
  bool solve(double norm, double largest_start = std::numeric_limits<double>::infinity());
  int iterations() const { return iterations_; }
  double residual() const { return residual_; }  ///< its norm at the end

 private:
  template <class Function>
  PetscErrorCode guarded(Function&& f);
  static PetscErrorCode create_vectors(Mat matrix, Vec* right, Vec* left);
  static PetscErrorCode call_apply(Mat matrix, Vec x, Vec y);
  static PetscErrorCode call_diagonal(Mat matrix, Vec diagonal);
  static PetscErrorCode call_precondition(PC pc, Vec r, Vec z);
  static PetscErrorCode test_convergence(KSP ksp, PetscInt iteration, PetscReal norm, KSPConvergedReason* reason,
                                         void* self);
  struct Tolerances {
    PetscReal relative = 0.0, absolute = 0.0, growth = 0.0;
    PetscInt iterations = 0;
  };
  void prepare();
  KSPConvergedReason go_on(const Tolerances& of, bool from_solution);
  RecurrenceResult iterate(int max_iterations, bool from_solution);
  RecurrenceResult iterate_by_petsc(const Tolerances& of, int max_iterations, bool from_solution);
  bool asks_for_petsc() const;
  void create_operator(PetscInt n);
  void create_ksp();
  std::string refused_options(const std::string& why) const;
  void expect_type(const char* option, PetscFunctionList types) const;

  const Communicator& comm_;
  KrylovMethod method_;
  double tolerance_;
  int max_iterations_;
  KrylovCallbacks callbacks_;
  PetscOptions options_;
  VecHandle right_hand_side_, solution_, residual_vector_, scratch_;
  MatHandle operator_;
  KspHandle ksp_;
  bool uses_shell_ = true;
  bool by_petsc_ = false;         ///< PETSc's KSP iterates
  bool has_natural_norm_ = true;  ///< PETSc's name of sqrt(r M^-1 r)
  bool is_prepared_ = false;
  bool is_trial_ = false;       ///< then no callback is called
  double norm_ = 0.0;           ///< of the solve under way [m/s]
  double largest_start_ = 0.0;  ///< likewise [m/s]
  double first_norm_ = -1.0;    ///< natural norm of its first residual; negative before that is known [m/s]
  double unit_ = 1.0;           ///< natural norm / what PETSc names norm
  double residual_ = 0.0;       ///< [m/s]
  int iterations_ = 0;
  std::exception_ptr failure_;  ///< what a callback threw; PETSc's frames must not be unwound
};

}  // namespace freshet::viscous
