// SPDX-License-Identifier: Apache-2.0
// A slower network for tests of analysis/model_scaling.py: put before the program by LD_PRELOAD, it lets every exchange
// take at least DELAY_MPI seconds from its first message to its end, and every reduction DELAY_MPI seconds for each
// doubling of the ranks. Ranks sleep meanwhile, so that more ranks than cores do not disturb each other. It stands behind
// the program's own count of its calls: PMPI_ functions are interposed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double latency(void) {
  static double seconds = -1.0;
  if (seconds < 0.0) {
    const char* text = getenv("DELAY_MPI");
    seconds = text ? atof(text) : 0.0;
  }
  return seconds;
}

static void sleep_until(double end) {
  const double rest = end - now();
  if (rest <= 0.0) return;
  const struct timespec t = {(time_t)rest, (long)(1e9 * (rest - (double)(time_t)rest))};
  nanosleep(&t, NULL);
}

static void* next(const char* name) {
  void* function = dlsym(RTLD_NEXT, name);
  if (!function) abort();
  return function;
}

// When the messages that are on their way were sent; 0: none are.
static double sent = 0.0;

static void send_one(void) {
  if (sent == 0.0) sent = now();
}

static void arrive(void) {
  if (sent > 0.0) sleep_until(sent + latency());
  sent = 0.0;
}

static void reduce(MPI_Comm comm) {
  int size = 1, doublings = 0;
  PMPI_Comm_size(comm, &size);
  while ((1 << doublings) < size) ++doublings;
  sleep_until(now() + doublings * latency());
}

int PMPI_Isend(const void* buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  static int (*call)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  if (!call) call = next("PMPI_Isend");
  send_one();
  return call(buffer, n, type, to, tag, comm, request);
}

int PMPI_Irecv(void* buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  static int (*call)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  if (!call) call = next("PMPI_Irecv");
  send_one();
  return call(buffer, n, type, from, tag, comm, request);
}

int PMPI_Start(MPI_Request* request) {
  static int (*call)(MPI_Request*);
  if (!call) call = next("PMPI_Start");
  send_one();
  return call(request);
}

int PMPI_Startall(int n, MPI_Request* requests) {
  static int (*call)(int, MPI_Request*);
  if (!call) call = next("PMPI_Startall");
  if (n > 0) send_one();
  return call(n, requests);
}

int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  static int (*call)(MPI_Request*, MPI_Status*);
  if (!call) call = next("PMPI_Wait");
  arrive();
  return call(request, status);
}

int PMPI_Waitall(int n, MPI_Request* requests, MPI_Status* statuses) {
  static int (*call)(int, MPI_Request*, MPI_Status*);
  if (!call) call = next("PMPI_Waitall");
  if (n > 0) arrive();
  return call(n, requests, statuses);
}

// The program, or PETSc, may call these under their first names.
int MPI_Wait(MPI_Request* request, MPI_Status* status) { return PMPI_Wait(request, status); }
int MPI_Waitall(int n, MPI_Request* requests, MPI_Status* statuses) { return PMPI_Waitall(n, requests, statuses); }
int MPI_Irecv(void* buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Irecv(buffer, n, type, from, tag, comm, request);
}

int PMPI_Allreduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  static int (*call)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
  if (!call) call = next("PMPI_Allreduce");
  reduce(comm);
  return call(from, to, n, type, op, comm);
}

int PMPI_Iallreduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  static int (*call)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*);
  if (!call) call = next("PMPI_Iallreduce");
  reduce(comm);
  return call(from, to, n, type, op, comm, request);
}
