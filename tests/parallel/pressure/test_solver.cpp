// SPDX-License-Identifier: Apache-2.0
#include "scene.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

using namespace test;

TEST(PressureSolver, solves_a_splash_with_every_preconditioner) {
  const Domain domain = make_domain(3, {40, 32, 24});
  const std::vector<BlockKey> keys = all_blocks(domain);
  const Scene scene(world(), domain, keys, equal_splitters(world(), keys), splash(domain.cells(), 3));
  const CellField<double> exact = scene.field([](const Vec3i& cell) { return noise(cell, 5); });
  const CellField<double> b = multiply(scene, exact);
  for (const Preconditioner preconditioner : all_preconditioners) {
    SCOPED_TRACE(name_of(preconditioner));
    PressureSolver solver(world(), solver_parameters(preconditioner, 1e-10));
    CellField<double> p(scene.layout, 0.0);
    p.fill(0.0);
    const SolveReport report = solver.solve(scene.coefficients, b, p);
    EXPECT_TRUE(report.converged) << report.reason;
    EXPECT_LE(report.relative_residual, 1.01e-10);
    EXPECT_LE(scene.difference(p, exact), 1e-6);
    if (world().is_root())
                  report.relative_residual, report.unknowns, report.sealed_bodies);
  }
}

}  // namespace
}  // namespace freshet
