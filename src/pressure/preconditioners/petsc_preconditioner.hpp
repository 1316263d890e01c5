// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/petsc_handle.hpp"
#include "freshet/pressure/poisson.hpp"
#include "pressure/null_space/sealed_bodies.hpp"
#include "pressure/operator/unknowns.hpp"

#include <vector>

namespace freshet::pressure {

/// Matrix and vectors for a PC of PETSc that needs a matrix. They hold unknowns only, numbered by block and, in a
/// block, x fastest.
class PetscPreconditioner {
 public:
  /// Number the unknowns and make A as a compressed-row matrix.
  ///
  /// \param[in] sealed  bodies whose diagonal is raised by 1e-8 of itself, so that the matrix is regular and can be
  /// factorised; off the null space its action hardly changes
  /// All arguments must outlive apply(). Parallel: collective (ghosts of the unknowns' numbers)
  void reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns, const SealedBodies& sealed);
  Mat matrix() const { return matrix_.get(); }
  /// Build a PC from the matrix. Collective.
  void set_up(PC pc);
  /// z = M^-1 r on arrays of unknowns. Parallel: collective
  void apply(PC pc, const double* r, double* z);

 private:
  void number_unknowns(const PoissonCoefficients& coefficients);
  template <class Shape>
  void append_rows(const PoissonCoefficients& coefficients, LocalIndex block);

  const Unknowns* unknowns_ = nullptr;
  CellField<PetscInt> numbers_;     ///< global number of each unknown; -1 without one
  std::vector<std::size_t> cells_;  ///< index of each local unknown in arrays of unknowns
  std::vector<PetscInt> row_begin_;
  std::vector<PetscInt> columns_;
  std::vector<PetscScalar> values_;
  std::vector<double> shift_;  ///< by unknown: relative increase of the diagonal
  MatHandle matrix_;
  VecHandle r_;
  VecHandle z_;
};

}  // namespace freshet::pressure
