// SPDX-License-Identifier: Apache-2.0
#include "pressure/multigrid/aggregation.hpp"
#include "pressure/multigrid/grids.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace freshet {
namespace {

using namespace pressure;
using test::hashed;

/// f(place) for the octants of a parent, and for blocks that are not coarsened along some axes.
template <class Shape, class Function>
void for_each_place(Function&& f) {
  for (unsigned kept = 0; kept < 1U << Shape::dim; ++kept)
    for (unsigned octant = 0; octant < 1U << Shape::dim; ++octant) {
      if ((octant & kept) != 0) continue;  // a block without a partner is the lower one
      SCOPED_TRACE(testing::Message() << "kept " << kept << ", octant " << octant);
      f(ParentPlace{0, static_cast<std::uint8_t>(octant), static_cast<std::uint8_t>(kept)});
    }
}

/// The aggregate of cell (i, j, k), by the definition.
template <class Shape>
int aggregate_of(const ParentPlace& place, std::array<int, 3> cell) {
  for (int d = 0; d < Shape::dim; ++d)
    if ((place.kept >> d & 1) == 0) cell[d] = cell[d] / 2 + (place.octant >> d & 1) * block_width / 2;
  return Checkerboard<Shape>::index(cell[0], cell[1], cell[2]);
}

/// Numbers in sixteenths, whose sums are exact.
std::vector<float> noise_of(int n, std::uint64_t seed) {
  std::vector<float> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::round(16.0F * static_cast<float>(hashed(i, seed))) / 16.0F;
  return values;
}

template <class Shape>
class Aggregation : public testing::Test {};
using Shapes = testing::Types<BlockShape<2>, BlockShape<3>>;
TYPED_TEST_SUITE(Aggregation, Shapes);

TYPED_TEST(Aggregation, restriction_sums_the_cells_of_each_aggregate) {
  using Board = Checkerboard<TypeParam>;
  const std::vector<float> fine = noise_of(TypeParam::cells, 1);
  for_each_place<TypeParam>([&](const ParentPlace& place) {
    std::vector<float> of_even(TypeParam::cells, -1.0F);  // -1 stays where the block has no aggregate
    std::vector<float> of_all = of_even;
    std::vector<float> expected_even = of_even;
    std::vector<float> expected = of_even;
    for (const std::int16_t c : aggregates_of(TypeParam::dim, place)) expected_even[c] = expected[c] = 0.0F;
    for (int k = 0; k < TypeParam::nz; ++k)
      for (int j = 0; j < TypeParam::ny; ++j)
        for (int i = 0; i < TypeParam::nx; ++i) {
          const int c = Board::index(i, j, k);
          const int aggregate = aggregate_of<TypeParam>(place, {i, j, k});
          expected[aggregate] += 0.5F * fine[c];
          if (c < Board::half) expected_even[aggregate] += 0.5F * fine[c];
        }
    restrict_even<TypeParam>(place, fine.data(), 0.5F, of_even.data());
    restrict_all<TypeParam>(place, fine.data(), 0.5F, of_all.data());
    EXPECT_EQ(of_even, expected_even);
    EXPECT_EQ(of_all, expected);
  });
}

TYPED_TEST(Aggregation, prolongation_gives_even_cells_the_value_of_their_aggregate) {
  using Board = Checkerboard<TypeParam>;
  const std::vector<float> parent = noise_of(TypeParam::cells, 2);
  std::vector<float> inverse = noise_of(Board::half, 3);
  for (std::size_t c = 0; c < inverse.size(); c += 7) inverse[c] = 0.0F;  // no unknown there
  for_each_place<TypeParam>([&](const ParentPlace& place) {
    std::vector<float> fine(Board::half, 1.0F);
    prolong_even<TypeParam>(place, parent.data(), inverse.data(), fine.data());
    for (int k = 0; k < TypeParam::nz; ++k)
      for (int j = 0; j < TypeParam::ny; ++j)
        for (int i = 0; i < TypeParam::nx; ++i) {
          const int c = Board::index(i, j, k);
          if (c >= Board::half) continue;
          const float change = inverse[c] != 0.0F ? parent[aggregate_of<TypeParam>(place, {i, j, k})] : 0.0F;
          EXPECT_EQ(fine[c], 1.0F + change);
        }
  });
}

TYPED_TEST(Aggregation, weights_between_aggregates_are_sums_over_the_faces_between) {
  using Board = Checkerboard<TypeParam>;
  std::vector<Weight> fine(Board::weights);
  const std::vector<float> values = noise_of(Board::weights, 4);
  for (std::size_t n = 0; n < fine.size(); ++n) fine[n] = to_weights(FloatRow{} + values[n])[0];
  for_each_place<TypeParam>([&](const ParentPlace& place) {
    std::vector<Weight> coarse(Board::weights, 0);
    restrict_weights<TypeParam>(place, fine.data(), 0.25F, coarse.data());
    for (int f = 0; f < Board::faces; ++f) {
      std::vector<float> expected(TypeParam::cells, 0.0F);
      for (int k = 0; k < TypeParam::nz; ++k)
        for (int j = 0; j < TypeParam::ny; ++j)
          for (int i = 0; i < TypeParam::nx; ++i) {
            const std::array<int, 3> cell{i, j, k};
            const int axis = f / 2;
            const bool is_outer = (place.kept >> axis & 1) != 0 || cell[axis] % 2 == f % 2;
            const float weight = to_float(fine[weight_index<TypeParam>(f, Board::index(i, j, k))]);
            if (is_outer) expected[aggregate_of<TypeParam>(place, cell)] += 0.25F * weight;
          }
      for (const std::int16_t c : aggregates_of(TypeParam::dim, place))
        EXPECT_EQ(to_float(coarse[weight_index<TypeParam>(f, c)]), to_float(to_weights(FloatRow{} + expected[c])[0]));
    }
  });
}

TYPED_TEST(Aggregation, weights_inside_aggregates_are_sums_over_the_faces_across_each_axis) {
  using Board = Checkerboard<TypeParam>;
  std::vector<Weight> fine(Board::weights);
  const std::vector<float> values = noise_of(Board::weights, 5);
  for (std::size_t n = 0; n < fine.size(); ++n) fine[n] = to_weights(FloatRow{} + values[n])[0];
  for_each_place<TypeParam>([&](const ParentPlace& place) {
    std::array<std::vector<float>, 3> coarse;
    std::array<float*, 3> parent{};
    for (std::size_t d = 0; d < TypeParam::dim; ++d) {
      coarse[d].assign(TypeParam::cells, -1.0F);
      parent[d] = coarse[d].data();
    }
    restrict_inner_weights<TypeParam>(place, fine.data(), 0.25F, parent);
    for (std::size_t d = 0; d < TypeParam::dim; ++d) {
      std::vector<float> expected(TypeParam::cells, -1.0F);  // stays where the block has no aggregate
      for (const std::int16_t c : aggregates_of(TypeParam::dim, place)) expected[c] = 0.0F;
      for (int k = 0; k < TypeParam::nz; ++k)
        for (int j = 0; j < TypeParam::ny; ++j)
          for (int i = 0; i < TypeParam::nx; ++i) {
            const std::array<int, 3> cell{i, j, k};
            if ((place.kept >> d & 1) != 0 || cell[d] % 2 != 0) continue;
            const int f = 2 * static_cast<int>(d) + 1;
            const float weight = to_float(fine[weight_index<TypeParam>(f, Board::index(i, j, k))]);
            expected[aggregate_of<TypeParam>(place, cell)] += 0.25F * weight;
          }
      for (float& value : expected) value = to_float(to_weights(FloatRow{} + value)[0]);
      EXPECT_EQ(coarse[d], expected);
    }
  });
}

}  // namespace
}  // namespace freshet
