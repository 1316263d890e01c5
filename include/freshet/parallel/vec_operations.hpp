// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <petscvec.h>

namespace freshet {

/// What PETSc's Krylov solvers do to a vector, for vectors of blocks: their sums are the same on any number of ranks
/// and threads. An operation that is null stays PETSc's own.
struct VecOperations {
  using Norm = PetscErrorCode (*)(Vec, NormType, PetscReal*);
  PetscErrorCode (*dot)(Vec, Vec, PetscScalar*) = nullptr;  ///< VecDot and VecTDot: the entries are real
  Norm norm = nullptr;
  PetscErrorCode (*axpy)(Vec, PetscScalar, Vec) = nullptr;
  PetscErrorCode (*aypx)(Vec, PetscScalar, Vec) = nullptr;
  PetscErrorCode (*copy)(Vec, Vec) = nullptr;
  PetscErrorCode (*set_random)(Vec, PetscRandom) = nullptr;
  PetscErrorCode (*duplicate)(Vec, Vec*) = nullptr;
};

/// Replace operations of a vector. \return the norm that it had
VecOperations::Norm replace_operations(Vec vec, const VecOperations& operations);

/// PETSc's count of the changes of a vector: the entries are the same as long as it is.
PetscErrorCode get_changes(Vec vec, PetscObjectState* changes);

}  // namespace freshet
