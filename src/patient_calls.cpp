// SPDX-License-Identifier: Apache-2.0
// Linked into the program `freshet` only. Calls of MPI that wait for messages leave the core to other processes while
// they wait, if waiting() says so. count_calls.cpp does the same for collective calls.
#include "patient_mpi.hpp"

using freshet::wait_for;
using freshet::Waiting;
using freshet::waiting;

namespace {

/// Call test(done), one of MPI's non-blocking tests, until it fails or sets `done`. \return its code
template <class Test>
int test_until_done(Test test) {
  int code = MPI_SUCCESS, done = 0;
  wait_for([&] {
    code = test(&done);
    return code != MPI_SUCCESS || done != 0;
  });
  return code;
}

}  // namespace

extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  if (waiting() == Waiting::spinning) return PMPI_Wait(request, status);
  return test_until_done([=](int* done) { return PMPI_Test(request, done, status); });
}

int MPI_Waitall(int n, MPI_Request* requests, MPI_Status* statuses) {
  if (waiting() == Waiting::spinning) return PMPI_Waitall(n, requests, statuses);
  return test_until_done([=](int* done) { return PMPI_Testall(n, requests, done, statuses); });
}

int MPI_Waitany(int n, MPI_Request* requests, int* index, MPI_Status* status) {
  if (waiting() == Waiting::spinning) return PMPI_Waitany(n, requests, index, status);
  return test_until_done([=](int* done) { return PMPI_Testany(n, requests, index, done, status); });
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
  if (waiting() == Waiting::spinning) return PMPI_Probe(from, tag, comm, status);
  return test_until_done([=](int* done) { return PMPI_Iprobe(from, tag, comm, done, status); });
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  if (waiting() == Waiting::spinning) return PMPI_Recv(buffer, count, type, from, tag, comm, status);
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = PMPI_Irecv(buffer, count, type, from, tag, comm, &request);
  return code != MPI_SUCCESS ? code : MPI_Wait(&request, status);
}

}  // extern "C"
