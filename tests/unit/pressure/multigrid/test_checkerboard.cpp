// SPDX-License-Identifier: Apache-2.0
#include "pressure/multigrid/checkerboard.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace freshet {
namespace {

using namespace pressure;
using test::hashed;

/// f(i, j, k) for the cells of a block.
template <class Shape, class Function>
void for_each_cell(Function&& f) {
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j)
      for (int i = 0; i < Shape::nx; ++i) f(i, j, k);
}

template <class Shape>
class OfShape : public testing::Test {};
using Shapes = testing::Types<BlockShape<2>, BlockShape<3>>;
TYPED_TEST_SUITE(OfShape, Shapes);

TYPED_TEST(OfShape, every_cell_has_a_place_of_its_own_and_even_cells_come_first) {
  std::set<int> places;
  for_each_cell<TypeParam>([&](int i, int j, int k) {
    const int place = Checkerboard<TypeParam>::index(i, j, k);
    EXPECT_EQ(place < Checkerboard<TypeParam>::half, (i + j + k) % 2 == 0);
    places.insert(place);
  });
  EXPECT_EQ(places.size(), static_cast<std::size_t>(TypeParam::cells));
  EXPECT_EQ(*places.rbegin(), TypeParam::cells - 1);
}

TYPED_TEST(OfShape, rows_are_stored_where_index_says_and_read_back) {
  std::vector<float> block(TypeParam::cells);
  for (int r = 0; r < TypeParam::rows; ++r) {
    FloatRow row;
    for (int i = 0; i < block_width; ++i) row[i] = static_cast<float>(block_width * r + i);
    store_row<TypeParam>(block.data(), r, row);
  }
  for_each_cell<TypeParam>([&](int i, int j, int k) {
    const int r = j + TypeParam::ny * k;
    EXPECT_EQ(block[Checkerboard<TypeParam>::index(i, j, k)], static_cast<float>(block_width * r + i));
    EXPECT_EQ(load_row<TypeParam>(block.data(), r)[i], static_cast<float>(block_width * r + i));
  });
}

TEST(Weight, is_rounded_to_the_nearest_of_eight_bits) {
  const FloatRow values{0.0F, 1.0F, 0.5F, 0.3F, 1.0F + 0x1p-7F, 1.0F + 0x1p-9F, 1e-6F, 3.7F};
  const WeightRow weights = to_weights(values);
  for (int i = 0; i < block_width; ++i) {
    EXPECT_NEAR(to_float(weights[i]), values[i], 0x1p-8F * values[i]);
    EXPECT_EQ(to_floats(weights)[i], to_float(weights[i]));
  }
  EXPECT_EQ(weights[1], weight_of_one);
  EXPECT_EQ(to_float(weights[4]), 1.0F + 0x1p-7F);  // what it can hold is exact
}

/// Blocks of noise around a block, all in the same arrays; weights of noise in eighths.
template <class Shape>
struct Blocks {
  static constexpr int n = 7;  ///< the block, then its neighbours by direction
  Blocks() : x(n * Shape::cells), weight(Checkerboard<Shape>::weights) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::round(64.0F * static_cast<float>(hashed(i))) / 64.0F;
    for (std::size_t i = 0; i < weight.size(); ++i) {
      const FloatRow value = FloatRow{} + std::round(8.0F * static_cast<float>(hashed(i, 3))) / 8.0F;
      weight[i] = to_weights(value)[0];
    }
  }
  /// The value across face f of cell (i, j, k).
  float across(int f, std::array<int, 3> cell) const {
    const int axis = f / 2;
    cell[axis] += f % 2 == 0 ? -1 : 1;
    const int size = Shape::n(axis);
    const bool inside = cell[axis] >= 0 && cell[axis] < size;
    cell[axis] = (cell[axis] + size) % size;
    return x[(inside ? 0 : f + 1) * Shape::cells + Checkerboard<Shape>::index(cell[0], cell[1], cell[2])];
  }
  std::vector<float> x;
  std::vector<Weight> weight;
};

TYPED_TEST(OfShape, sums_over_neighbours_are_those_by_cell) {
  using Board = Checkerboard<TypeParam>;
  const Blocks<TypeParam> blocks;
  for (const Colour colour : {Colour::even, Colour::odd}) {
    const int start = start_of<TypeParam>(colour);
    const int from = start_of<TypeParam>(other(colour));
    ColourStar x{};
    x.self = blocks.x.data() + from;
    for (int d = 0; d < TypeParam::dim; ++d) {
      x.low[d] = blocks.x.data() + (2 * d + 1) * TypeParam::cells + from;
      x.high[d] = blocks.x.data() + (2 * d + 2) * TypeParam::cells + from;
    }
    std::vector<float> plain(Board::half);
    std::vector<float> weighted(Board::half);
    sum_neighbours<TypeParam, true>(colour, x, nullptr, ~0U,
                                    [&](int place, const FloatRow& sum) { store_floats(&plain[place], sum); });
    sum_neighbours<TypeParam, false>(colour, x, blocks.weight.data() + weights_of<TypeParam>(colour), ~0U,
                                     [&](int place, const FloatRow& sum) { store_floats(&weighted[place], sum); });
    constexpr std::uint32_t some = 0x5a3c0f69U;
    sum_neighbours<TypeParam, true>(colour, x, nullptr, some, [&](int place, const FloatRow& sum) {
      EXPECT_NE(some >> (place / Board::pair) & 1U, 0U);
      EXPECT_EQ(plain[place], sum[0]);
    });
    for_each_cell<TypeParam>([&](int i, int j, int k) {
      const int c = Board::index(i, j, k);
      if ((i + j + k) % 2 != static_cast<int>(colour)) return;
      float sum = 0.0F;
      float weighted_sum = 0.0F;
      for (int f = 0; f < Board::faces; ++f) {
        sum += blocks.across(f, {i, j, k});
        weighted_sum += to_float(blocks.weight[weight_index<TypeParam>(f, c)]) * blocks.across(f, {i, j, k});
      }
      EXPECT_EQ(plain[c - start], sum);  // sums of sixty-fourths are exact in any order
      EXPECT_EQ(weighted[c - start], weighted_sum);
    });
  }
}

}  // namespace
}  // namespace freshet
