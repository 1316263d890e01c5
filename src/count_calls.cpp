// SPDX-License-Identifier: Apache-2.0
// Linked into the program `freshet` only. Counts its calls of MPI, those of libraries included, and of operator new,
// and lets ranks meet before collective calls. MPI's profiling interface allows these functions in place of MPI's own.
#include "freshet/core/work_counts.hpp"
#include "patient_mpi.hpp"

#include <mpi.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <new>

namespace {

using freshet::count_work;
using freshet::meet;
using freshet::Work;

void count_message(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  count_work(Work::messages);
  count_work(Work::bytes, std::int64_t{count} * size);
}

/// Bytes of persistent sends, which MPI_Start sends again and again.
class PersistentSends {
 public:
  void add(MPI_Request request, int count, MPI_Datatype type) {
    int size = 0;
    PMPI_Type_size(type, &size);
    const std::lock_guard lock(mutex_);
    bytes_[request] = std::int64_t{count} * size;
  }
  void remove(MPI_Request request) {
    const std::lock_guard lock(mutex_);
    bytes_.erase(request);
  }
  void count(MPI_Request request) {
    const std::lock_guard lock(mutex_);
    const auto found = bytes_.find(request);
    if (found == bytes_.end()) return;  // the request receives
    count_work(Work::messages);
    count_work(Work::bytes, found->second);
  }

 private:
  std::mutex mutex_;
  std::map<MPI_Request, std::int64_t> bytes_;
};

PersistentSends& persistent_sends() {
  static PersistentSends sends;
  return sends;
}

void* allocate(std::size_t bytes) {
  count_work(Work::allocations);
  if (void* pointer = std::malloc(bytes > 0 ? bytes : 1)) return pointer;
  throw std::bad_alloc();
}

void* allocate(std::size_t bytes, std::align_val_t alignment) {
  count_work(Work::allocations);
  const auto step = static_cast<std::size_t>(alignment);
  if (void* pointer = std::aligned_alloc(step, (bytes + step - 1) / step * step)) return pointer;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) {
  return allocate(bytes);
}
void* operator new[](std::size_t bytes) {
  return allocate(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, alignment);
}
void operator delete(void* pointer) noexcept {
  std::free(pointer);
}
void operator delete[](void* pointer) noexcept {
  std::free(pointer);
}
void operator delete(void* pointer, std::size_t /*bytes*/) noexcept {
  std::free(pointer);
}
void operator delete[](void* pointer, std::size_t /*bytes*/) noexcept {
  std::free(pointer);
}
void operator delete(void* pointer, std::align_val_t /*alignment*/) noexcept {
  std::free(pointer);
}
void operator delete[](void* pointer, std::align_val_t /*alignment*/) noexcept {
  std::free(pointer);
}
void operator delete(void* pointer, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(pointer);
}
void operator delete[](void* pointer, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(pointer);
}

extern "C" {

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  count_work(Work::reductions);
  meet(comm);
  return PMPI_Allreduce(send, receive, count, type, op, comm);
}

int MPI_Iallreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  count_work(Work::reductions);
  return PMPI_Iallreduce(send, receive, count, type, op, comm, request);
}

int MPI_Reduce_scatter(const void* send, void* receive, const int* counts, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
  count_work(Work::reductions);
  meet(comm);
  return PMPI_Reduce_scatter(send, receive, counts, type, op, comm);
}

int MPI_Reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  count_work(Work::reductions);
  meet(comm);
  return PMPI_Reduce_scatter_block(send, receive, count, type, op, comm);
}

int MPI_Allgather(const void* send, int n_send, MPI_Datatype send_type, void* receive, int n_receive,
                  MPI_Datatype receive_type, MPI_Comm comm) {
  count_work(Work::collectives);
  meet(comm);
  return PMPI_Allgather(send, n_send, send_type, receive, n_receive, receive_type, comm);
}

int MPI_Allgatherv(const void* send, int n_send, MPI_Datatype send_type, void* receive, const int* n_receive,
                   const int* begin, MPI_Datatype receive_type, MPI_Comm comm) {
  count_work(Work::collectives);
  meet(comm);
  return PMPI_Allgatherv(send, n_send, send_type, receive, n_receive, begin, receive_type, comm);
}

int MPI_Alltoall(const void* send, int n_send, MPI_Datatype send_type, void* receive, int n_receive,
                 MPI_Datatype receive_type, MPI_Comm comm) {
  count_work(Work::collectives);
  meet(comm);
  return PMPI_Alltoall(send, n_send, send_type, receive, n_receive, receive_type, comm);
}

int MPI_Alltoallv(const void* send, const int* n_send, const int* send_begin, MPI_Datatype send_type, void* receive,
                  const int* n_receive, const int* receive_begin, MPI_Datatype receive_type, MPI_Comm comm) {
  count_work(Work::collectives);
  meet(comm);
  return PMPI_Alltoallv(send, n_send, send_begin, send_type, receive, n_receive, receive_begin, receive_type, comm);
}

int MPI_Barrier(MPI_Comm comm) {
  count_work(Work::collectives);
  meet(comm);
  return PMPI_Barrier(comm);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  count_work(Work::collectives);
  return PMPI_Ibarrier(comm, request);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  count_work(Work::collectives);
  meet(comm);
  return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Exscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  count_work(Work::collectives);
  meet(comm);
  return PMPI_Exscan(send, receive, count, type, op, comm);
}

int MPI_Scan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  count_work(Work::collectives);
  meet(comm);
  return PMPI_Scan(send, receive, count, type, op, comm);
}

int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  count_work(Work::collectives);
  meet(comm);
  return PMPI_Reduce(send, receive, count, type, op, root, comm);
}

int MPI_Gather(const void* send, int n_send, MPI_Datatype send_type, void* receive, int n_receive,
               MPI_Datatype receive_type, int root, MPI_Comm comm) {
  count_work(Work::collectives);
  meet(comm);
  return PMPI_Gather(send, n_send, send_type, receive, n_receive, receive_type, root, comm);
}

int MPI_Gatherv(const void* send, int n_send, MPI_Datatype send_type, void* receive, const int* n_receive,
                const int* begin, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  count_work(Work::collectives);
  meet(comm);
  return PMPI_Gatherv(send, n_send, send_type, receive, n_receive, begin, receive_type, root, comm);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  count_work(Work::collectives);
  return PMPI_Comm_dup(comm, made);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  count_work(Work::collectives);
  return PMPI_Comm_split(comm, color, key, made);
}

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count_message(count, type);
  return PMPI_Send(buffer, count, type, to, tag, comm);
}

int MPI_Ssend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count_message(count, type);
  return PMPI_Ssend(buffer, count, type, to, tag, comm);
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  count_message(count, type);
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Issend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  count_message(count, type);
  return PMPI_Issend(buffer, count, type, to, tag, comm, request);
}

int MPI_Send_init(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  const int code = PMPI_Send_init(buffer, count, type, to, tag, comm, request);
  if (code == MPI_SUCCESS) persistent_sends().add(*request, count, type);
  return code;
}

int MPI_Start(MPI_Request* request) {
  persistent_sends().count(*request);
  return PMPI_Start(request);
}

int MPI_Startall(int n, MPI_Request* requests) {
  for (int r = 0; r < n; ++r) persistent_sends().count(requests[r]);
  return PMPI_Startall(n, requests);
}

int MPI_Request_free(MPI_Request* request) {
  persistent_sends().remove(*request);
  return PMPI_Request_free(request);
}

}  // extern "C"
