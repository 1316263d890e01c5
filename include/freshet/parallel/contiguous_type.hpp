// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"
#include "freshet/parallel/star_forest.hpp"

namespace freshet {

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
