// SPDX-License-Identifier: Apache-2.0
#include <freshet/core/version.hpp>
#include <freshet/parallel/communicator.hpp>
#include <freshet/parallel/environment.hpp>

int main(int, char** argv) {
  const freshet::Environment environment(argv[0], {});
  const freshet::Communicator world(MPI_COMM_WORLD);
  return freshet::build_info().version == "0.2.0" && world.sum(1.0) == world.size() ? 0 : 1;
}
