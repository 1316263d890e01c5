// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "pressure/fallback_solver.hpp"
#include "support/mpi_test.hpp"
#include "support/pressure_scene.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

using namespace test;
using pressure::FallbackSolver;

struct Solved {
  CellField<double> pressure;
  SolveReport report;
  std::string retried = "untouched";
};

Scene splash_scene(const Communicator& comm = world()) {
  const Domain domain = make_domain(3, {40, 32, 24});
  const std::vector<BlockKey> keys = all_blocks(domain);
  return {comm, domain, keys, equal_splitters(comm, keys), splash(domain.cells(), 3)};
}

Solved solve(const Scene& scene, const PressureOptions& parameters) {
  FallbackSolver solver(scene.layout.comm(), parameters);
  Solved solved{scene.field([](const Vec3i&) { return 0.0; }), {}};
  const CellField<double> b = scene.field([](const Vec3i& cell) { return noise(cell, 5); });
  solved.report = solver.solve(scene.coefficients, b, solved.pressure, {}, 1.0, solved.retried);
  return solved;
}

PressureOptions too_few_iterations(std::string_view preconditioner, int max_iterations) {
  PressureOptions parameters = solver_parameters(preconditioner, 1e-8);
  parameters.max_iterations = max_iterations;
  return parameters;
}

TEST(FallbackSolver, leaves_it_at_the_chosen_solver_if_that_converges) {
  const Solved solved = solve(splash_scene(), solver_parameters("multigrid", 1e-8));
  EXPECT_TRUE(solved.report.converged);
  EXPECT_EQ(solved.retried, "untouched");
}

TEST(FallbackSolver, solves_again_and_says_so) {
  const Scene scene = splash_scene();
  const Solved chosen = solve(scene, solver_parameters("jacobi", 1e-10));
  for (const std::string_view preconditioner : {"jacobi", "icc"}) {
    SCOPED_TRACE(preconditioner);
    const Solved solved = solve(scene, too_few_iterations(preconditioner, 10));
    EXPECT_TRUE(solved.report.converged);
    EXPECT_LE(solved.report.relative_residual, 1.01e-8);
    EXPECT_GT(solved.report.iterations, 10);                              // the 10 in vain are counted
    EXPECT_LE(scene.difference(solved.pressure, chosen.pressure), 1e-5);  // tolerance x |b| (about 60) x |A^-1| (10)
    EXPECT_NE(solved.retried.find(preconditioner), std::string::npos);
    EXPECT_TRUE(solved.retried.starts_with(preconditioner == "jacobi" ? "block_mic0" : "mic0")) << solved.retried;
  }
}

TEST(FallbackSolver, solves_again_with_the_same_bits_on_any_number_of_ranks) {
  const Communicator alone(MPI_COMM_SELF);
  const Scene scene = splash_scene();
  const Scene whole = splash_scene(alone);
  for (const std::string_view preconditioner : {"multigrid", "jacobi"}) {
    SCOPED_TRACE(preconditioner);
    const PressureOptions parameters = too_few_iterations(preconditioner, preconditioner == "multigrid" ? 5 : 10);
    const Solved shared = solve(scene, parameters);
    const Solved single = solve(whole, parameters);
    EXPECT_NE(shared.retried, "untouched");
    EXPECT_EQ(shared.retried, single.retried);
    EXPECT_EQ(shared.report.iterations, single.report.iterations);
    scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) {
      const LocalIndex there = whole.layout.find(scene.layout.key(block));
      EXPECT_EQ(shared.pressure.block(block)[c], single.pressure.block(there)[c]) << cell.transpose();
    });
  }
}

TEST(FallbackSolver, throws_on_all_ranks_if_the_second_solver_fails_too) {
  try {
    solve(splash_scene(), too_few_iterations("jacobi", 1));
    FAIL() << "10 iterations were enough";
  } catch (const RunError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("relative residual of 1.0e-08"), std::string::npos) << message;
    EXPECT_NE(message.find("then block_mic0: DIVERGED_ITS after 10 iterations"), std::string::npos) << message;
  }
}

TEST(FallbackSolver, converges_where_there_is_nothing_to_solve) {
  const Domain domain = make_domain(3, {16, 16, 16});
  for (const std::vector<BlockKey>& keys : {all_blocks(domain), {morton_key({0, 0, 0})}, std::vector<BlockKey>{}}) {
    const Scene scene(world(), domain, keys, uniform_splitters(domain, world().size()),
                      [](const Vec3i&) { return Label::air; });
    const Solved solved = solve(scene, too_few_iterations("multigrid", 1));
    EXPECT_TRUE(solved.report.converged);
    EXPECT_EQ(solved.report.unknowns, 0);
    EXPECT_EQ(solved.retried, "untouched");
  }
}

}  // namespace
}  // namespace freshet
