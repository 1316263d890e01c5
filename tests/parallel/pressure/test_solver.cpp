// SPDX-License-Identifier: Apache-2.0
// nightly: 1 2 4
#include "freshet/core/floating_point.hpp"
#include "support/mpi_test.hpp"
#include "support/pressure_scene.hpp"

#include <gtest/gtest.h>
#include <petscsys.h>

#include <array>
#include <limits>
#include <numbers>

namespace freshet {
namespace {

using namespace test;
using std::numbers::pi;

struct Solved {
  CellField<double> pressure;
  SolveReport report;
};

Solved solve(const Scene& scene, const PressureOptions& parameters, const CellField<double>& right_hand_side) {
  PressureSolver solver(scene.layout.comm(), parameters);
  Solved solved{CellField<double>(scene.layout, 0.0), {}};
  solved.pressure.fill(0.0);
  solved.report = solver.solve(scene.coefficients, right_hand_side, solved.pressure);
  return solved;
}

Scene make_scene(const Domain& domain, const CellLabel& label, const Communicator& comm = world()) {
  const std::vector<BlockKey> keys = all_blocks(domain);
  return {comm, domain, keys, equal_splitters(comm, keys), label};
}

Label all_liquid(const Vec3i& /*cell*/) {
  return Label::liquid;
}

/// A made-up solution of noise, and the right-hand side that it has.
struct Problem {
  CellField<double> exact;
  CellField<double> right_hand_side;
};
Problem noise_problem(const Scene& scene, std::uint64_t seed) {
  Problem problem{scene.field([seed](const Vec3i& cell) { return noise(cell, seed); }), {}};
  problem.right_hand_side = multiply(scene, problem.exact);
  return problem;
}

TEST(PressureSolver, solves_a_splash_with_every_preconditioner) {
  const Domain domain = make_domain(3, {40, 32, 24});
  const Scene scene = make_scene(domain, splash(domain.cells(), 3));
  const auto [exact, b] = noise_problem(scene, 5);
  for (const std::string_view preconditioner : all_preconditioners()) {
    SCOPED_TRACE(preconditioner);
    const auto [p, report] = solve(scene, solver_parameters(preconditioner, 1e-10), b);
    EXPECT_TRUE(report.converged) << report.reason;
    // The recursion's residual, which stops the iteration, and the true one differ by round-off.
    EXPECT_LE(report.relative_residual, 1.01e-10);
    EXPECT_LE(scene.difference(p, exact), 1e-7);  // condition number about 1e3
    EXPECT_EQ(report.sealed_bodies, 0);
    EXPECT_EQ(report.incompatibility, 0.0);
  }
}

TEST(PressureSolver, needs_a_sane_number_of_iterations) {
  const Domain domain = make_domain(3, {40, 32, 24});
  const Scene scene = make_scene(domain, splash(domain.cells(), 3));
  const auto [exact, b] = noise_problem(scene, 5);
  const auto iterations = [&scene, &b = b](std::string_view preconditioner) {
    return solve(scene, solver_parameters(preconditioner, 1e-6), b).report.iterations;
  };
  const int none = iterations("none");
  EXPECT_LE(none, 120);  // measured 84 on any number of ranks
  EXPECT_LE(iterations("jacobi"), 1.2 * none);
  EXPECT_LE(iterations("icc"), 0.6 * none);
  EXPECT_LE(iterations("mic0"), 0.6 * none);
  EXPECT_LE(iterations("hypre"), 20);
  EXPECT_LE(iterations("gamg"), 20);
}

TEST(PressureSolver, finds_the_same_solution_as_one_rank_alone) {
  const Domain domain = make_domain(3, {24, 40, 16});
  const Communicator alone(MPI_COMM_SELF);
  const Scene scene = make_scene(domain, splash(domain.cells(), 11));
  const Scene whole = make_scene(domain, splash(domain.cells(), 11), alone);
  const auto source = [](const Vec3i& cell) { return noise(cell, 21); };
  for (const std::string_view preconditioner : {"mic0", "icc"}) {
    const Solved shared = solve(scene, solver_parameters(preconditioner, 1e-12), scene.field(source));
    const Solved single = solve(whole, solver_parameters(preconditioner, 1e-12), whole.field(source));
    double worst = 0.0;
    scene.for_each_unknown([&](const Vec3i&, LocalIndex block, int c) {
      const LocalIndex there = whole.layout.find(scene.layout.key(block));
      worst = std::max(worst, std::abs(shared.pressure.block(block)[c] - single.pressure.block(there)[c]));
    });
    EXPECT_LE(world().max(worst), 1e-9);  // tolerance x |b| (about 60) x |A^-1| (about 10)
    EXPECT_EQ(shared.report.unknowns, single.report.unknowns);
  }
}

/// Largest error of the discrete solution for a product of cosines in a unit box, walls all round or periodic.
double cosine_error(int dimension, int n, FaceCondition condition, std::string_view preconditioner) {
  const Domain domain = make_domain(dimension, {n, n, dimension == 3 ? n : 1}, condition);
  const Scene scene = make_scene(domain, all_liquid);
  const double h = 1.0 / n;
  const Vec3 waves = condition == FaceCondition::periodic ? Vec3(2.0, 2.0, 4.0) : Vec3(1.0, 2.0, 1.0);
  const auto exact = [&](const Vec3i& cell) {
    double value = 1.0;
    for (int d = 0; d < dimension; ++d) value *= std::cos(pi * waves[d] * (cell[d] + 0.5) * h);
    return value;
  };
  const double minus_laplacian =
      pi * pi * (waves[0] * waves[0] + waves[1] * waves[1] + (dimension == 3 ? waves[2] * waves[2] : 0.0));
  const auto [p, report] = solve(scene, solver_parameters(preconditioner, 1e-10),
                                 scene.field([&](const Vec3i& cell) { return h * h * minus_laplacian * exact(cell); }));
  EXPECT_TRUE(report.converged) << report.reason;
  EXPECT_EQ(report.sealed_bodies, 1);
  return scene.difference(p, scene.field(exact));
}

TEST(PressureSolver, is_second_order_between_walls_with_every_preconditioner) {
  for (const std::string_view preconditioner : all_preconditioners()) {
    SCOPED_TRACE(preconditioner);
    for (const int dimension : {2, 3}) {
      const double coarse = cosine_error(dimension, 16, FaceCondition::free_slip, preconditioner);
      const double fine = cosine_error(dimension, 32, FaceCondition::free_slip, preconditioner);
      EXPECT_LE(fine, 0.01);          // (2 pi h)^2 / 12 is 0.0032
      EXPECT_GE(coarse / fine, 3.5);  // 4 in the limit
    }
  }
}

TEST(PressureSolver, is_second_order_on_periodic_axes) {
  for (const std::string_view preconditioner : {"mic0", "hypre", "none"}) {
    const double coarse = cosine_error(3, 16, FaceCondition::periodic, preconditioner);
    const double fine = cosine_error(3, 32, FaceCondition::periodic, preconditioner);
    EXPECT_GE(coarse / fine, 3.5);
  }
}

/// Water below y = 10; beside it a cavity in the solid of 2 x 3 x 3 cells across a corner of blocks, and one of 2
/// cells.
Label pockets(const Vec3i& cell) {
  const auto inside = [&cell](const Vec3i& lower, const Vec3i& upper) {
    return (cell.array() >= lower.array()).all() && (cell.array() < upper.array()).all();
  };
  if (inside({15, 7, 7}, {17, 10, 10}) || inside({20, 3, 12}, {22, 4, 13})) return Label::liquid;
  if (cell.x() >= 13) return Label::solid;
  return cell.y() < 10 ? Label::liquid : Label::air;
}

TEST(PressureSolver, solves_two_sealed_pockets_beside_open_water) {
  const Domain domain = make_domain(3, {24, 16, 24});
  const Scene scene = make_scene(domain, pockets);
  CellField<double> exact = scene.field([](const Vec3i& cell) { return noise(cell, 4); });
  const auto body = [](const Vec3i& cell) { return cell.x() < 13 ? -1 : cell.x() < 20 ? 0 : 1; };
  std::array<double, 2> sums{};
  scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) {
    if (body(cell) >= 0) sums[body(cell)] += exact.block(block)[c];
  });
  world().sum_in_place(std::span<double>(sums));
  const std::array<double, 2> means{sums[0] / 18.0, sums[1] / 2.0};
  scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) {
    if (body(cell) >= 0) exact.block(block)[c] -= means[body(cell)];
  });
  scene.layout.halo().gather(exact, 1);
  CellField<double> b = multiply(scene, exact);
  const std::array<double, 2> excess{0.25, -0.5};  // what the bodies cannot take
  scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) {
    if (body(cell) >= 0) b.block(block)[c] += excess[body(cell)];
  });
  for (const std::string_view preconditioner : all_preconditioners()) {
    SCOPED_TRACE(preconditioner);
    const auto [p, report] = solve(scene, solver_parameters(preconditioner, 1e-10), b);
    EXPECT_TRUE(report.converged) << report.reason;
    EXPECT_EQ(report.sealed_bodies, 2);
    EXPECT_NEAR(report.incompatibility, std::sqrt(18 * 0.25 * 0.25 + 2 * 0.5 * 0.5), 1e-12);
    EXPECT_LE(scene.difference(p, exact), 1e-7);
  }
}

TEST(PressureSolver, solves_a_full_tank_with_every_preconditioner) {
  const Domain domain = make_domain(3, {24, 16, 20});  // the last layer of blocks is half in the domain
  const Scene scene = make_scene(domain, all_liquid);
  const auto [exact, b] = noise_problem(scene, 9);
  for (const std::string_view preconditioner : all_preconditioners()) {
    SCOPED_TRACE(preconditioner);
    const auto [p, report] = solve(scene, solver_parameters(preconditioner, 1e-10), b);
    EXPECT_TRUE(report.converged) << report.reason;
    EXPECT_EQ(report.sealed_bodies, 1);
    EXPECT_EQ(report.unknowns, 24 * 16 * 20);
    EXPECT_LE(report.relative_residual, 1.01e-10);
    double sum = 0.0;
    scene.for_each_unknown([&, &p = p](const Vec3i&, LocalIndex block, int c) { sum += p.block(block)[c]; });
    EXPECT_NEAR(world().sum(sum) / 7680.0, 0.0, 1e-12);
  }
}

TEST(PressureSolver, gives_nothing_to_a_tank_that_is_only_overfilled) {
  const Domain domain = make_domain(3, {16, 16, 16});
  const Scene scene = make_scene(domain, all_liquid);
  const auto [p, report] = solve(scene, solver_parameters("mic0", 1e-6), scene.field([](const Vec3i&) { return 0.1; }));
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_NEAR(report.incompatibility, 0.1 * 64.0, 1e-9);
  EXPECT_EQ(scene.difference(p, scene.field([](const Vec3i&) { return 0.0; })), 0.0);
}

TEST(PressureSolver, solves_bodies_of_one_cell) {
  const Domain domain = make_domain(3, {24, 24, 24});
  const Scene scene = make_scene(
      domain, [](const Vec3i& cell) { return cell.sum() % 2 == 0 && noise(cell, 2) > 0 ? Label::liquid : Label::air; });
  const CellField<double> b = scene.field([](const Vec3i& cell) { return noise(cell, 3); });
  for (const std::string_view preconditioner : all_preconditioners()) {
    SCOPED_TRACE(preconditioner);
    const auto [p, report] = solve(scene, solver_parameters(preconditioner, 1e-12), b);
    EXPECT_TRUE(report.converged) << report.reason;
    EXPECT_LE(report.iterations, 12);  // at most four diagonals: inside, at a wall, an edge, a corner
    double worst = 0.0;
    scene.for_each_unknown([&, &p = p](const Vec3i&, LocalIndex block, int c) {
      const double diagonal = scene.coefficients.diagonal.block(block)[c];
      worst = std::max(worst, std::abs(p.block(block)[c] - b.block(block)[c] / diagonal));
    });
    EXPECT_LE(world().max(worst), 1e-10);
  }
}

TEST(PressureSolver, solves_where_only_one_rank_has_an_unknown) {
  const Domain domain = make_domain(3, {16, 16, 16});
  for (const Vec3i& drop : {Vec3i(3, 3, 3), Vec3i(14, 14, 14)}) {
    const Scene scene =
        make_scene(domain, [&](const Vec3i& cell) { return cell == drop ? Label::liquid : Label::air; });
    for (const std::string_view preconditioner : all_preconditioners()) {
      SCOPED_TRACE(preconditioner);
      const auto [p, report] =
          solve(scene, solver_parameters(preconditioner, 1e-12), scene.field([](const Vec3i&) { return 3.0; }));
      EXPECT_TRUE(report.converged) << report.reason;
      EXPECT_EQ(report.unknowns, 1);
      EXPECT_LE(scene.difference(p, scene.field([](const Vec3i&) { return 0.5; })), 1e-12);
    }
  }
}

TEST(PressureSolver, returns_at_once_without_unknowns) {
  const Domain domain = make_domain(3, {16, 16, 16});
  const std::vector<BlockKey> some_keys{morton_key({0, 0, 0})};  // most ranks own no block
  for (const std::vector<BlockKey>& keys : {all_blocks(domain), some_keys, std::vector<BlockKey>{}}) {
    const Scene scene(world(), domain, keys, uniform_splitters(domain, world().size()),
                      [](const Vec3i&) { return Label::air; });
    for (const std::string_view preconditioner : all_preconditioners()) {
      const auto [p, report] =
          solve(scene, solver_parameters(preconditioner, 1e-6), scene.field([](const Vec3i&) { return 1.0; }));
      EXPECT_TRUE(report.converged);
      EXPECT_EQ(report.unknowns, 0);
      EXPECT_EQ(report.iterations, 0);
    }
  }
}

TEST(PressureSolver, solves_with_ranks_that_own_no_block) {
  const Domain domain = make_domain(3, {32, 32, 32});
  const std::vector<BlockKey> keys{morton_key({0, 0, 0}), morton_key({1, 0, 0})};
  const Scene scene(world(), domain, keys, equal_splitters(world(), keys),
                    [](const Vec3i& cell) { return cell.y() < 5 ? Label::liquid : Label::air; });
  const auto [exact, b] = noise_problem(scene, 6);
  for (const std::string_view preconditioner : all_preconditioners()) {
    SCOPED_TRACE(preconditioner);
    const auto [p, report] = solve(scene, solver_parameters(preconditioner, 1e-10), b);
    EXPECT_TRUE(report.converged) << report.reason;
    EXPECT_LE(scene.difference(p, exact), 1e-7);
  }
}

TEST(PressureSolver, solves_in_two_dimensions_and_on_narrow_periodic_boxes) {
  struct Case {
    int dimension;
    Vec3i cells;
    FaceCondition condition;
  };
  for (const Case& c : {Case{2, {72, 40, 1}, FaceCondition::free_slip}, Case{2, {8, 48, 1}, FaceCondition::periodic},
                        Case{3, {8, 32, 8}, FaceCondition::periodic}, Case{3, {16, 24, 8}, FaceCondition::periodic},
                        Case{3, {17, 21, 11}, FaceCondition::open}}) {
    SCOPED_TRACE(testing::Message() << c.dimension << "-D " << c.cells.transpose());
    const Domain domain = make_domain(c.dimension, c.cells, c.condition);
    const Scene scene = make_scene(domain, splash(c.cells, 8));
    const auto [exact, b] = noise_problem(scene, 12);
    for (const std::string_view preconditioner : all_preconditioners()) {
      SCOPED_TRACE(preconditioner);
      const auto [p, report] = solve(scene, solver_parameters(preconditioner, 1e-10), b);
      EXPECT_TRUE(report.converged) << report.reason;
      EXPECT_LE(report.relative_residual, 1.01e-10);
      if (report.sealed_bodies == 0) {
        EXPECT_LE(scene.difference(p, exact), 1e-7);
      }
    }
  }
}

TEST(PressureSolver, takes_no_iteration_from_the_solution) {
  const Domain domain = make_domain(3, {24, 24, 24});
  for (const CellLabel& label : {CellLabel(splash(domain.cells(), 3)), CellLabel(all_liquid)}) {
    const Scene scene = make_scene(domain, label);
    const auto [exact, b] = noise_problem(scene, 5);
    for (const std::string_view preconditioner : all_preconditioners()) {
      PressureSolver solver(world(), solver_parameters(preconditioner, 1e-8));
      CellField<double> p = scene.field([](const Vec3i&) { return 0.0; });
      EXPECT_GT(solver.solve(scene.coefficients, b, p).iterations, 0);
      const SolveReport again = solver.solve(scene.coefficients, b, p);
      EXPECT_TRUE(again.converged);
      EXPECT_EQ(again.iterations, 0);
      EXPECT_LE(again.relative_residual, 1.01e-8);
    }
  }
}

TEST(PressureSolver, starts_from_nothing_if_the_parameters_say_so) {
  const Domain domain = make_domain(3, {24, 24, 24});
  const Scene scene = make_scene(domain, splash(domain.cells(), 3));
  const auto [exact, b] = noise_problem(scene, 5);
  PressureOptions parameters = solver_parameters("mic0", 1e-8);
  parameters.warm_start = false;
  PressureSolver solver(world(), parameters);
  CellField<double> p = scene.field([](const Vec3i&) { return 0.0; });
  const int first = solver.solve(scene.coefficients, b, p).iterations;
  EXPECT_GT(first, 0);
  EXPECT_EQ(solver.solve(scene.coefficients, b, p).iterations, first);
}

TEST(PressureSolver, one_solver_serves_changing_liquids_and_layouts) {
  for (const std::string_view preconditioner : all_preconditioners()) {
    SCOPED_TRACE(preconditioner);
    PressureSolver solver(world(), solver_parameters(preconditioner, 1e-10));
    for (const int step : {0, 1, 2, 3, 2}) {
      const Domain domain = make_domain(3, {24, 16 + 8 * (step % 3), 16});
      // step 3 is a full tank, step 2 repeats with the same number of unknowns
      const Scene scene = make_scene(domain, step == 3 ? CellLabel(all_liquid) : splash(domain.cells(), 30 + step));
      const auto [exact, b] = noise_problem(scene, 5);
      CellField<double> p = scene.field([](const Vec3i&) { return 0.0; });
      const SolveReport report = solver.solve(scene.coefficients, b, p);
      EXPECT_TRUE(report.converged) << report.reason;
      EXPECT_EQ(report.sealed_bodies, step == 3 ? 1 : 0);
      EXPECT_LE(report.relative_residual, 1.01e-10);
    }
  }
}

TEST(PressureSolver, keeps_the_memory_of_its_vectors_while_liquids_change) {
  PressureSolver solver(world(), solver_parameters("mic0", 1e-6));
  const Domain domain = make_domain(3, {32, 32, 16});
  std::int64_t after_the_first = 0;
  for (const int height : {20, 19, 12, 20, 16}) {
    const Scene scene =
        make_scene(domain, [&](const Vec3i& cell) { return cell.y() < height ? Label::liquid : Label::air; });
    CellField<double> p = scene.field([](const Vec3i&) { return 0.0; });
    solver.solve(scene.coefficients, scene.field([](const Vec3i& cell) { return noise(cell, 5); }), p);
    if (after_the_first == 0) after_the_first = memory_in_use(MemoryKind::pressure);
    EXPECT_EQ(memory_in_use(MemoryKind::pressure), after_the_first);
  }
}

TEST(PressureSolver, one_solver_serves_other_coefficients_of_as_many_unknowns) {
  const Domain domain = make_domain(3, {16, 16, 16});
  const std::vector<BlockKey> keys = all_blocks(domain);
  for (const std::string_view preconditioner : all_preconditioners()) {
    SCOPED_TRACE(preconditioner);
    PressureSolver solver(world(), solver_parameters(preconditioner, 1e-10));
    for (const int solid : {2, 5, -1}) {  // a lump in the water, elsewhere each time; then air in its place
      const Scene scene = make_scene(domain, [solid](const Vec3i& cell) {
        if (cell == Vec3i(4, 4, 4)) return solid < 0 ? Label::air : solid == 2 ? Label::solid : Label::liquid;
        if (cell == Vec3i(4, 5, 4)) return solid == 5 ? Label::solid : Label::liquid;
        return cell.y() < 8 ? Label::liquid : Label::air;
      });
      const auto [exact, b] = noise_problem(scene, 5);
      CellField<double> p = scene.field([](const Vec3i&) { return 0.0; });
      EXPECT_TRUE(solver.solve(scene.coefficients, b, p).converged);
      EXPECT_LE(scene.difference(p, exact), 1e-7);
    }
  }
}

TEST(PressureSolver, reports_a_right_hand_side_that_is_not_a_number) {
  const WithoutTraps suspended;
  const Domain domain = make_domain(3, {16, 16, 16});
  const Scene scene = make_scene(domain, [](const Vec3i& cell) { return cell.y() < 8 ? Label::liquid : Label::air; });
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const CellField<double> b = scene.field([nan](const Vec3i& cell) { return cell == Vec3i(9, 3, 3) ? nan : 1.0; });
  const SolveReport report = solve(scene, solver_parameters("mic0", 1e-6), b).report;
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.reason, "DIVERGED_NANORINF");
}

TEST(PressureSolver, stops_at_the_largest_divergence_too) {
  const Domain domain = make_domain(3, {24, 24, 24}, FaceCondition::free_slip, 0.1);
  const Scene scene = make_scene(domain, splash(domain.cells(), 3));
  const auto [exact, b] = noise_problem(scene, 5);
  PressureOptions parameters = solver_parameters("mic0", 1e-2);
  const SolveReport loose = solve(scene, parameters, b).report;
  parameters.max_divergence = 1e-4;
  const SolveReport strict = solve(scene, parameters, b).report;
  EXPECT_GT(loose.max_residual, 1e-5);
  EXPECT_LE(strict.max_residual, 1.01e-5);  // 1e-4 [1/s] x 0.1 [m]; the recursion's residual stopped it
  EXPECT_GT(strict.iterations, loose.iterations);
}

TEST(PressureSolver, reports_that_it_did_not_converge) {
  const Domain domain = make_domain(3, {24, 24, 24});
  const Scene scene = make_scene(domain, splash(domain.cells(), 3));
  PressureOptions parameters = solver_parameters("mic0", 1e-10);
  parameters.max_iterations = 3;
  const SolveReport report = solve(scene, parameters, noise_problem(scene, 5).right_hand_side).report;
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.iterations, 3);
  EXPECT_EQ(report.reason, "DIVERGED_ITS");
}

TEST(PressureSolver, takes_petsc_options_from_the_case_unless_the_command_line_says_otherwise) {
  const Domain domain = make_domain(3, {24, 24, 24});
  const Scene scene = make_scene(domain, splash(domain.cells(), 3));
  const auto [exact, b] = noise_problem(scene, 5);
  PressureOptions parameters = solver_parameters("mic0", 1e-10);
  parameters.petsc = {{"ksp_max_it", "2"}, {"pc_type", "jacobi"}};
  EXPECT_EQ(solve(scene, parameters, b).report.iterations, 2);
  PetscOptionsSetValue(nullptr, "-pressure_ksp_max_it", "4");  // as what follows `--` is
  EXPECT_EQ(solve(scene, parameters, b).report.iterations, 4);
  PetscOptionsClearValue(nullptr, "-pressure_ksp_max_it");
  for (const char* type : {"minres", "gmres", "pipecg"}) {
    parameters.petsc = {{"ksp_type", type}};
    const SolveReport report = solve(scene, parameters, b).report;  // nothing is left of the other solvers' options
    EXPECT_TRUE(report.converged) << type << " " << report.reason;
    EXPECT_LE(report.relative_residual, 1.1e-10) << type;
  }
}

}  // namespace
}  // namespace freshet
