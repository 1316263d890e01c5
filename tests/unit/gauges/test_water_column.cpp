// SPDX-License-Identifier: Apache-2.0
#include "freshet/gauges/water_column.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace freshet {
namespace {

/// Slices of 2 m with these shares of liquid; a negative share is a solid.
WaterColumn of(const std::vector<double>& shares) {
  std::vector<ColumnSlice> slices;
  for (const double share : shares) slices.push_back({2.0, 8.0 * share, share < 0.0 ? 0.0 : 8.0});
  return water_column(slices);
}

void expect_lengths(const std::vector<double>& shares, double height, double connected, double top) {
  const WaterColumn column = of(shares);
  EXPECT_DOUBLE_EQ(column.height, height);
  EXPECT_DOUBLE_EQ(column.connected, connected);
  EXPECT_DOUBLE_EQ(column.top, top);
}

TEST(WaterColumn, surface_lies_within_a_slice) {
  expect_lengths({1.0, 1.0, 0.25, 0.0}, 4.5, 4.5, 4.5);
  expect_lengths({1.0, 1.0, 0.75, 0.0}, 5.5, 5.5, 5.5);
}

TEST(WaterColumn, slices_inside_the_liquid_are_full) {
  expect_lengths({0.9, 1.1, 0.8, 1.0, 0.5}, 9.0, 9.0, 9.0);
  expect_lengths({0.9, 0.4, 1.0}, 1.8 + 0.8 + 2.0, 1.8 + 0.8 + 2.0,
                 6.0);  // a hole of one slice is none of them, and no gap
}

TEST(WaterColumn, more_than_full_is_full) {
  expect_lengths({1.0, 1.0, 1.5, 0.0}, 6.0, 6.0, 6.0);
}

TEST(WaterColumn, liquid_above_a_gap_counts_but_is_not_connected) {
  expect_lengths({1.0, 0.0, 0.0, 1.0, 0.25}, 4.5, 2.0, 8.5);
}

TEST(WaterColumn, film_and_spray) {
  expect_lengths({0.25, 0.0, 0.0}, 0.5, 0.5, 0.5);
  expect_lengths({0.0, 0.0, 0.0}, 0.0, 0.0, 0.0);
  expect_lengths({1.0, 0.0, 0.125}, 2.25, 2.0, 2.0);  // spray is no top
}

TEST(WaterColumn, line_through_a_solid) {
  expect_lengths({-1.0, 1.0, 0.5, 0.0}, 3.0, 3.0, 5.0);  // begins in it
  expect_lengths({1.0, -1.0, 1.0, 0.25}, 4.5, 2.0, 6.5);
}

/// Cut a line of 10 m, with steps of 1 m, where a distance from solids vanishes that is sampled every 0.25 m.
template <class Function>
std::vector<LinePiece> cut(Function&& distance) {
  std::vector<double> distances;
  for (int i = 0; i <= 40; ++i) distances.push_back(distance(0.25 * i));
  return cut_line(10.0, distances, 1.0);
}

TEST(CutLine, without_solids_gives_pieces_of_a_step) {
  const std::vector<LinePiece> pieces = cut([](double) { return 1e9; });
  ASSERT_EQ(pieces.size(), 10U);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_DOUBLE_EQ(pieces[i].begin, static_cast<double>(i));
    EXPECT_DOUBLE_EQ(pieces[i].length, 1.0);
    EXPECT_TRUE(pieces[i].is_open);
  }
}

TEST(CutLine, cuts_where_surfaces_are_and_leaves_no_gap) {
  const std::vector<LinePiece> pieces = cut([](double s) { return std::max(0.6 * (s - 7.63), 0.3 * (4.31 - s)); });
  double end = 0.0;
  for (const LinePiece& piece : pieces) {
    EXPECT_NEAR(piece.begin, end, 1e-12);
    end = piece.begin + piece.length;
    EXPECT_TRUE(!piece.is_open || (piece.length >= 0.5 && piece.length <= 1.5));
  }
  EXPECT_NEAR(end, 10.0, 1e-12);
  ASSERT_EQ(pieces.size(), 4U + 1U + 2U);
  EXPECT_FALSE(pieces[4].is_open);
  EXPECT_NEAR(pieces[4].begin, 4.31, 1e-12);
  EXPECT_NEAR(pieces[5].begin, 7.63, 1e-12);
}

TEST(CutLine, line_along_a_surface_is_outside) {
  EXPECT_EQ(cut([](double s) { return s < 5.0 ? 1e-4 : -1e-4; }).size(), 10U);
}

TEST(CutLine, line_in_a_solid_is_one_piece) {
  const std::vector<LinePiece> pieces = cut([](double) { return -1.0; });
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_FALSE(pieces[0].is_open);
  EXPECT_DOUBLE_EQ(pieces[0].length, 10.0);
}

TEST(WaterColumn, empty_line) {
  expect_lengths({}, 0.0, 0.0, 0.0);
}

}  // namespace
}  // namespace freshet
