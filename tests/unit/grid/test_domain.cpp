// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/domain.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

DomainOptions box(int dimension, const Vec3i& cells) {
  DomainOptions domain;
  domain.dimension = dimension;
  domain.cells = cells;
  domain.cell_size = 0.5;
  return domain;
}

TEST(Domain, lattice_covers_the_cells_and_an_open_high_face_adds_a_layer) {
  DomainOptions parameters = box(3, {16, 17, 8});
  EXPECT_EQ(Domain(parameters).lattice(), Vec3i(2, 3, 1));
  parameters.boundary[0][1] = FaceCondition::open;
  parameters.boundary[1][1] = FaceCondition::open;
  EXPECT_EQ(Domain(parameters).lattice(), Vec3i(3, 3, 1));
}

TEST(Domain, two_dimensional_lattice_is_one_block_deep) {
  const Domain domain(box(2, {24, 9, 1}));
  EXPECT_EQ(domain.lattice(), Vec3i(3, 2, 1));
  EXPECT_EQ(domain.block_cells(), Vec3i(8, 8, 1));
  EXPECT_DOUBLE_EQ(domain.cell_volume(), 0.125);
}

TEST(Domain, only_periodic_axes_wrap) {
  DomainOptions parameters = box(3, {16, 16, 16});
  parameters.boundary[2] = {FaceCondition::periodic, FaceCondition::periodic};
  const Domain domain(parameters);
  Vec3i block(0, 1, -1);
  EXPECT_TRUE(domain.wrap_block(block));
  EXPECT_EQ(block, Vec3i(0, 1, 1));
  block = {2, 0, 0};
  EXPECT_FALSE(domain.wrap_block(block));
  EXPECT_EQ(domain.wrap_cell({3, 4, 17}), Vec3i(3, 4, 1));
}

TEST(Domain, beyond_walls_is_solid_and_beyond_open_faces_is_air) {
  DomainOptions parameters = box(3, {16, 16, 16});
  parameters.boundary[1][1] = FaceCondition::open;
  const Domain domain(parameters);
  EXPECT_TRUE(domain.outside_is_solid({-1, 3, 3}));
  EXPECT_FALSE(domain.outside_is_solid({3, 16, 3}));
  EXPECT_TRUE(domain.outside_is_solid({16, 16, 3}));
}

}  // namespace
}  // namespace freshet
