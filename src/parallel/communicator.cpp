// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/communicator.hpp"

#include "freshet/parallel/abort.hpp"
#include "freshet/parallel/environment.hpp"

#include <fmt/format.h>
#include <petscsys.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>

namespace freshet {
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
  if (finalized != 0) return;  // MPI has freed everything
  PetscBool petsc_finalized = PETSC_FALSE;
  PetscFinalized(&petsc_finalized);
  if (!petsc_finalized) PetscCommDestroy(&petsc_comm_);
  MPI_Comm_free(&comm_);
}

void Communicator::reduce(void* values, std::size_t n, MPI_Datatype type, MPI_Op operation) const {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, values, static_cast<int>(n), type, operation, comm_), "MPI_Allreduce");
}

void Communicator::scan(const void* value, void* sum, MPI_Datatype type) const {
  std::int64_t before = 0;  // stays 0 on rank 0, where MPI leaves the result undefined
  check_mpi(MPI_Exscan(value, &before, 1, type, MPI_SUM, comm_), "MPI_Exscan");
  if (rank_ > 0) std::memcpy(sum, &before, sizeof before);
}

void Communicator::sum_in_place(std::span<ExactSum> values) const {
  for (ExactSum& value : values) value.carry();
  if (size_ > 1) reduce(values.data(), values.size() * ExactSum::n_words, MPI_INT64_T, MPI_SUM);
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

std::unique_ptr<Communicator> Communicator::split(bool is_in) const {
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(comm_, is_in ? 0 : MPI_UNDEFINED, rank_, &part), "MPI_Comm_split");
  if (!is_in) return nullptr;
  auto result = std::make_unique<Communicator>(part);
  check_mpi(MPI_Comm_free(&part), "MPI_Comm_free");
  return result;
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

namespace {

/// A communicator and this process's rank in it, for messages and MPI_Abort.
struct Place {
  MPI_Comm comm;
  int rank;
  int size;
};

[[noreturn]] void abort_at(const Place& place, const std::string& message, ExitCode code) {
  std::fprintf(stderr, "freshet: error: %s (rank %d of %d)\n", message.c_str(), place.rank, place.size);
  std::fflush(nullptr);
  MPI_Abort(place.comm, static_cast<int>(code));
  std::_Exit(static_cast<int>(code));
}

[[noreturn]] void abort_at(const Place& place, const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    abort_at(
        place,
        "out of memory. Use more ranks on more nodes, or fewer cells or particles (inputs/troubleshooting.md#memory)",
        ExitCode::memory);
  const auto* local = dynamic_cast<const LocalError*>(&error);
  abort_at(place, error.what(), local != nullptr ? local->code() : ExitCode::internal);
}

}  // namespace

void abort_job(const Communicator& comm, const std::string& message, ExitCode code) {
  abort_at({comm.raw(), comm.rank(), comm.size()}, message, code);
}

void abort_job(const Communicator& comm, const std::exception& error) {
  abort_at({comm.raw(), comm.rank(), comm.size()}, error);
}

void abort_job(const std::exception& error) {
  Place world{MPI_COMM_WORLD, 0, 1};
  MPI_Comm_rank(world.comm, &world.rank);
  MPI_Comm_size(world.comm, &world.size);
  abort_at(world, error);
}

}  // namespace freshet
