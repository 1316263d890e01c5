// SPDX-License-Identifier: Apache-2.0
#include "viscosity/face_vector.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/exact_sum.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/parallel/environment.hpp"
#include "freshet/parallel/vec_operations.hpp"

#include <cmath>

namespace freshet::viscous {
namespace {

/// Dot product of a chunk, in eight interleaved sums.
double dot_of_chunk(const double* a, const double* b) {
  double sums[block_width] = {};
  for (PetscInt c = 0; c < vector_chunk; c += block_width)
    for (int i = 0; i < block_width; ++i) sums[i] += a[c + i] * b[c + i];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

PetscErrorCode exact_dot(Vec x, Vec y, PetscScalar* result) {
  const PetscScalar* a = nullptr;
  const PetscScalar* b = nullptr;
  PetscInt n = 0;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(y, &b));
  ExactSum sum;
#pragma omp parallel
  {
    ExactSum own;
#pragma omp for schedule(static) nowait
    for (PetscInt i = 0; i < n; i += vector_chunk) own.add(dot_of_chunk(a + i, b + i));
#pragma omp critical(freshet_face_vector_dot)
    sum.add(own);
  }
  sum.carry();
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, ExactSum::n_words, MPI_INT64_T, MPI_SUM,
                             PetscObjectComm(reinterpret_cast<PetscObject>(x))));
  *result = sum.round();
  PetscCall(VecRestoreArrayRead(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(0);
}

VecOperations::Norm petsc_norm = nullptr;  ///< PETSc's norm, the same for every VECMPI

PetscErrorCode exact_norm(Vec x, NormType type, PetscReal* result) {
  PetscFunctionBegin;
  if (type != NORM_2 && type != NORM_FROBENIUS) {
    PetscCall(petsc_norm(x, type, result));
    PetscFunctionReturn(0);
  }
  PetscScalar square = 0.0;
  PetscCall(exact_dot(x, x, &square));
  *result = std::sqrt(square);
  PetscFunctionReturn(0);
}

/// y_i = value(x_i, y_i)
template <class Value>
PetscErrorCode update(Vec y, Vec x, Value&& value) {
  const PetscScalar* a = nullptr;
  PetscScalar* b = nullptr;
  PetscInt n = 0;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArray(y, &b));
#pragma omp parallel for schedule(static)
  for (PetscInt chunk = 0; chunk < n; chunk += vector_chunk)
    for (PetscInt i = chunk; i < chunk + vector_chunk; ++i) b[i] = value(a[i], b[i]);
  PetscCall(VecRestoreArray(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(0);
}

PetscErrorCode chunked_axpy(Vec y, PetscScalar alpha, Vec x) {
  return update(y, x, [alpha](double a, double b) { return b + alpha * a; });
}
PetscErrorCode chunked_aypx(Vec y, PetscScalar beta, Vec x) {
  return update(y, x, [beta](double a, double b) { return a + beta * b; });
}

PetscErrorCode duplicate(Vec x, Vec* y);

PetscErrorCode create(MPI_Comm comm, PetscInt n, Vec* vec) {
  PetscFunctionBegin;
  PetscCall(VecCreateMPI(comm, n, PETSC_DETERMINE, vec));
  petsc_norm = replace_operations(
      *vec, {.dot = exact_dot, .norm = exact_norm, .axpy = chunked_axpy, .aypx = chunked_aypx, .duplicate = duplicate});
  PetscFunctionReturn(0);
}

PetscErrorCode duplicate(Vec x, Vec* y) {
  PetscInt n = 0;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(create(PetscObjectComm(reinterpret_cast<PetscObject>(x)), n, y));
  PetscFunctionReturn(0);
}

}  // namespace

Vec create_face_vector(const Communicator& comm, PetscInt n) {
  FRESHET_EXPECT(n % vector_chunk == 0);
  Vec vec = nullptr;
  check_petsc(create(comm.raw(), n, &vec), "VecCreateMPI");
  return vec;
}

}  // namespace freshet::viscous
