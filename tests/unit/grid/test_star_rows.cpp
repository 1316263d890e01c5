// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/kernels/star_rows.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

using namespace test;

constexpr RealRow ramp = RealRow::of({0, 1, 2, 3, 4, 5, 6, 7});

void expect_row(const RealRow& row, const std::array<double, 8>& expected) {
  for (int i = 0; i < block_width; ++i) EXPECT_EQ(row[i], expected[static_cast<std::size_t>(i)]) << i;
}

TEST(StarRows, shift_by_one_two_and_four_cells_into_the_next_block) {
  const RealRow before = ramp - 8.0;
  const RealRow after = ramp + 8.0;
  for (int i = 0; i < block_width; ++i) {
    EXPECT_EQ(lower_by_1(before, ramp)[i], i - 1);
    EXPECT_EQ(lower_by_2(before, ramp)[i], i - 2);
    EXPECT_EQ(lower_by_4(before, ramp)[i], i - 4);
    EXPECT_EQ(upper_by_1(ramp, after)[i], i + 1);
    EXPECT_EQ(upper_by_2(ramp, after)[i], i + 2);
    EXPECT_EQ(upper_by_4(ramp, after)[i], i + 4);
  }
  EXPECT_EQ(sum_lanes(ramp), 28.0);
}

TEST(StarRows, masks_have_bit_i_for_cell_i) {
  const std::uint8_t bytes[8] = {1, 0, 0, 1, 0, 0, 1, 0};
  EXPECT_EQ(row_mask(bytes), 0b01001001);
  EXPECT_EQ(row_mask(real_mask(0b01001001)), 0b01001001);
  EXPECT_EQ(row_mask(ramp > 4.0), 0b11100000);
  expect_row(keep_lanes(0b01001001, ramp), {0, 0, 0, 3, 0, 0, 6, 0});
}

/// A number for each cell of a ring of 3 x 3 x 3 blocks; 3 x 3 in 2-D.
double number(const Vec3i& cell) {
  return cell.x() + 100.0 * cell.y() + 10000.0 * cell.z();
}

template <class Shape>
void check_neighbours(int dimension) {
  const Domain domain = make_domain(dimension, {24, 24, dimension == 3 ? 24 : 1}, FaceCondition::periodic);
  const BlockLayout layout(world(), domain, uniform_splitters(domain, 1), all_blocks(domain));
  CellField<double> field(layout);
  CellField<std::uint8_t> odd(layout);
  const auto is_odd = [](const Vec3i& cell) { return static_cast<std::uint8_t>(cell.x() * cell.y() % 2); };
  const auto for_each_cell = [&](LocalIndex b, auto&& f) {
    for (int c = 0; c < Shape::cells; ++c) f(Vec3i(layout.first_cell(b) + Shape::place(c)), c);
  };
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for_each_cell(b, [&](const Vec3i& cell, int c) {
      field.block(b)[c] = number(cell);
      odd.block(b)[c] = is_odd(cell);
    });
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    const Star<double> here = star_of(field, b);
    const Star<std::uint8_t> bits = star_of(odd, b);
    for_each_cell(b, [&](const Vec3i& cell, int c) {
      const int r = c / block_width;
      const int i = c % block_width;
      for_each_axis<Shape>([&](auto axis) {
        const Vec3i low = domain.wrap_cell(cell - Vec3i::Unit(axis));
        const Vec3i high = domain.wrap_cell(cell + Vec3i::Unit(axis));
        EXPECT_EQ((lower_cells<Shape, axis>(here, r)[i]), number(low));
        EXPECT_EQ((upper_cells<Shape, axis>(here, r)[i]), number(high));
        EXPECT_EQ((lower_mask<Shape, axis>(bits, r) >> i & 1), is_odd(low));
        EXPECT_EQ((upper_mask<Shape, axis>(bits, r) >> i & 1), is_odd(high));
      });
    });
  }
}

TEST(StarRows, of_neighbour_cells_cross_the_faces_of_blocks) {
  check_neighbours<BlockShape<2>>(2);
  check_neighbours<BlockShape<3>>(3);
}

}  // namespace
}  // namespace freshet
