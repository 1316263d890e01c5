// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/parallel/communicator.hpp"

#include <petscvec.h>

#include <memory>
#include <vector>

/// PETSc vectors whose dot, norm, axpy, aypx and copy use the rank's OpenMP threads.
///
/// Sums are taken a fixed stretch of entries at a time and added in order: same bits for any number of threads.
namespace freshet::pressure {

/// Makes such vectors, and keeps the memory of those that were destroyed for the next ones: the vectors of a solver
/// come and go with the number of unknowns. Must outlive its vectors and their duplicates.
class VecPool {
 public:
  explicit VecPool(const Communicator& comm) : comm_(comm) {}
  VecPool(const VecPool&) = delete;
  VecPool& operator=(const VecPool&) = delete;

  /// A vector of n_local zeros here; its duplicates come from the pool too. Collective.
  Vec create(PetscInt n_local);

  using Buffer = TrackedVector<double, MemoryKind::pressure>;
  std::unique_ptr<Buffer> take(PetscInt n);
  void give_back(std::unique_ptr<Buffer> buffer) { free_.push_back(std::move(buffer)); }

 private:
  const Communicator& comm_;
  std::vector<std::unique_ptr<Buffer>> free_;
};

/// Of the entries here. Parallel: local; OpenMP
double local_dot(const double* x, const double* y, PetscInt n);
double local_sum(const double* x, PetscInt n);
double local_max_magnitude(const double* x, PetscInt n);  ///< infinite if an entry is not a number

}  // namespace freshet::pressure
