// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

/// One mistake on purpose: each tool is shown that it sees what it is there for, before its silence counts.
/// usage: probe FAULT   without a fault ("none") the program is right
namespace {

volatile int n_values = 100;
int* volatile lost = nullptr;

void read_beyond_the_end() {
  const std::vector<int> values(static_cast<std::size_t>(n_values), 1);
  std::printf("%d\n", values.data()[n_values]);
}

void lose_memory() {
  lost = new int[static_cast<std::size_t>(n_values)];
  lost = nullptr;
}

void overflow_an_integer() {
  volatile int largest = std::numeric_limits<int>::max();
  std::printf("%d\n", largest + n_values);
}

void branch_on_what_was_never_set() {
  auto* values = static_cast<int*>(std::malloc(sizeof(int) * static_cast<std::size_t>(n_values)));
  std::puts(values[n_values / 2] > 3 ? "more" : "less");
  std::free(values);
}

double sum(bool guarded) {
  double total = 0.0;
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 1000; ++i) {
    if (guarded) {
#pragma omp critical
      total += i;
    } else {
      total += i;
    }
  }
  return total;
}

void lose_a_communicator() {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
}

void lose_a_datatype() {
  MPI_Datatype three = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(3, MPI_DOUBLE, &three);
}

void lose_a_request(int rank) {
  static int value = 0;
  if (rank != 0) return;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
}

void send_what_was_never_set() {
  auto* values = static_cast<double*>(std::malloc(sizeof(double) * 4));
  double received[4];
  MPI_Sendrecv(values, 4, MPI_DOUBLE, 0, 0, received, 4, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_SELF,
               MPI_STATUS_IGNORE);
  std::free(values);
}

void receive_beyond_the_end() {
  std::vector<double> values(4, 1.0);
  double* received = new double[3];
  MPI_Sendrecv(values.data(), 3, MPI_DOUBLE, 0, 0, received, 4, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  delete[] received;
}

void send_another_type() {
  float value = 1.0F;
  MPI_Send(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

void wait_twice() {
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void commit(const std::string& fault, int rank) {
  if (fault == "read") read_beyond_the_end();
  if (fault == "leak") lose_memory();
  if (fault == "integer") overflow_an_integer();
  if (fault == "uninitialised") branch_on_what_was_never_set();
  if (fault == "communicator") lose_a_communicator();
  if (fault == "datatype") lose_a_datatype();
  if (fault == "request") lose_a_request(rank);
  if (fault == "send") send_what_was_never_set();
  if (fault == "receive") receive_beyond_the_end();
  if (fault == "type") send_another_type();
  if (fault == "wait") wait_twice();
  std::printf("%g\n", sum(fault != "race"));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  commit(argc > 1 ? argv[1] : "none", rank);
  MPI_Finalize();
}
