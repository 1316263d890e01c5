// SPDX-License-Identifier: Apache-2.0
#include "viscosity/face_vector.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/exact_sum.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/parallel/petsc_handle.hpp"

namespace freshet::viscous {
namespace {

/// A dot product of a chunk in eight interleaved sums.
double dot_of_chunk(const double* a, const double* b) {
  double sums[block_width] = {};
  for (PetscInt c = 0; c < vector_chunk; c += block_width)
    for (int i = 0; i < block_width; ++i) sums[i] += a[c + i] * b[c + i];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

}  // namespace

Vec create_face_vector(const Communicator& comm, PetscInt n) {
  FRESHET_EXPECT(n % vector_chunk == 0);
  Vec vec = nullptr;
  check_petsc(VecCreateMPI(comm.raw(), n, PETSC_DETERMINE, &vec), "VecCreateMPI");
  return vec;
}

double dot(const Communicator& comm, Vec a, Vec b) {
  PetscInt n = 0;
  check_petsc(VecGetLocalSize(a, &n), "VecGetLocalSize");
  ExactSum sum;
  {
    const VecReadArray of_a(a), of_b(b);
#pragma omp parallel
    {
      ExactSum own;
#pragma omp for schedule(static) nowait
      for (PetscInt i = 0; i < n; i += vector_chunk) own.add(dot_of_chunk(of_a.data() + i, of_b.data() + i));
#pragma omp critical(freshet_face_vector_dot)
      sum.add(own);
    }
  }
  return comm.sum(sum);
}

}  // namespace freshet::viscous
