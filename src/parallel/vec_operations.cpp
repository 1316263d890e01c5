// SPDX-License-Identifier: Apache-2.0
// This is the only source that includes a private header of PETSc. VecSetOperation(), the public way, sets no other
// operations than duplicate, set, view and load (VecOperation, PETSc 3.18 to 3.25), and a type made by VecRegister()
// has to fill the same private table. VecGetState() is newer than PETSc 3.18.
#include "freshet/parallel/vec_operations.hpp"

#include <petsc/private/vecimpl.h>

// The names of that table are checked by the compiler, their order is not used.
#if PETSC_VERSION_GE(3, 26, 0)
#pragma message("freshet has not been read beside this version of PETSc (jobs/versions.md): run its tests")
#endif

namespace freshet {

VecOperations::Norm replace_operations(Vec vec, const VecOperations& operations) {
  const auto replace = [](auto& operation, auto ours) {
    if (ours != nullptr) operation = ours;
  };
  const VecOperations::Norm norm = vec->ops->norm;
  replace(vec->ops->dot, operations.dot);
  replace(vec->ops->tdot, operations.dot);
  replace(vec->ops->norm, operations.norm);
  replace(vec->ops->axpy, operations.axpy);
  replace(vec->ops->aypx, operations.aypx);
  replace(vec->ops->copy, operations.copy);
  replace(vec->ops->setrandom, operations.set_random);
  replace(vec->ops->duplicate, operations.duplicate);
  return norm;
}

PetscErrorCode get_changes(Vec vec, PetscObjectState* changes) {
  return PetscObjectStateGet(reinterpret_cast<PetscObject>(vec), changes);
}

}  // namespace freshet
