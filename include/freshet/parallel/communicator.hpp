// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/error.hpp"
#include "freshet/core/exact_sum.hpp"
#include "freshet/core/types.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace freshet {

/// A duplicate of an MPI communicator, which it frees. Every method that communicates is collective.
///
/// An Environment must live as long.
class Communicator {
 public:
  explicit Communicator(MPI_Comm comm);  ///< duplicates comm; collective
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm raw() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_root() const { return rank_ == 0; }

  double sum(double value) const;
  double sum(ExactSum here) const;  ///< the same bits for any distribution of the terms over ranks
  double max(double value) const;
  double min(double value) const;
  GlobalIndex sum(GlobalIndex value) const;
  GlobalIndex max(GlobalIndex value) const;
  GlobalIndex min(GlobalIndex value) const;
  GlobalIndex exclusive_sum(GlobalIndex value) const;  ///< sum over lower ranks, 0 on rank 0
  double exclusive_sum(double value) const;
  void sum_in_place(std::span<double> values) const;
  void sum_in_place(std::span<GlobalIndex> values) const;
  void sum_in_place(std::span<ExactSum> values) const;
  void max_in_place(std::span<double> values) const;
  void min_in_place(std::span<std::uint64_t> values) const;
  bool any(bool value) const;
  bool all(bool value) const;
  std::string broadcast(const std::string& text, int root = 0) const;
  std::vector<double> gather_to_root(double value) const;  ///< size() values on rank 0, empty elsewhere
  void barrier() const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Comm petsc_comm_ = MPI_COMM_NULL;  ///< PETSc's own duplicate, kept so that PETSc makes it only once
  int rank_ = 0;
  int size_ = 1;
};

/// Check the code that an MPI call returned. Errors: LocalError with MPI's own text
void check_mpi(int code, const char* call);

/// The message of the lowest rank that has one (not empty), on all ranks. Collective
std::string first_message(const Communicator& comm, const std::string& message);

/// A failure of a rank; ExitCode::done if there is none.
struct Failure {
  ExitCode code = ExitCode::done;
  std::string message;
};

/// The failure of the lowest rank that has one, on all ranks. Collective
Failure first_failure(const Communicator& comm, const Failure& failure);

}  // namespace freshet
