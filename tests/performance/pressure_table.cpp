// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/io/json.hpp"
#include "freshet/parallel/environment.hpp"
#include "pressure_cases.hpp"
#include "support/pressure_scene.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <omp.h>

#include <chrono>
#include <cstdio>

/// Times the pressure solvers on one case and prints a list of JSON records; analysis/benchmark_pressure.py runs it.
namespace freshet::test {
namespace {

struct Options {
  std::string name = "dam";
  std::string coefficients = "unit";
  int n = 64;
  std::vector<std::string> preconditioners{"multigrid"};
  double tolerance = 1e-5;
  int repeats = 5;
  double seconds = 5.0;
  int max_iterations = 5000;
};

/// The fastest of several solves after one that only warms up, each from zero; times are the slowest rank's.
/// Collective.
SolveReport time_solves(const PressureSystem& system, std::string_view preconditioner, const Options& options) {
  using Clock = std::chrono::steady_clock;
  const Communicator& comm = system.layout.comm();
  PressureOptions parameters = solver_parameters(preconditioner, options.tolerance);
  parameters.max_iterations = options.max_iterations;
  PressureSolver solver(comm, parameters);
  SolveRequest request;
  request.warm_start = false;
  CellField<double> pressure(system.layout, 0.0);
  SolveReport best;
  const Clock::time_point start = Clock::now();
  for (int repeat = 0; repeat <= options.repeats; ++repeat) {
    const double spent = comm.max(std::chrono::duration<double>(Clock::now() - start).count());
    if (repeat > 1 && spent > options.seconds) break;
    pressure.fill(0.0);
    comm.barrier();
    SolveReport report = solver.solve(system.coefficients, system.right_hand_side, pressure, request);
    report.setup_seconds = comm.max(report.setup_seconds);
    report.solve_seconds = comm.max(report.solve_seconds);
    const bool is_faster = report.setup_seconds + report.solve_seconds < best.setup_seconds + best.solve_seconds;
    if (repeat <= 1 || is_faster) best = report;
  }
  return best;
}

Json record_of(const PressureSystem& system, const std::string& preconditioner, const SolveReport& report,
               const Options& options) {
  const double cells = static_cast<double>(report.unknowns);
  return {{"case", options.name},
          {"coefficients", options.coefficients},
          {"grid", options.n},
          {"liquid_cells", report.unknowns},
          {"ranks", system.layout.comm().size()},
          {"threads", omp_get_max_threads()},
          {"preconditioner", preconditioner},
          {"tolerance", options.tolerance},
          {"iterations", report.iterations},
          {"converged", report.converged},
          {"relative_residual", report.relative_residual},
          {"setup_ms", 1e3 * report.setup_seconds},
          {"solve_ms", 1e3 * report.solve_seconds},
          {"ns_per_cell", 1e9 * (report.setup_seconds + report.solve_seconds) / cells}};
}

void measure(const Options& options) {
  const Communicator world(MPI_COMM_WORLD);
  const PressureSystem system(world, pressure_case_named(options.name), options.n,
                              coefficient_kind_named(options.coefficients));
  Json json = Json::array();
  for (const std::string& name : options.preconditioners)
    json.push_back(record_of(system, name, time_solves(system, name, options), options));
  if (world.is_root()) std::fputs(json_text(json).c_str(), stdout);
}

}  // namespace
}  // namespace freshet::test

int main(int argc, char** argv) {
  freshet::test::Options options;
  const std::vector<std::string_view> names = freshet::test::all_preconditioners();
  CLI::App app("Time pressure solvers on one case; prints a list of JSON records");
  app.add_option("--case", options.name, "dam, box, sheet or spray");
  app.add_option("--coefficients", options.coefficients, "unit, general or level_set");
  app.add_option("-n,--cells", options.n, "cells along each edge of the box")->check(CLI::Range(8, 4096));
  app.add_option("--preconditioners", options.preconditioners, "one record each")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())));
  app.add_option("--tolerance", options.tolerance, "residual relative to the right-hand side");
  app.add_option("--repeats", options.repeats, "timed solves; the fastest counts")->check(CLI::PositiveNumber);
  app.add_option("--seconds", options.seconds, "no further solve after this time [s]");
  app.add_option("--max-iterations", options.max_iterations, "what does not converge by then is marked so");
  CLI11_PARSE(app, argc, argv);
  try {
    const freshet::Environment environment(argv[0], {});
    freshet::test::measure(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pressure_table: %s\n", error.what());
    return 1;
  }
  return 0;
}
