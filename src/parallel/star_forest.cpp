// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/star_forest.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/work_counts.hpp"
#include "freshet/parallel/environment.hpp"

#include <petscsf.h>

namespace freshet {

struct StarForest::Implementation {
  PetscSF forest = nullptr;
};

StarForest::StarForest(const Communicator& comm, std::int64_t n_roots, std::vector<LocalIndex> leaves,
                       const std::vector<RemotePlace>& roots)
    : implementation_(std::make_unique<Implementation>()) {
  static_assert(sizeof(PetscInt) >= sizeof(LocalIndex));
  FRESHET_EXPECT(leaves.size() == roots.size());
  const auto n_leaves = static_cast<PetscInt>(leaves.size());
  std::vector<PetscInt> local(leaves.begin(), leaves.end());
  std::vector<PetscSFNode> remote(roots.size());
  for (std::size_t n = 0; n < roots.size(); ++n) remote[n] = {roots[n].rank, roots[n].index};
  PetscSF& forest = implementation_->forest;
  check_petsc(PetscSFCreate(comm.raw(), &forest), "PetscSFCreate");
  check_petsc(PetscSFSetGraph(forest, static_cast<PetscInt>(n_roots), n_leaves, local.data(), PETSC_COPY_VALUES,
                              remote.data(), PETSC_COPY_VALUES),
              "PetscSFSetGraph");
  check_petsc(PetscSFSetUp(forest), "PetscSFSetUp");
}

StarForest::~StarForest() {
  if (implementation_->forest != nullptr) PetscSFDestroy(&implementation_->forest);
}

std::vector<LocalIndex> StarForest::roots_in_use() const {
  PetscInt n_roots = 0;
  const PetscInt* degree = nullptr;
  check_petsc(PetscSFGetGraph(implementation_->forest, &n_roots, nullptr, nullptr, nullptr), "PetscSFGetGraph");
  check_petsc(PetscSFComputeDegreeBegin(implementation_->forest, &degree), "PetscSFComputeDegreeBegin");
  check_petsc(PetscSFComputeDegreeEnd(implementation_->forest, &degree), "PetscSFComputeDegreeEnd");
  std::vector<LocalIndex> roots;
  for (PetscInt root = 0; root < n_roots; ++root)
    if (degree[root] > 0) roots.push_back(static_cast<LocalIndex>(root));
  return roots;
}

void StarForest::broadcast(MPI_Datatype type, const void* root, void* leaf) const {
  begin_broadcast(type, root, leaf);
  end_broadcast(type, root, leaf);
}

void StarForest::begin_broadcast(MPI_Datatype type, const void* root, void* leaf) const {
  count_work(Work::exchanges);
  check_petsc(PetscSFBcastBegin(implementation_->forest, type, root, leaf, MPI_REPLACE), "PetscSFBcastBegin");
}

void StarForest::end_broadcast(MPI_Datatype type, const void* root, void* leaf) const {
  check_petsc(PetscSFBcastEnd(implementation_->forest, type, root, leaf, MPI_REPLACE), "PetscSFBcastEnd");
}

void StarForest::replace_roots(MPI_Datatype type, const void* leaf, void* root) const {
  count_work(Work::exchanges);
  check_petsc(PetscSFReduceBegin(implementation_->forest, type, leaf, root, MPI_REPLACE), "PetscSFReduceBegin");
  check_petsc(PetscSFReduceEnd(implementation_->forest, type, leaf, root, MPI_REPLACE), "PetscSFReduceEnd");
}

}  // namespace freshet
