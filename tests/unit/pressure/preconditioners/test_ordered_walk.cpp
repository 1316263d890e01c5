// SPDX-License-Identifier: Apache-2.0
#include "pressure/preconditioners/ordered_walk.hpp"
#include "support/mpi_test.hpp"
#include "support/pressure_scene.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <atomic>

namespace freshet {
namespace {

using namespace test;
using namespace pressure;

/// Every active block with the active ones before and after it in each direction.
std::vector<Links> link_all(const Unknowns& unknowns) {
  const BlockLayout& layout = unknowns.layout();
  std::vector<Links> links(static_cast<std::size_t>(layout.n_owned()));
  const auto if_active = [&](LocalIndex slot) {
    return slot < layout.n_owned() && unknowns.fill(slot) != Fill::empty ? slot : layout.background();
  };
  for (const LocalIndex block : unknowns.active_blocks())
    for (int d = 0; d < 3; ++d) {
      links[block].low[d] = if_active(layout.neighbours(block)[low_direction(d)]);
      links[block].high[d] = if_active(layout.neighbours(block)[high_direction(d)]);
    }
  return links;
}

/// Visits a splash both ways and looks at the order.
void check_order(int dimension, const Vec3i& cells, int n_threads) {
  const Domain domain = make_domain(dimension, cells);
  const Scene scene(world(), domain, all_blocks(domain), uniform_splitters(domain, 1), splash(cells, 4));
  Unknowns unknowns;
  unknowns.rebuild(scene.coefficients);
  const std::vector<Links> links = link_all(unknowns);
  OrderedWalk walk;
  walk.reset(unknowns, links);
  omp_set_num_threads(n_threads);
  for (const Direction direction : {Direction::up, Direction::down, Direction::up}) {
    std::vector<std::atomic<int>> visits(static_cast<std::size_t>(scene.layout.n_slots()));
    std::atomic<int> n_early{0};
    walk.visit(direction, [&](LocalIndex block) {
      for (const LocalIndex before : direction == Direction::up ? links[block].low : links[block].high)
        if (before != scene.layout.background() && visits[before] != 1) ++n_early;
      ++visits[block];
    });
    EXPECT_EQ(n_early, 0);
    EXPECT_TRUE(std::all_of(unknowns.active_blocks().begin(), unknowns.active_blocks().end(),
                            [&](LocalIndex block) { return visits[block] == 1; }));
  }
}

TEST(OrderedWalk, visits_each_block_once_and_after_those_it_depends_on) {
  const int n_threads = omp_get_max_threads();
  for (const int threads : {1, 2, 3, 7}) {
    check_order(3, {72, 56, 64}, threads);
    check_order(2, {600, 400, 1}, threads);  // several squares of 8 x 8 blocks each way
    check_order(3, {24, 8, 8}, threads);     // too narrow to share
  }
  omp_set_num_threads(n_threads);
}

}  // namespace
}  // namespace freshet
