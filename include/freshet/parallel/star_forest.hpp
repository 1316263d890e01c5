// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/parallel/communicator.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace freshet {

/// The place of a root: element `index` of the root array of `rank`.
struct RemotePlace {
  int rank = 0;
  LocalIndex index = 0;
};

/// Leaves of this rank that copy roots of any rank: PETSc's PetscSF with C++ ownership.
///
/// Root array and leaf array may be the same array if no element is both a root and a leaf.
class StarForest {
 public:
  /// \param[in] n_roots  elements of the root array
  /// \param[in] leaves  indices in the leaf array
  /// \param[in] roots    the root of each leaf; same size
  /// Parallel: collective, also for ranks without leaves
  StarForest(const Communicator& comm, std::int64_t n_roots, std::vector<LocalIndex> leaves,
             const std::vector<RemotePlace>& roots);
  ~StarForest();
  StarForest(const StarForest&) = delete;
  StarForest& operator=(const StarForest&) = delete;

  /// The roots of this rank that have leaves, in ascending order. Collective
  std::vector<LocalIndex> roots_in_use() const;

  /// Set each leaf to its root. Collective
  template <class T>
  void broadcast(const T* root, T* leaf) const {
    broadcast(mpi_type<T>(), root, leaf);
  }
  /// Set each leaf to its root in two calls, between which other work may be done: roots may be read, leaves neither
  /// read nor written. Several broadcasts may be under way if their leaf arrays differ. Collective
  template <class T>
  void begin_broadcast(const T* root, T* leaf) const {
    begin_broadcast(mpi_type<T>(), root, leaf);
  }
  template <class T>
  void end_broadcast(const T* root, T* leaf) const {
    end_broadcast(mpi_type<T>(), root, leaf);
  }
  /// Set each root to its leaf; \pre each root has at most one leaf. Collective
  template <class T>
  void replace_roots(const T* leaf, T* root) const {
    replace_roots(mpi_type<T>(), leaf, root);
  }
  /// These functions take elements of any MPI datatype, for example a contiguous one of several numbers. Collective
  void broadcast(MPI_Datatype type, const void* root, void* leaf) const;
  void begin_broadcast(MPI_Datatype type, const void* root, void* leaf) const;
  void end_broadcast(MPI_Datatype type, const void* root, void* leaf) const;
  void replace_roots(MPI_Datatype type, const void* leaf, void* root) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// The MPI type of `n` adjacent elements, which it frees. A star forest can move such elements as one.
class ContiguousType {
 public:
  ContiguousType(MPI_Datatype element, int n) {
    check_mpi(MPI_Type_contiguous(n, element, &type_), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  ~ContiguousType() { MPI_Type_free(&type_); }
  ContiguousType(const ContiguousType&) = delete;
  ContiguousType& operator=(const ContiguousType&) = delete;
  MPI_Datatype raw() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace freshet
