// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <petscvec.h>

namespace freshet {

/// The operations of PETSc's Krylov solvers on vectors of blocks, whose sums are the same on any number of ranks and
/// threads. An operation that is null stays PETSc's own.
struct VecOperations {
  using Norm = PetscErrorCode (*)(Vec, NormType, PetscReal*);
  PetscErrorCode (*dot)(Vec, Vec, PetscScalar*) = nullptr;  ///< VecDot and VecTDot: entries are real
  Norm norm = nullptr;
  PetscErrorCode (*axpy)(Vec, PetscScalar, Vec) = nullptr;
  PetscErrorCode (*aypx)(Vec, PetscScalar, Vec) = nullptr;
  PetscErrorCode (*copy)(Vec, Vec) = nullptr;
  PetscErrorCode (*set_random)(Vec, PetscRandom) = nullptr;
  PetscErrorCode (*duplicate)(Vec, Vec*) = nullptr;
};

/// Replace operations of a vector. \return the norm operation that the vector had
VecOperations::Norm replace_operations(Vec vec, const VecOperations& operations);

/// PETSc's count of the changes of a vector: entries have not changed while the count is the same.
PetscErrorCode get_changes(Vec vec, PetscObjectState* changes);

}  // namespace freshet
