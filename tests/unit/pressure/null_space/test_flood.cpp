// SPDX-License-Identifier: Apache-2.0
#include "pressure/null_space/flood.hpp"
#include "support/mpi_test.hpp"
#include "support/pressure_scene.hpp"

#include <gtest/gtest.h>

#include <bit>

namespace freshet {
namespace {

using namespace test;
using namespace pressure;

int n_cells(const BlockCells& cells) {
  int n = 0;
  for (const std::uint64_t word : cells.bits) n += std::popcount(word);
  return n;
}

/// Three tanks in a box of 24 x 16 (x 16) cells: open water at x < 5, a sealed tank at 6 <= x < 18, another at x > 18.
Label three_tanks(const Vec3i& cell) {
  if (cell.x() == 5 || cell.x() == 18) return Label::solid;
  return cell.x() < 5 && cell.y() >= 10 ? Label::air : Label::liquid;
}

TEST(Flood, marks_anchored_water_first_and_then_one_tank_at_a_time) {
  for (const int dimension : {2, 3}) {
    const int depth = dimension == 3 ? 16 : 1;
    const Domain domain = make_domain(dimension, {24, 16, depth});
    const Scene scene(world(), domain, all_blocks(domain), uniform_splitters(domain, 1), three_tanks);
    Unknowns unknowns;
    unknowns.rebuild(scene.coefficients);
    Flood flood;
    flood.reset(scene.coefficients, unknowns);
    std::vector<int> sizes;
    for (const LocalIndex block : flood.unmarked_blocks())
      for (int cell = flood.first_unmarked(block); cell >= 0; cell = flood.first_unmarked(block)) {
        int n = 0;
        std::vector<LocalIndex> blocks;
        for (const BlockCells& cells : flood.mark_from(block, cell)) {
          n += n_cells(cells);
          blocks.push_back(cells.block);
          scene.for_each_cell(cells.block, [&](const Vec3i& place, int c) {
            if (!cells.contains(c)) return;
            EXPECT_EQ(place.x() > 18, sizes.size() == 1) << place.transpose();
          });
        }
        std::sort(blocks.begin(), blocks.end());
        EXPECT_EQ(std::adjacent_find(blocks.begin(), blocks.end()), blocks.end());  // each block once
        sizes.push_back(n);
      }
    EXPECT_EQ(sizes, (std::vector<int>{12 * 16 * depth, 5 * 16 * depth}));
  }
}

TEST(Flood, does_not_cross_faces_without_a_weight) {
  const Domain domain = make_domain(3, {16, 8, 8});
  Scene scene(world(), domain, all_blocks(domain), uniform_splitters(domain, 1),
              [](const Vec3i&) { return Label::liquid; });
  for (LocalIndex b = 0; b < scene.layout.n_blocks(); ++b)
    scene.for_each_cell(b, [&](const Vec3i& cell, int c) {
      if (cell.x() == 8) scene.open_fraction[0].block(b)[c] = cell.y() == 7 && cell.z() == 3 ? 0.25F : 0.0F;
      if (cell.z() == 5) scene.open_fraction[2].block(b)[c] = 0.0F;
    });
  build_coefficients(scene.labels, scene.open_fraction, scene.coefficients);
  Unknowns unknowns;
  unknowns.rebuild(scene.coefficients);
  Flood flood;
  flood.reset(scene.coefficients, unknowns);
  EXPECT_EQ(flood.unmarked_blocks().size(), 2U);
  const auto size_from = [&](LocalIndex block) {
    int n = 0;
    for (const BlockCells& cells : flood.mark_from(block, flood.first_unmarked(block))) n += n_cells(cells);
    return n;
  };
  EXPECT_EQ(size_from(0), 2 * 8 * 8 * 5);  // both blocks below z = 5, through the one hole
  EXPECT_EQ(size_from(0), 8 * 8 * 3);      // above it each block is alone
  EXPECT_EQ(flood.first_unmarked(0), -1);
  EXPECT_EQ(size_from(1), 8 * 8 * 3);
}

}  // namespace
}  // namespace freshet
