// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/solids.hpp"
#include "freshet/fluid/walls.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

using test::all_blocks;
using test::equal_splitters;
using test::make_domain;
using test::world;

ShapeParameters box(const Vec3& lower, const Vec3& upper) {
  ShapeParameters shape;
  shape.kind = ShapeKind::box;
  shape.lower = lower;
  shape.upper = upper;
  return shape;
}

/// Call check(cell, block, index in block) for every cell of this rank's blocks inside the domain, ghosts included.
template <class Check>
void for_each_cell(const BlockLayout& layout, Check check) {
  const Vec3i n = layout.domain().block_cells();
  for (LocalIndex b = 0; b < layout.n_blocks(); ++b)
    for (int c = 0; c < layout.cells_per_block(); ++c) {
      const Vec3i cell = layout.first_cell(b) + Vec3i(c % n[0], c / n[0] % n[1], c / (n[0] * n[1]));
      check(cell, b, c);
    }
}

TEST(Solids, a_tank_of_3x3x3_cells_is_closed_all_round_and_open_inside) {
  const Domain domain = make_domain(3, {3, 3, 3});
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  SolidFields solids;
  solids.reset(layout, {});
  double open_faces = 0.0;
  for_each_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
    const bool inside = domain.contains_cell(cell);
    EXPECT_EQ(solids.is_solid().block(b)[c] == 0, inside);
    for (int d = 0; d < 3; ++d) {
      const bool open = inside && domain.contains_cell(cell - Vec3i::Unit(d));
      EXPECT_EQ(solids.open_fraction()[d].block(b)[c], open ? 1.0F : 0.0F);
      if (b < layout.n_owned()) open_faces += open ? 1.0 : 0.0;
    }
  });
  EXPECT_EQ(world().sum(open_faces), 3 * 2 * 9);
}

TEST(Solids, open_faces_and_periodic_axes_stay_open) {
  Parameters::Domain parameters;
  parameters.cells = {16, 12, 8};
  parameters.boundary[0] = {FaceCondition::periodic, FaceCondition::periodic};
  parameters.boundary[1] = {FaceCondition::free_slip, FaceCondition::open};
  const Domain domain(parameters);
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  SolidFields solids;
  solids.reset(layout, {});
  for_each_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
    if (cell.z() >= 8 || cell.x() >= 16) return;
    EXPECT_EQ(solids.open_fraction()[0].block(b)[c], cell.y() >= 0 ? 1.0F : 0.0F);
    EXPECT_EQ(solids.open_fraction()[1].block(b)[c], cell.y() == 0 ? 0.0F : 1.0F);  // also beyond the open face
    EXPECT_EQ(solids.open_fraction()[2].block(b)[c], cell.z() == 0 ? 0.0F : 1.0F);
  });
}

TEST(Solids, a_body_closes_the_faces_of_the_cells_whose_centres_it_holds) {
  const Domain domain = make_domain(3, {24, 16, 16}, FaceCondition::free_slip, 0.5);
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  SolidFields solids;
  solids.reset(layout, {{make_shape(box({3.6, 2.0, 2.0}, {5.0, 4.0, 4.6})), Slip::no_slip}});
  const auto in_body = [](const Vec3i& cell) {  // centres between the box's faces: 7 <= i < 10, 4 <= j < 8, 4 <= k < 9
    return (cell.array() >= Eigen::Array3i(7, 4, 4)).all() && (cell.array() < Eigen::Array3i(10, 8, 9)).all();
  };
  for_each_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
    EXPECT_EQ(solids.is_solid().block(b)[c], in_body(cell) ? no_slip_solid : 0);
    for (int d = 0; d < 3; ++d) {
      const bool closed = in_body(cell) || in_body(cell - Vec3i::Unit(d)) || cell[d] == 0;
      EXPECT_EQ(solids.open_fraction()[d].block(b)[c], closed ? 0.0F : 1.0F);
    }
  });
}

TEST(Walls, closed_faces_take_the_solids_velocity_and_no_slip_interiors_are_mirrored) {
  const Domain domain = make_domain(2, {16, 16, 1});
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  SolidFields solids;
  solids.reset(layout, {{make_shape(box({4, 4, -1}, {8, 8, 2})), Slip::no_slip}});
  FaceField<double> velocity(layout);
  velocity.fill(3.0);
  enforce_walls(solids, velocity);
  mirror_no_slip(solids, velocity);
  const auto in_body = [](const Vec3i& cell) { return cell.x() >= 4 && cell.x() < 8 && cell.y() >= 4 && cell.y() < 8; };
  for_each_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
    if (b >= layout.n_owned()) return;
    for (int d = 0; d < 2; ++d) {
      const Vec3i lower = cell - Vec3i::Unit(d);
      double expected = 3.0;
      if (cell[d] == 0 || in_body(cell) != in_body(lower)) expected = 0.0;
      if (in_body(cell) && in_body(lower)) expected = -3.0;
      EXPECT_EQ(velocity[d].block(b)[c], expected) << cell.transpose() << " axis " << d;
    }
  });
}

}  // namespace
}  // namespace freshet
