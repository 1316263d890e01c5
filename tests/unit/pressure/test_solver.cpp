// SPDX-License-Identifier: Apache-2.0
#include "support/mpi_test.hpp"
#include "support/pressure_scene.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>

namespace freshet {
namespace {

using namespace test;

TEST(PressureSolver, gives_the_same_bits_for_any_number_of_threads) {
  const Domain domain = make_domain(3, {48, 40, 40});
  const int n_threads = omp_get_max_threads();
  for (const CellLabel& label :
       {CellLabel(splash(domain.cells(), 3)), CellLabel([](const Vec3i&) { return Label::liquid; })}) {
    const Scene scene(world(), domain, all_blocks(domain), uniform_splitters(domain, 1), label);
    const CellField<double> b = scene.field([](const Vec3i& cell) { return noise(cell, 5); });
    for (const std::string_view preconditioner : {"multigrid", "mic0", "jacobi"}) {
      std::vector<CellField<double>> pressures;
      std::vector<int> iterations;
      for (const int threads : {1, 2, 5}) {
        omp_set_num_threads(threads);
        PressureSolver solver(world(), solver_parameters(preconditioner, 1e-8));
        pressures.emplace_back(scene.layout, 0.0);
        pressures.back().fill(0.0);
        iterations.push_back(solver.solve(scene.coefficients, b, pressures.back()).iterations);
      }
      omp_set_num_threads(n_threads);
      const std::size_t n =
          static_cast<std::size_t>(scene.layout.n_owned()) * static_cast<std::size_t>(scene.layout.cells_per_block());
      for (int other : {1, 2}) {
        EXPECT_EQ(iterations[other], iterations[0]);
        EXPECT_TRUE(std::equal(pressures[0].data(), pressures[0].data() + n, pressures[other].data()));
      }
    }
  }
}

}  // namespace
}  // namespace freshet
