// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"
#include "freshet/parallel/environment.hpp"

#include <petscvec.h>

namespace freshet::viscous {

/// Entries of a vector's part on one rank come in multiples of this.
constexpr PetscInt vector_chunk = 128;

/// A PETSc vector of zeros. \pre n is a multiple of vector_chunk. Collective
Vec create_face_vector(const Communicator& comm, PetscInt n);

/// a.b, summed chunk by chunk and without round-off: the same bits for any number of ranks and threads. Collective;
/// OpenMP
double dot(const Communicator& comm, Vec a, Vec b);

/// f(i) for all entries of a vector on this rank; OpenMP over chunks
template <class Function>
void for_each_entry(Vec vec, Function&& f) {
  PetscInt n = 0;
  check_petsc(VecGetLocalSize(vec, &n), "VecGetLocalSize");
#pragma omp parallel for schedule(static)
  for (PetscInt chunk = 0; chunk < n; chunk += vector_chunk)
    for (PetscInt i = chunk; i < chunk + vector_chunk; ++i) f(i);
}

}  // namespace freshet::viscous
