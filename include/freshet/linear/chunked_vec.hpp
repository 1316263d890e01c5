// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"

#include <petscvec.h>

namespace freshet {

/// Entries of a vector's part on one rank come in multiples of this.
constexpr PetscInt vector_chunk = 128;

/// A PETSc vector of zeros whose dot products and norms are summed without round-off, chunk by chunk: the same bits for
/// any number of ranks and threads. Duplicates are of the same kind. Threads share the chunks of axpy and aypx.
/// \pre n is a multiple of vector_chunk. Collective
Vec create_chunked_vector(const Communicator& comm, PetscInt n);

}  // namespace freshet
