// SPDX-License-Identifier: Apache-2.0
#include "freshet/linear/chunked_vec.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/linear/block_vec.hpp"
#include "freshet/parallel/environment.hpp"
#include "freshet/parallel/vec_operations.hpp"

#include <cmath>

namespace freshet {
namespace {

EveryRow rows_of(Vec x) {
  PetscInt n = 0;
  PetscCallAbort(PETSC_COMM_SELF, VecGetLocalSize(x, &n));
  return {static_cast<LocalIndex>(n / vector_chunk), vector_chunk / block_width};
}

PetscErrorCode exact_dot(Vec x, Vec y, PetscScalar* result) {
  const PetscScalar* a = nullptr;
  const PetscScalar* b = nullptr;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(y, &b));
  std::array<ExactSum, 1> sum = local_dots<1, 1>({{{a, b}}}, rows_of(x));
  PetscCall(VecRestoreArrayRead(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCall(sum_over_ranks(x, sum));
  *result = sum[0].round();
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

PetscErrorCode chunked_axpy(Vec y, PetscScalar alpha, Vec x) {
  return update_rows(y, x, rows_of(x), [alpha](const RealRow& a, const RealRow& b) { return b + alpha * a; });
}
PetscErrorCode chunked_aypx(Vec y, PetscScalar beta, Vec x) {
  return update_rows(y, x, rows_of(x), [beta](const RealRow& a, const RealRow& b) { return a + beta * b; });
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

Vec create_chunked_vector(const Communicator& comm, PetscInt n) {
  FRESHET_EXPECT(n % vector_chunk == 0);
  Vec vec = nullptr;
  check_petsc(create(comm.raw(), n, &vec), "VecCreateMPI");
  return vec;
}

}  // namespace freshet
