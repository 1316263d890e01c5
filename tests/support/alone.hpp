// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/mpi_test.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>
#include <cstring>
#include <exception>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace freshet::test {

/// Entered by rank 0 when its work is done; the other ranks sleep until then, and leave it the cores. Collective.
inline void wait_for_root() {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(world().raw(), &request), "MPI_Ibarrier");
  for (int done = 0; done == 0;) {
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0 && !world().is_root()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

/// The numbers that `compute(alone)` returns on rank 0, whose communicator `alone` has one rank, on all ranks: what a
/// run on one rank gives is computed once. Elements must have no padding that matters. Collective.
template <class Compute>
auto computed_alone(Compute&& compute) {
  using Numbers = std::invoke_result_t<Compute, const Communicator&>;
  using Number = typename Numbers::value_type;
  static_assert(std::is_trivially_copyable_v<Number>);
  std::string bytes;
  if (world().is_root()) {
    try {
      const Communicator alone(MPI_COMM_SELF);
      const Numbers numbers = compute(alone);
      bytes.assign(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
    } catch (const std::exception& error) {
      ADD_FAILURE() << "alone on rank 0: " << error.what();
    }
  }
  wait_for_root();
  bytes = world().broadcast(bytes);
  Numbers numbers(bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

}  // namespace freshet::test
