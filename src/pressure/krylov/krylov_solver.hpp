// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/linear/krylov_shell.hpp"
#include "freshet/pressure/preconditioners.hpp"
#include "pressure/krylov/block_vec.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace freshet::pressure {

/// Functions that PETSc calls during a solve; arguments are arrays of unknowns.
struct KrylovCallbacks {
  std::function<void(double* x, double* y)> apply;               ///< y = A x; may gather ghosts of x; collective
  std::function<void(double* diagonal)> diagonal;                ///< diagonal of A
  std::function<void(const double* r, double* z)> precondition;  ///< z = M^-1 r; see uses_shell()
  std::function<void(double* x)> remove_null_space;              ///< for a singular A; collective
};

constexpr std::string_view table_of_options = "pressure.petsc";  ///< table of the case file with options for PETSc

/// When a solve stops.
struct KrylovLimits {
  double tolerance = 0.0;     ///< bound of |r| / norm; 0: the case's or PETSc's options decide
  double norm = 0.0;          ///< norm that the tolerance refers to [m/s]
  double max_residual = 0.0;  ///< bound of |r| in a cell [m/s]; 0: none
  int min_iterations = 0;
};

/// PETSc's KSP with its vectors and a matrix-free operator, under one prefix of options.
///
/// Sums of conjugate gradients do not depend on which rank or thread has a block. Other methods that PETSc's options
/// choose may sum as PETSc does (block or pipelined dot products).
class KrylovSolver {
 public:
  KrylovSolver(const Communicator& comm, const PressureOptions& parameters, const std::string& prefix,
               KrylovCallbacks callbacks);
  KrylovSolver(const KrylovSolver&) = delete;
  KrylovSolver& operator=(const KrylovSolver&) = delete;

  /// Set the unknowns of the next solves. PETSc's objects are kept while the layout stays, except those of a solver
  /// that needs a matrix. Collective
  void set_unknowns(const Unknowns& unknowns);
  /// Solves call KrylovCallbacks::precondition if the PC that the options name is PETSc's shell or needs a matrix.
  bool uses_shell() const { return uses_shell_; }
  bool needs_matrix() const { return pc_with_matrix_.get() != nullptr; }
  /// The PC that the options name if it needs a matrix: the callback sets its operators and applies it.
  PC pc_with_matrix() const { return pc_with_matrix_.get(); }
  void set_singular(bool singular);
  /// Add S C S^T of regions to the operator; null: nothing. The preconditioner remains that of A. They must outlive the
  /// solves. Parallel: local
  void set_regions(const Regions* regions) { vecs_.set_regions(regions); }
  /// Build PETSc's preconditioner for new coefficients. Collective.
  void set_up();

  Vec right_hand_side() const { return right_hand_side_.get(); }

  /// Solve until every limit is met. \param[in,out] x  array of unknowns; with has_start the initial guess
  /// Parallel: collective. Errors: LocalError, and whatever a callback throws
  void solve(double* x, bool has_start, const KrylovLimits& limits);
  /// z = M^-1 r with the solver's preconditioner, on arrays of unknowns. Parallel: collective. Errors: as solve()
  void precondition(const double* r, double* z);
  /// Let a function be called in each iteration, from 0 on, with the largest |r| of a cell [m/s], the same on all
  /// ranks; an empty one: none. Parallel: local
  void watch(std::function<void(double)> watcher) { watcher_ = std::move(watcher); }
  const KrylovShell& shell() const { return shell_; }
  int iterations() const { return shell_.iterations(); }
  KSPConvergedReason reason() const { return shell_.reason(); }

 private:
  void apply(Vec x, Vec y);
  void set_diagonal(Vec diagonal);
  static PetscErrorCode call_remove_null_space(MatNullSpace space, Vec x, void* self);
  KSPConvergedReason test_convergence(int iteration, double norm);
  bool monitors_residual() const;
  void read_options();
  void set_preconditioner();
  Vec build_residual();
  double largest_residual();

  const Communicator& comm_;
  PressureOptions parameters_;
  KrylovCallbacks callbacks_;
  BlockVecs vecs_;
  KrylovShell shell_;
  std::uint64_t layout_id_ = 0;
  VecHandle solution_;
  VecHandle right_hand_side_;
  VecHandle residual_;  ///< memory to build r; null for conjugate gradients that monitor |r|: they hold r
  VecHandle scratch_;   ///< memory to build r; null with residual_
  NullSpaceHandle null_space_;
  bool is_direct_ = false;  ///< the options chose a method without an initial guess
  PcHandle pc_with_matrix_;
  bool uses_shell_ = false;
  KrylovLimits limits_;  ///< limits of the present solve
  double first_residual_ = 0.0;
  std::function<void(double)> watcher_;
};

}  // namespace freshet::pressure
