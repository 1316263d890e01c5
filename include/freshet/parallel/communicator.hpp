// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/error.hpp"
#include "freshet/core/exact_sum.hpp"
#include "freshet/core/types.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace freshet {

/// MPI type of an arithmetic type, or of the underlying type of an enumeration.
template <class T>
MPI_Datatype mpi_type() {
  if constexpr (std::is_enum_v<T>) {
    return mpi_type<std::underlying_type_t<T>>();
  } else if constexpr (std::is_same_v<T, double>) {
    return MPI_DOUBLE;
  } else if constexpr (std::is_same_v<T, float>) {
    return MPI_FLOAT;
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return MPI_UNSIGNED_CHAR;
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    return MPI_UINT16_T;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return MPI_INT;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return MPI_INT64_T;
  } else {
    static_assert(std::is_same_v<T, std::uint64_t>, "no MPI type");
    return MPI_UINT64_T;
  }
}

/// A duplicate of an MPI communicator, which it frees. Every method that communicates is collective.
///
/// \pre an Environment lives as long
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

  // Reductions and scans of a double or a GlobalIndex
  template <class T>
  T sum(T value) const {
    return reduced(value, MPI_SUM);
  }
  template <class T>
  T max(T value) const {
    return reduced(value, MPI_MAX);
  }
  template <class T>
  T min(T value) const {
    return reduced(value, MPI_MIN);
  }
  /// The sum of the values of lower ranks; 0 on rank 0.
  template <class T>
  T exclusive_sum(T value) const {
    T sum{};
    scan(&value, &sum, mpi_type<T>());
    return sum;
  }
  /// The sum over all ranks, with the same bits for any distribution of the terms over ranks.
  double sum(ExactSum here) const {
    sum_in_place(std::span<ExactSum>(&here, 1));
    return here.round();
  }
  void sum_in_place(std::span<double> values) const { reduce_in_place(values, MPI_SUM); }
  void sum_in_place(std::span<GlobalIndex> values) const { reduce_in_place(values, MPI_SUM); }
  void sum_in_place(std::span<ExactSum> values) const;
  void max_in_place(std::span<double> values) const { reduce_in_place(values, MPI_MAX); }
  void min_in_place(std::span<std::uint64_t> values) const { reduce_in_place(values, MPI_MIN); }
  bool any(bool value) const { return max(GlobalIndex{value}) != 0; }
  bool all(bool value) const { return min(GlobalIndex{value}) != 0; }
  std::string broadcast(const std::string& text, int root = 0) const;
  /// Copy the elements of rank 0 to all ranks.
  template <class T>
  void broadcast(std::vector<T>& values) const {
    static_assert(std::is_standard_layout_v<T>);
    if (size_ == 1) return;
    const std::string bytes =
        broadcast(std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
    values.resize(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
  }
  std::vector<double> gather_to_root(double value) const;  ///< one value a rank, in order, on rank 0; empty elsewhere
  void barrier() const;
  /// A communicator of the ranks with `is_in`, in the same order; null on the others. Collective
  std::unique_ptr<Communicator> split(bool is_in) const;

 private:
  template <class T>
  T reduced(T value, MPI_Op operation) const {
    static_assert(std::is_same_v<T, double> || std::is_same_v<T, GlobalIndex>);
    reduce_in_place(std::span<T>(&value, 1), operation);
    return value;
  }
  template <class T>
  void reduce_in_place(std::span<T> values, MPI_Op operation) const {
    reduce(values.data(), values.size(), mpi_type<T>(), operation);
  }
  void reduce(void* values, std::size_t n, MPI_Datatype type, MPI_Op operation) const;
  void scan(const void* value, void* sum, MPI_Datatype type) const;

  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Comm petsc_comm_ = MPI_COMM_NULL;  ///< PETSc's own duplicate, kept so that PETSc makes it only once
  int rank_ = 0;
  int size_ = 1;
};

/// Check the code that an MPI call returned. Errors: LocalError with MPI's own text
void check_mpi(int code, const char* call);

/// The message of the lowest rank whose message is not empty, on all ranks. Collective
std::string first_message(const Communicator& comm, const std::string& message);

/// The failure of a rank; its code is ExitCode::done if there is none.
struct Failure {
  ExitCode code = ExitCode::done;
  std::string message;
};

/// The failure of the lowest rank that has failed, on all ranks. Collective
Failure first_failure(const Communicator& comm, const Failure& failure);

/// End the job of all ranks, after an error that this rank may have met alone: others may wait for ever for this rank
/// in a call that it will not reach. Prints the message with the rank, then calls MPI_Abort.
[[noreturn]] void abort_job(const Communicator& comm, const std::string& message, ExitCode code);

/// End the job with the message of an exception that may be on this rank alone: LocalError, std::bad_alloc, or one that
/// no part of the program expects.
[[noreturn]] void abort_job(const Communicator& comm, const std::exception& error);

}  // namespace freshet
