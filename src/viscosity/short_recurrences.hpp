// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"

#include <petscksp.h>

#include <functional>

/// Krylov methods of symmetric systems, which keep a few vectors. They are the same whatever release of PETSc there is.
///
/// They watch the norm sqrt(r M^-1 r) of the residual r = b - A x. Sums are formed without round-off: the same bits for
/// any number of ranks and threads. Vectors are those of create_face_vector().
namespace freshet::viscous {

struct RecurrenceCallbacks {
  std::function<void(Vec from, Vec to)> apply;         ///< to = A from; collective
  std::function<void(Vec from, Vec to)> precondition;  ///< to = M^-1 from; collective
  /// Whether to stop, with the norm after so many iterations; collective
  std::function<KSPConvergedReason(int iteration, double norm)> test;
};

/// b, and x with the start.
struct RecurrenceSystem {
  const Communicator& comm;
  Vec b = nullptr;
  Vec x = nullptr;
  bool has_start = false;  ///< false: x is 0 at first
};

struct RecurrenceResult {
  int iterations = 0;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
};

/// Conjugate gradients (Hestenes & Stiefel 1952): A and M are positive definite. Two reductions an iteration.
/// Parallel: collective; OpenMP. Errors: LocalError, and what the callbacks throw
RecurrenceResult conjugate_gradients(const RecurrenceSystem& system, const RecurrenceCallbacks& callbacks,
                                     int max_iterations);

/// Minimal residuals (Paige & Saunders 1975) with a preconditioner, as Elman, Silvester & Wathen 2005, algorithm 4.1: A
/// may be indefinite, M is positive definite. Two reductions an iteration.
///
/// M^-1 is applied to what is left of A z once the last two directions are taken from it: M works in single precision,
/// and its round-off then is relative to what is left.
/// Parallel: collective; OpenMP. Errors: LocalError, and what the callbacks throw
RecurrenceResult minimal_residuals(const RecurrenceSystem& system, const RecurrenceCallbacks& callbacks,
                                   int max_iterations);

}  // namespace freshet::viscous
