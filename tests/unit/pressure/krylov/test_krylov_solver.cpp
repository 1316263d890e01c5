// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "pressure/krylov/krylov_solver.hpp"
#include "support/mpi_test.hpp"
#include "support/pressure_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace freshet {
namespace {

using namespace pressure;
using namespace test;

constexpr LocalIndex n = 128;

/// A full tank of two blocks: n unknowns, which fill an array from its start.
const Unknowns& tank() {
  static const Unknowns& unknowns = []() -> const Unknowns& {  // never destroyed: that would come after MPI's end
    const Domain domain = make_domain(2, {16, 8, 1});
    const auto& scene = *new Scene(world(), domain, all_blocks(domain), uniform_splitters(domain, 1),
                                   [](const Vec3i&) { return Label::liquid; });
    auto* result = new Unknowns;
    result->rebuild(scene.coefficients);
    return *result;
  }();
  return unknowns;
}

/// A = diag(1, 2, ..., n), without preconditioner unless M^-1 is given.
KrylovCallbacks diagonal_matrix() {
  return {.apply =
              [](double* x, double* y) {
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

/// Ready to solve A x = (1, ..., 1).
void prepare(KrylovSolver& solver) {
  solver.set_unknowns(tank());
  solver.set_singular(false);
  solver.set_up();
  const VecArray b(solver.right_hand_side());
  std::fill_n(b.data(), n, 1.0);
}

/// The solution from a start of 0; an array of unknowns.
std::vector<double> solve(KrylovSolver& solver, const KrylovLimits& limits) {
  std::vector<double> x(static_cast<std::size_t>(tank().layout().n_slots()) * 64, 0.0);
  solver.solve(x.data(), false, limits);
  return x;
}

void expect_solution(const std::vector<double>& x, double bound) {
  for (LocalIndex i = 0; i < n; ++i) EXPECT_NEAR(x[i], 1.0 / (i + 1), bound);
}

TEST(KrylovSolver, stops_when_both_limits_are_met) {
  KrylovSolver solver(world(), options_with("none"), "pressure_", diagonal_matrix());
  EXPECT_FALSE(solver.uses_shell());
  EXPECT_FALSE(solver.needs_matrix());
  prepare(solver);
  solve(solver, {.tolerance = 1e-2, .norm = 10.0});
  const int loose = solver.iterations();
  EXPECT_EQ(solver.reason(), KSP_CONVERGED_RTOL);
  const std::vector<double> x = solve(solver, {.tolerance = 1e-2, .norm = 10.0, .max_residual = 1e-9});
  EXPECT_GT(solver.iterations(), loose);
  expect_solution(x, 1e-9);  // |residual| of a cell over its diagonal, which is at least 1
  solve(solver, {.tolerance = 1e-2, .norm = 10.0, .min_iterations = loose + 3});
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
  const std::vector<double> x = solve(solver, {.tolerance = 1e-12, .norm = 10.0});
  EXPECT_EQ(solver.iterations(), 1);
  expect_solution(x, 1e-12);
}

TEST(KrylovSolver, options_of_the_user_may_choose_another_preconditioner) {
  PressureOptions options = options_with("multigrid");
  options.petsc = {{"pc_type", "jacobi"}};
  KrylovSolver solver(world(), options, "pressure_", diagonal_matrix());
  prepare(solver);
  EXPECT_FALSE(solver.uses_shell());
  EXPECT_FALSE(solver.needs_matrix());
  solve(solver, {.tolerance = 1e-12, .norm = 10.0});
  EXPECT_EQ(solver.iterations(), 1);
  PressureOptions with_matrix = options_with("multigrid");
  with_matrix.petsc = {{"pc_type", "sor"}};
  KrylovSolver other(world(), with_matrix, "other_", diagonal_matrix());
  other.set_unknowns(tank());
  EXPECT_TRUE(other.needs_matrix());
}

/// A monitor prints what the solver's own loop tells; other options of a KSP make PETSc iterate.
TEST(KrylovSolver, takes_the_same_iterations_by_itself_and_by_petsc) {
  KrylovSolver plain(world(), options_with("none"), "pressure_", diagonal_matrix());
  prepare(plain);
  const KrylovLimits limits{.tolerance = 1e-8, .norm = 10.0};
  const std::vector<double> x = solve(plain, limits);
  PressureOptions options = options_with("none");
  options.petsc = {{"ksp_monitor", ":/dev/null"}};
  KrylovSolver monitored(world(), options, "monitored_", diagonal_matrix());
  prepare(monitored);
  EXPECT_EQ(solve(monitored, limits), x);
  options.petsc = {{"ksp_norm_type", "unpreconditioned"}};
  KrylovSolver by_petsc(world(), options, "petsc_", diagonal_matrix());
  prepare(by_petsc);
  const std::vector<double> of_petsc = solve(by_petsc, limits);
  EXPECT_EQ(by_petsc.iterations(), plain.iterations());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(of_petsc[i], x[i], 1e-12);  // the same recurrence
}

TEST(KrylovSolver, throws_what_a_callback_has_thrown) {
  KrylovCallbacks callbacks = diagonal_matrix();
  callbacks.precondition = [](const double*, double*) { throw RunError("out of luck"); };
  KrylovSolver solver(world(), options_with("mic0"), "pressure_", callbacks);
  prepare(solver);
  try {
    solve(solver, {.tolerance = 1e-12, .norm = 10.0});
    FAIL() << "the error was lost";
  } catch (const RunError& error) {
    EXPECT_STREQ(error.what(), "out of luck");
  }
}

TEST(KrylovSolver, ends_at_a_right_hand_side_in_the_range_of_a_singular_matrix) {
  KrylovCallbacks callbacks = diagonal_matrix();
  callbacks.apply = [](double* x, double* y) {  // the first unknown is coupled with nothing
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
  const std::vector<double> x = solve(solver, {.tolerance = 1e-10, .norm = 10.0});
  EXPECT_GT(solver.reason(), 0);
  EXPECT_GT(n_removed, 0);
  EXPECT_EQ(x[0], 0.0);
}

TEST(KrylovSolver, refuses_more_cells_than_petsc_numbers) {
  constexpr GlobalIndex many = GlobalIndex{1} << 31U;
  expect_countable(many - 1);
  expect_countable(many - 1, 4);
  expect_countable(100 * many, 8);
  try {
    expect_countable(many, 4);
    FAIL() << "2^31 cells were taken";
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find("2147483648 cells"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("64-bit"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace freshet
