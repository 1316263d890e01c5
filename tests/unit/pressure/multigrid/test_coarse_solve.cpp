// SPDX-License-Identifier: Apache-2.0
#include "pressure/multigrid/coarse_solve.hpp"
#include "support/mpi_test.hpp"
#include "support/pressure_scene.hpp"

#include <gtest/gtest.h>

#include <map>

namespace freshet {
namespace {

using namespace test;
using namespace pressure;

/// The finest level and the one below it of a scene on one rank, equations complete.
struct TwoLevels {
  explicit TwoLevels(const Scene& scene) {
    unknowns.rebuild(scene.coefficients);
    grids.reset(scene.layout);
    fine.bind(grids[0]);
    coarse.bind(grids[1]);
    coarse.clear_system();
    fine.take_system(scene.coefficients, unknowns, &coarse);
    coarse.complete_system(Refresh::everything);
  }
  Unknowns unknowns;
  MultigridGrids grids;
  MultigridLevel fine;
  MultigridLevel coarse;
};

/// f(place) for the unknowns of a level on one rank.
template <class Function>
void for_each_place(const MultigridLevel& level, int cells, Function&& f) {
  for (const MultigridLevel::Block& block : level.blocks())
    for (int c = 0; c < cells; ++c)
      if (level.inverse().block(block.inverse)[c] != 0.0F) f(block.number * cells + c);
}

/// Solve for a right-hand side of random numbers; half-sweeps of both colours must change nothing then.
void expect_fixed_point(const Scene& scene, LocalIndex n_unknowns) {
  TwoLevels levels(scene);
  MultigridLevel& level = levels.coarse;
  ASSERT_LE(CoarseSolve::count(level), CoarseSolve::most_unknowns);
  if (n_unknowns > 0) {
    EXPECT_EQ(CoarseSolve::count(level), n_unknowns);
  }
  const int cells = scene.layout.cells_per_block();
  for_each_place(level, cells, [&](int place) {
    level.b().data()[place] = static_cast<float>(hashed(static_cast<std::uint64_t>(place)) - 0.5);
  });
  CoarseSolve direct;
  for (int n = 0; n < 2; ++n) direct.reset(level);  // what is left of the first call is of no use
  direct.solve(level);
  std::map<int, float> solved;
  for_each_place(level, cells, [&](int place) { solved[place] = level.x().data()[place]; });
  for (const Colour colour : {Colour::even, Colour::odd}) level.relax(colour);
  for_each_place(level, cells, [&](int place) {
    EXPECT_NEAR(level.x().data()[place], solved[place], 1e-5);  // float32, solutions of size 1, and the shift of 1e-6
  });
}

TEST(CoarseSolve, solution_is_a_fixed_point_of_the_level_s_sweeps) {
  for (const int dimension : {2, 3}) {
    const Domain domain = make_domain(dimension, dimension == 3 ? Vec3i(10, 8, 8) : Vec3i(20, 16, 1));
    const Scene scene(world(), domain, all_blocks(domain), uniform_splitters(domain, 1),
                      [&](const Vec3i& cell) { return cell.y() < 6 ? Label::liquid : Label::air; });
    expect_fixed_point(scene, dimension == 3 ? 5 * 3 * 4 : 10 * 3);
  }
}

TEST(CoarseSolve, is_right_across_periodic_sides) {
  for (const int dimension : {2, 3}) {
    const Domain domain =
        make_domain(dimension, dimension == 3 ? Vec3i(16, 16, 16) : Vec3i(16, 16, 1), FaceCondition::periodic);
    const Scene scene(world(), domain, all_blocks(domain), uniform_splitters(domain, 1),
                      [&](const Vec3i& cell) { return cell.y() < 3 && cell.x() != 9 ? Label::liquid : Label::air; });
    expect_fixed_point(scene, 0);
  }
}

TEST(CoarseSolve, is_right_for_bodies_apart_and_of_any_shape) {
  const Domain domain = make_domain(3, {32, 8, 16});
  const Scene scene(world(), domain, all_blocks(domain), uniform_splitters(domain, 1), [](const Vec3i& cell) {
    const bool is_wet =
        hashed(static_cast<std::uint64_t>(cell.x() / 2 + 100 * (cell.y() / 2) + 10'000 * (cell.z() / 2))) < 0.2;
    return is_wet ? Label::liquid : Label::air;
  });
  expect_fixed_point(scene, 0);
}

TEST(CoarseSolve, gives_a_finite_solution_where_nothing_ties_the_pressure) {
  const Domain domain = make_domain(3, {8, 8, 8});
  const Scene scene(world(), domain, all_blocks(domain), uniform_splitters(domain, 1), [](const Vec3i& cell) {
    return cell.x() < 3 && cell.y() < 3 && cell.z() < 3 ? Label::liquid : Label::solid;
  });
  TwoLevels levels(scene);
  MultigridLevel& level = levels.coarse;
  const int cells = scene.layout.cells_per_block();
  CoarseSolve direct;
  direct.reset(level);
  float sum = 0.0F;
  float sign = 1.0F;
  for_each_place(level, cells, [&](int place) {  // 8 aggregates: what comes in goes out
    level.b().data()[place] = sign;
    sum += sign;
    sign = -sign;
  });
  ASSERT_EQ(sum, 0.0F);
  direct.solve(level);
  for_each_place(level, cells, [&](int place) { EXPECT_LT(std::abs(level.x().data()[place]), 100.0F); });
}

}  // namespace
}  // namespace freshet
