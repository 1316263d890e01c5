// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/pressure/poisson.hpp"
#include "pressure/krylov/petsc_handle.hpp"
#include "pressure/null_space/sealed_bodies.hpp"
#include "pressure/operator/unknowns.hpp"

#include <vector>

namespace freshet::pressure {

/// Makes A as a compressed-row matrix, for PETSc's own preconditioners.
class Assembler {
 public:
  /// \param[in] sealed  the diagonal of these bodies is raised by 1e-8 of itself, so that the matrix is regular and can
  ///                    be factored; off the null space its action is nearly the same
  /// Parallel: collective (ghosts of the unknowns' numbers)
  MatHandle assemble(const PoissonCoefficients& coefficients, const Unknowns& unknowns, const SealedBodies& sealed);

 private:
  PetscInt number_unknowns(const PoissonCoefficients& coefficients, const Unknowns& unknowns);
  template <class Shape>
  void append_rows(const PoissonCoefficients& coefficients, LocalIndex block);

  CellField<PetscInt> numbers_;  ///< global number of each unknown; -1 without one
  std::vector<PetscInt> row_begin_;
  std::vector<PetscInt> columns_;
  std::vector<PetscScalar> values_;
  std::vector<double> shift_;  ///< by unknown: relative rise of the diagonal
};

}  // namespace freshet::pressure
