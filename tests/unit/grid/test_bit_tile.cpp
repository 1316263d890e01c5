// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/kernels/bit_tile.hpp"
#include "freshet/grid/kernels/face_bits.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace freshet {
namespace {

/// Random cells of a block and of the 26 around it (8 in 2-D), and the planes of these 27 slots.
template <class Shape>
struct RandomCells {
  CellPlanes planes = CellPlanes(27 * Shape::nz, 0);
  std::array<LocalIndex, 27> around{};

  explicit RandomCells(double part) {
    std::iota(around.begin(), around.end(), 0);
    std::mt19937 random(4);
    std::bernoulli_distribution is_set(part);
    for (std::uint64_t& plane : planes)
      for (int bit = 0; bit < 64; ++bit) plane |= std::uint64_t{is_set(random)} << bit;
  }
  bool at(int i, int j, int k) const {
    const auto side = [](int n, int width) { return n < 0 ? -1 : n >= width ? 1 : 0; };
    const int x = side(i, Shape::nx), y = side(j, Shape::ny), z = side(k, Shape::nz);
    const auto slot = static_cast<std::size_t>(direction_index(x, y, z));
    const std::uint64_t plane = planes[slot * Shape::nz + static_cast<std::size_t>(k - Shape::nz * z)];
    return (plane >> (i - Shape::nx * x + Shape::nx * (j - Shape::ny * y)) & 1U) != 0;
  }
  /// Whether one within `width` cells is set.
  bool near(int i, int j, int k, int width) const {
    const int z = Shape::dim == 3 ? width : 0;
    for (int dk = -z; dk <= z; ++dk)
      for (int dj = -width; dj <= width; ++dj)
        for (int di = -width; di <= width; ++di)
          if (at(i + di, j + dj, k + dk)) return true;
    return false;
  }
};

template <class Shape>
class BitTiles : public ::testing::Test {};
using Shapes = ::testing::Types<BlockShape<2>, BlockShape<3>>;
TYPED_TEST_SUITE(BitTiles, Shapes);

/// Call f(i, j, k) for the cells of a block.
template <class Shape, class Function>
void for_each_cell(Function&& f) {
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j)
      for (int i = 0; i < Shape::nx; ++i) f(i, j, k);
}

bool bit(unsigned row, int i) {
  return (row >> i & 1U) != 0;
}

TYPED_TEST(BitTiles, a_tile_holds_the_cells_of_its_block_and_of_the_layers_around) {
  using Shape = TypeParam;
  const RandomCells<Shape> cells(0.5);
  const BitTile<Shape, 2> tile(cells.planes, cells.around.data());
  constexpr int z = Shape::dim == 3 ? 2 : 0;
  for (int k = -z; k < Shape::nz + z; ++k)
    for (int j = -2; j < Shape::ny + 2; ++j)
      for (int i = 0; i < Shape::nx; ++i) {
        ASSERT_EQ(bit(tile.template row<>(j, k), i), cells.at(i, j, k));
        ASSERT_EQ(bit(tile.template row<-2>(j, k), i), cells.at(i - 2, j, k));
        ASSERT_EQ(bit(tile.template row<1>(j, k), i), cells.at(i + 1, j, k));
      }
  EXPECT_TRUE(tile.any());
  EXPECT_FALSE((tile & ~tile).any());
}

TYPED_TEST(BitTiles, neighbours_are_those_along_an_axis) {
  using Shape = TypeParam;
  const RandomCells<Shape> cells(0.5);
  const BitTile<Shape, 2> tile(cells.planes, cells.around.data());
  for_each_axis<Shape>([&](auto axis) {
    const auto below = tile.template neighbours<axis, -1>();
    const auto above = tile.template neighbours<axis, 2>();
    const auto faces = liquid_faces<axis>(tile, below);
    for_each_cell<Shape>([&](int i, int j, int k) {
      const auto at = [&](int n) { return cells.at(i + (axis == 0) * n, j + (axis == 1) * n, k + (axis == 2) * n); };
      ASSERT_EQ(bit(below.template row<>(j, k), i), at(-1));
      ASSERT_EQ(bit(above.template row<>(j, k), i), at(2));
      ASSERT_EQ(bit(faces.template row<>(j, k), i), (at(0) || at(-1)) && !(at(-1) || at(-2)));
    });
  });
}

TYPED_TEST(BitTiles, grown_cells_are_those_within_a_width) {
  using Shape = TypeParam;
  const RandomCells<Shape> cells(0.004);
  const BitTile<Shape, 3> tile(cells.planes, cells.around.data());
  for (const int width : {1, 2, 3}) {
    const auto grown = tile.grown(width);
    int n = 0;
    for_each_cell<Shape>([&](int i, int j, int k) {
      ASSERT_EQ(bit(grown.template row<>(j, k), i), cells.near(i, j, k, width));
      n += cells.near(i, j, k, width) ? 1 : 0;
    });
    EXPECT_GT(n, 0);
    EXPECT_LT(n, Shape::cells);
  }
}

TYPED_TEST(BitTiles, planes_hold_the_same_cells_and_grow_alike) {
  using Shape = TypeParam;
  const RandomCells<Shape> cells(0.03);
  const PlaneTile<Shape> planes(cells.planes.data(), cells.around.data());
  const auto grown = planes.grown();
  for_each_cell<Shape>([&](int i, int j, int k) {
    const int n = i + Shape::nx * j;
    ASSERT_EQ((planes.own(k) >> n & 1U) != 0, cells.at(i, j, k));
    ASSERT_EQ((grown[static_cast<std::size_t>(k)] >> n & 1U) != 0, cells.near(i, j, k, 1)) << i << j << k;
  });
}

}  // namespace
}  // namespace freshet
