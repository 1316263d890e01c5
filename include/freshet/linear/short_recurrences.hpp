// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <petscksp.h>

#include <functional>

/// Krylov methods for symmetric systems with short recurrences. They do not depend on PETSc's release.
///
/// They monitor the norm sqrt(r M^-1 r) of the residual r = b - A x. Sums are formed without round-off: the same bits
/// for any number of ranks and threads. Vectors come from create_chunked_vector().
namespace freshet {

struct RecurrenceCallbacks {
  std::function<void(Vec from, Vec to)> apply;         ///< to = A from; collective
  std::function<void(Vec from, Vec to)> precondition;  ///< to = M^-1 from; collective
  /// Says whether to stop, from the norm after `iteration` iterations; collective
  std::function<KSPConvergedReason(int iteration, double norm)> test;
};

/// The vectors b and x of a system.
struct RecurrenceSystem {
  Vec b = nullptr;
  Vec x = nullptr;
  bool has_start = false;  ///< x holds an initial guess; false: start from 0
};

struct RecurrenceResult {
  int iterations = 0;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
};

/// Conjugate gradients (Hestenes & Stiefel 1952): A and M are positive definite. Two reductions an iteration.
/// Parallel: collective; OpenMP. Errors: LocalError, and what the callbacks throw
RecurrenceResult conjugate_gradients(const RecurrenceSystem& system, const RecurrenceCallbacks& callbacks,
                                     int max_iterations);

/// Minimal residuals (Paige & Saunders 1975), preconditioned as in Elman, Silvester & Wathen 2005, algorithm 4.1: A may
/// be indefinite, M is positive definite. Two reductions an iteration.
///
/// M^-1 is applied to A z after orthogonalisation against the last two directions: M works in single precision, and its
/// round-off is then relative to the remainder.
/// Parallel: collective; OpenMP. Errors: LocalError, and what the callbacks throw
RecurrenceResult minimal_residuals(const RecurrenceSystem& system, const RecurrenceCallbacks& callbacks,
                                   int max_iterations);

}  // namespace freshet
