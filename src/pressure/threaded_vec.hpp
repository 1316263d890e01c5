// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"

#include <petscvec.h>

/// PETSc vectors whose dot, norm, axpy and aypx use the rank's OpenMP threads.
///
/// Sums are taken a fixed stretch of entries at a time and added in order: same bits for any number of threads.
namespace freshet::pressure {

/// A vector of n_local entries here; its duplicates have the same operations. Collective.
Vec create_threaded_vec(const Communicator& comm, PetscInt n_local);

/// Of the entries here. Parallel: local; OpenMP
double local_dot(const double* x, const double* y, PetscInt n);
double local_sum(const double* x, PetscInt n);
double local_max_magnitude(const double* x, PetscInt n);  ///< infinite if an entry is not a number

}  // namespace freshet::pressure
