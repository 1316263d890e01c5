// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/communicator.hpp"

#include "freshet/parallel/environment.hpp"

#include <fmt/format.h>
#include <petscsys.h>

#include <limits>

namespace freshet {
namespace {

static_assert(sizeof(GlobalIndex) == 8, "sent as MPI_INT64_T");

template <class T>
MPI_Datatype mpi_type();
template <>
MPI_Datatype mpi_type<double>() {
  return MPI_DOUBLE;
}
template <>
MPI_Datatype mpi_type<GlobalIndex>() {
  return MPI_INT64_T;
}
template <>
MPI_Datatype mpi_type<std::uint64_t>() {
  return MPI_UINT64_T;
}

template <class T>
void reduce_in_place(MPI_Comm comm, std::span<T> values, MPI_Op operation) {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), mpi_type<T>(), operation, comm),
            "MPI_Allreduce");
}

template <class T>
T reduce(MPI_Comm comm, T value, MPI_Op operation) {
  reduce_in_place(comm, std::span<T>(&value, 1), operation);
  return value;
}

template <class T>
T scan(MPI_Comm comm, T value, int rank) {
  T sum{};
  check_mpi(MPI_Exscan(&value, &sum, 1, mpi_type<T>(), MPI_SUM, comm), "MPI_Exscan");
  return rank == 0 ? T{} : sum;  // MPI leaves rank 0 undefined
}

}  // namespace

Communicator::Communicator(MPI_Comm comm) {
  check_mpi(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  int tag = 0;
  check_petsc(PetscCommDuplicate(comm_, &petsc_comm_, &tag), "PetscCommDuplicate");
}

Communicator::~Communicator() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;  // MPI freed everything
  PetscBool petsc_finalized = PETSC_FALSE;
  PetscFinalized(&petsc_finalized);
  if (!petsc_finalized) PetscCommDestroy(&petsc_comm_);
  MPI_Comm_free(&comm_);
}

double Communicator::sum(double value) const {
  return reduce(comm_, value, MPI_SUM);
}
double Communicator::sum(ExactSum here) const {
  sum_in_place(std::span<ExactSum>(&here, 1));
  return here.round();
}
double Communicator::max(double value) const {
  return reduce(comm_, value, MPI_MAX);
}
double Communicator::min(double value) const {
  return reduce(comm_, value, MPI_MIN);
}
GlobalIndex Communicator::sum(GlobalIndex value) const {
  return reduce(comm_, value, MPI_SUM);
}
GlobalIndex Communicator::max(GlobalIndex value) const {
  return reduce(comm_, value, MPI_MAX);
}
GlobalIndex Communicator::min(GlobalIndex value) const {
  return reduce(comm_, value, MPI_MIN);
}
GlobalIndex Communicator::exclusive_sum(GlobalIndex value) const {
  return scan(comm_, value, rank_);
}
double Communicator::exclusive_sum(double value) const {
  return scan(comm_, value, rank_);
}
void Communicator::sum_in_place(std::span<double> values) const {
  reduce_in_place(comm_, values, MPI_SUM);
}
void Communicator::sum_in_place(std::span<GlobalIndex> values) const {
  reduce_in_place(comm_, values, MPI_SUM);
}
void Communicator::sum_in_place(std::span<ExactSum> values) const {
  for (ExactSum& value : values) value.carry();
  if (size_ == 1) return;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()) * ExactSum::n_words, MPI_INT64_T,
                          MPI_SUM, comm_),
            "MPI_Allreduce");
}
void Communicator::max_in_place(std::span<double> values) const {
  reduce_in_place(comm_, values, MPI_MAX);
}
void Communicator::min_in_place(std::span<std::uint64_t> values) const {
  reduce_in_place(comm_, values, MPI_MIN);
}
bool Communicator::any(bool value) const {
  return max(GlobalIndex{value}) != 0;
}
bool Communicator::all(bool value) const {
  return min(GlobalIndex{value}) != 0;
}

std::string Communicator::broadcast(const std::string& text, int root) const {
  GlobalIndex length = rank_ == root ? static_cast<GlobalIndex>(text.size()) : 0;
  check_mpi(MPI_Bcast(&length, 1, MPI_INT64_T, root, comm_), "MPI_Bcast");
  if (length > std::numeric_limits<int>::max()) throw RunError("a text to broadcast is longer than 2 GiB.");
  std::string result = rank_ == root ? text : std::string(static_cast<std::size_t>(length), '\0');
  check_mpi(MPI_Bcast(result.data(), static_cast<int>(length), MPI_CHAR, root, comm_), "MPI_Bcast");
  return result;
}

std::vector<double> Communicator::gather_to_root(double value) const {
  std::vector<double> values(is_root() ? static_cast<std::size_t>(size_) : 0);
  check_mpi(MPI_Gather(&value, 1, MPI_DOUBLE, values.data(), 1, MPI_DOUBLE, 0, comm_), "MPI_Gather");
  return values;
}

void Communicator::barrier() const {
  check_mpi(MPI_Barrier(comm_), "MPI_Barrier");
}

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw LocalError(fmt::format("{} failed ({})", call, std::string(text, static_cast<std::size_t>(length))));
}

std::string first_message(const Communicator& comm, const std::string& message) {
  const auto first = comm.min(GlobalIndex{message.empty() ? comm.size() : comm.rank()});
  return first == comm.size() ? std::string{} : comm.broadcast(message, static_cast<int>(first));
}

Failure first_failure(const Communicator& comm, const Failure& failure) {
  const bool failed = failure.code != ExitCode::done;
  const auto first = comm.min(GlobalIndex{failed ? comm.rank() : comm.size()});
  if (first == comm.size()) return {};
  const bool is_first = comm.rank() == first;
  const auto code = comm.max(GlobalIndex{is_first ? static_cast<int>(failure.code) : 0});
  return {static_cast<ExitCode>(code), comm.broadcast(failure.message, static_cast<int>(first))};
}

}  // namespace freshet
