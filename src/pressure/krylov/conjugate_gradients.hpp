// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"
#include "pressure/operator/unknowns.hpp"

#include <petscksp.h>

#include <functional>

namespace freshet::pressure {

/// Arrays of unknowns (see Unknowns) of a solve.
struct CgArrays {
  const double* b = nullptr;
  double* x = nullptr;  ///< the start, then the solution
  double* r = nullptr;  ///< b - A x
  double* z = nullptr;  ///< M^-1 r, and A p
  double* p = nullptr;
};

struct CgCallbacks {
  std::function<void(double* from, double* to)> apply;  ///< to = A from; may gather ghosts of from; collective
  std::function<void()> precondition;                   ///< z = M^-1 r; collective
  std::function<void(double* x)> remove_null_space;     ///< of a singular A; empty: of no other; collective
  /// Whether to stop, with |r| after so many iterations; collective.
  std::function<KSPConvergedReason(int iteration, double norm)> test;
};

struct CgResult {
  int iterations = 0;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
};

/// Conjugate gradients with a preconditioner (Hestenes & Stiefel 1952) that watch |r|.
///
/// An iteration has two reductions: of r.z, and of p.A p with what tells the next |r|. Sums are taken a block at a time
/// in a fixed order, and added up without round-off: same bits for any number of threads and of ranks.
/// \param[in] has_start  false: x is 0 at first
/// Parallel: collective. Errors: what the callbacks throw
CgResult conjugate_gradients(const Communicator& comm, const Unknowns& unknowns, const CgArrays& arrays,
                             const CgCallbacks& callbacks, bool has_start, int max_iterations);

}  // namespace freshet::pressure
