// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>

/// Part of every program with the address sanitizer: which MPI handles this program, not a library under it, never gave
/// back. MPI's profiling interface puts these functions before those of the same name; they watch what freshet uses,
/// and tests/reliability/mpi_checks.py looks for what it uses and these do not watch.

extern "C" const char __executable_start;  // NOLINT: by the linker
extern "C" const char etext;               // NOLINT: by the linker
extern "C" void __sanitizer_symbolize_pc(void* pc, const char* format, char* text, std::size_t size);  // NOLINT

namespace {

/// Where in the program a handle was made; the same handle may stand there more than once (MPI_PROC_NULL).
struct Handles {
  void made(const void* handle, int code, void* caller) {
    const char* place = static_cast<const char*>(caller);
    if (code == MPI_SUCCESS && place >= &__executable_start && place < &etext) live.emplace(handle, caller);
  }

  void gone(const void* handle) {
    const auto found = live.find(handle);
    if (found != live.end()) live.erase(found);
  }

  /// \return how many are left; says where they were made
  std::size_t report(const char* what) const {
    for (const auto& [handle, caller] : live) {
      char place[512] = "";
      __sanitizer_symbolize_pc(static_cast<char*>(caller) - 1, "%f %S", place, sizeof place);
      std::fprintf(stderr, "ERROR: MPI handles: a %s was never given back, made by %s\n", what, place);
    }
    return live.size();
  }

  std::multimap<const void*, void*> live;
};

Handles communicators;
Handles types;
Handles requests;
Handles operations;

}  // namespace

extern "C" {

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  const int code = PMPI_Comm_dup(comm, made);
  communicators.made(*made, code, __builtin_return_address(0));
  return code;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  const int code = PMPI_Comm_split(comm, color, key, made);
  if (*made != MPI_COMM_NULL) communicators.made(*made, code, __builtin_return_address(0));
  return code;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  const int code = PMPI_Comm_split_type(comm, type, key, info, made);
  if (*made != MPI_COMM_NULL) communicators.made(*made, code, __builtin_return_address(0));
  return code;
}

int MPI_Comm_free(MPI_Comm* comm) {
  communicators.gone(*comm);
  return PMPI_Comm_free(comm);
}

int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* made) {
  const int code = PMPI_Type_contiguous(count, type, made);
  types.made(*made, code, __builtin_return_address(0));
  return code;
}

int MPI_Type_free(MPI_Datatype* type) {
  types.gone(*type);
  return PMPI_Type_free(type);
}

int MPI_Op_create(MPI_User_function* function, int commutes, MPI_Op* made) {
  const int code = PMPI_Op_create(function, commutes, made);
  operations.made(*made, code, __builtin_return_address(0));
  return code;
}

int MPI_Op_free(MPI_Op* operation) {
  operations.gone(*operation);
  return PMPI_Op_free(operation);
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request* made) {
  const int code = PMPI_Isend(buffer, count, type, rank, tag, comm, made);
  requests.made(*made, code, __builtin_return_address(0));
  return code;
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request* made) {
  const int code = PMPI_Irecv(buffer, count, type, rank, tag, comm, made);
  requests.made(*made, code, __builtin_return_address(0));
  return code;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  requests.gone(*request);
  return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request* begin, MPI_Status* statuses) {
  for (int i = 0; i < count; ++i) requests.gone(begin[i]);
  return PMPI_Waitall(count, begin, statuses);
}

int MPI_Finalize() {
  const std::size_t left = communicators.report("communicator") + types.report("datatype") +
                           requests.report("request") + operations.report("operation");
  const int code = PMPI_Finalize();
  if (left > 0) std::_Exit(1);
  return code;
}

}  // extern "C"
