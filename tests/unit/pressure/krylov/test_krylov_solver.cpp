// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "pressure/krylov/krylov_solver.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace freshet {
namespace {

using namespace pressure;
using test::world;

constexpr LocalIndex n = 100;
constexpr std::array<LocalIndex, 3> block_begins{0, 40, n};

/// A = diag(1, 2, ..., n), without preconditioner unless M^-1 is given.
KrylovCallbacks diagonal_matrix() {
  return {.apply =
              [](const double* x, double* y) {
                for (LocalIndex i = 0; i < n; ++i) y[i] = (i + 1) * x[i];
              },
          .diagonal =
              [](double* d) {
                for (LocalIndex i = 0; i < n; ++i) d[i] = i + 1;
              },
          .precondition = {},
          .remove_null_space = {}};
}

PressureOptions options_with(std::string_view preconditioner) {
  PressureOptions options;
  options.preconditioner = preconditioner_named(preconditioner);
  return options;
}

/// Ready to solve A x = (1, ..., 1) from 0.
void prepare(KrylovSolver& solver) {
  solver.set_blocks(block_begins);
  solver.rebuild(n);
  solver.set_singular(false);
  solver.set_up();
  const VecArray b(solver.right_hand_side());
  std::fill_n(b.data(), n, 1.0);
}

void expect_solution(const KrylovSolver& solver, double bound) {
  const VecArray x(solver.solution());
  for (LocalIndex i = 0; i < n; ++i) EXPECT_NEAR(x.data()[i], 1.0 / (i + 1), bound);
}

TEST(KrylovSolver, stops_when_both_limits_are_met) {
  KrylovSolver solver(world(), options_with("none"), "pressure_", diagonal_matrix());
  EXPECT_FALSE(solver.uses_shell());
  EXPECT_FALSE(solver.needs_matrix());
  prepare(solver);
  solver.solve({.tolerance = 1e-2, .norm = 10.0});
  const int loose = solver.iterations();
  EXPECT_EQ(solver.reason(), KSP_CONVERGED_RTOL);
  VecSet(solver.solution(), 0.0);
  solver.solve({.tolerance = 1e-2, .norm = 10.0, .max_residual = 1e-9});
  EXPECT_GT(solver.iterations(), loose);
  expect_solution(solver, 1e-9);  // |residual| of a cell over its diagonal, which is at least 1
  VecSet(solver.solution(), 0.0);
  solver.solve({.tolerance = 1e-2, .norm = 10.0, .min_iterations = loose + 3});
  EXPECT_EQ(solver.iterations(), loose + 3);
}

TEST(KrylovSolver, calls_the_shell_and_takes_one_iteration_with_the_inverse) {
  KrylovCallbacks callbacks = diagonal_matrix();
  callbacks.precondition = [](const double* r, double* z) {
    for (LocalIndex i = 0; i < n; ++i) z[i] = r[i] / (i + 1);
  };
  KrylovSolver solver(world(), options_with("mic0"), "pressure_", callbacks);
  prepare(solver);
  EXPECT_TRUE(solver.uses_shell());
  solver.solve({.tolerance = 1e-12, .norm = 10.0});
  EXPECT_EQ(solver.iterations(), 1);
  expect_solution(solver, 1e-12);
}

TEST(KrylovSolver, options_of_the_user_may_choose_another_preconditioner) {
  PressureOptions options = options_with("multigrid");
  options.petsc = {{"pc_type", "jacobi"}};
  KrylovSolver solver(world(), options, "pressure_", diagonal_matrix());
  prepare(solver);
  EXPECT_FALSE(solver.uses_shell());
  EXPECT_FALSE(solver.needs_matrix());
  solver.solve({.tolerance = 1e-12, .norm = 10.0});
  EXPECT_EQ(solver.iterations(), 1);
  PressureOptions with_matrix = options_with("multigrid");
  with_matrix.petsc = {{"pc_type", "sor"}};
  KrylovSolver other(world(), with_matrix, "other_", diagonal_matrix());
  other.set_blocks(block_begins);
  other.rebuild(n);
  EXPECT_TRUE(other.needs_matrix());
}

TEST(KrylovSolver, throws_what_a_callback_has_thrown) {
  KrylovCallbacks callbacks = diagonal_matrix();
  callbacks.precondition = [](const double*, double*) { throw RunError("out of luck"); };
  KrylovSolver solver(world(), options_with("mic0"), "pressure_", callbacks);
  prepare(solver);
  try {
    solver.solve({.tolerance = 1e-12, .norm = 10.0});
    FAIL() << "the error was lost";
  } catch (const RunError& error) {
    EXPECT_STREQ(error.what(), "out of luck");
  }
}

TEST(KrylovSolver, ends_at_a_right_hand_side_in_the_range_of_a_singular_matrix) {
  KrylovCallbacks callbacks = diagonal_matrix();
  callbacks.apply = [](const double* x, double* y) {  // the first unknown is coupled with nothing
    for (LocalIndex i = 0; i < n; ++i) y[i] = i * x[i];
  };
  int n_removed = 0;
  callbacks.remove_null_space = [&n_removed](double* x) {
    x[0] = 0.0;
    ++n_removed;
  };
  KrylovSolver solver(world(), options_with("none"), "pressure_", callbacks);
  prepare(solver);
  solver.set_singular(true);
  VecArray(solver.right_hand_side()).data()[0] = 0.0;
  solver.solve({.tolerance = 1e-10, .norm = 10.0});
  EXPECT_GT(solver.reason(), 0);
  EXPECT_GT(n_removed, 0);
  EXPECT_EQ(VecArray(solver.solution()).data()[0], 0.0);
}

}  // namespace
}  // namespace freshet
