// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/environment.hpp"

#include <benchmark/benchmark.h>

/// The main of every benchmark: Google Benchmark's own, inside MPI and PETSc.
int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const freshet::Environment environment(argv[0], {});
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
