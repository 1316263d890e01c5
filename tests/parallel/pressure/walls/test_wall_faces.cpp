// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/shape.hpp"
#include "pressure/walls/wall_faces.hpp"
#include "support/mpi_test.hpp"
#include "support/wall_case.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace freshet {
namespace {

using namespace test;
using pressure::WallFace;
using pressure::WallFaces;

/// A box whose right half is solid, with lumps of liquid in the other half.
WallBox half_solid(int dimension) {
  WallBox box;
  box.dimension = dimension;
  box.cells = {24, 24, dimension == 3 ? 16 : 1};
  box.condition = WallCondition::separating;
  ShapeParameters half;
  half.kind = ShapeKind::box;
  half.lower = {12.0, -1.0, -1.0};
  half.upper = {99.0, 99.0, 99.0};
  box.bodies.push_back({make_shape(half), Slip::free_slip, WallCondition::separating});
  box.liquid = [](const Vec3i& cell) { return noise(Vec3i(cell / 3), 4) > -0.3 ? Label::liquid : Label::air; };
  box.velocity = [](int axis, const Vec3i& cell) { return noise(cell, 20 + axis); };
  return box;
}

struct Collected {
  explicit Collected(WallCase& scene) {
    build_coefficients(scene.labels, scene.solids.open_fraction(), coefficients);
    scene.layout.halo().gather(scene.velocity, 1);
    faces.collect(coefficients, scene.solids, scene.velocity);
  }
  PoissonCoefficients coefficients;
  WallFaces faces;
};

class WallFacesOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, WallFacesOf, testing::Values(2, 3));

TEST_P(WallFacesOf, a_rank_s_liquid_are_those_that_a_look_at_every_cell_finds) {
  WallCase scene(world(), half_solid(GetParam()));
  const Collected collected(scene);
  using Key = std::tuple<int, LocalIndex, int, int>;  // axis, block of the cell, cell, normal
  std::set<Key> expected;
  scene.for_each_wall_face([&](int axis, LocalIndex, int, int normal, LocalIndex b, int c, bool) {
    if (collected.coefficients.unknown.block(b)[c] != 0) expected.insert({axis, b, c, normal});
  });
  std::set<Key> stored;
  for (const WallFace& face : collected.faces.own()) {
    EXPECT_LT(face.cell_block, scene.layout.n_owned());
    if (face.block == scene.layout.background()) continue;  // no rank stores it: liquid may not leave there
    EXPECT_TRUE(stored.insert({face.axis, face.cell_block, face.cell, face.normal}).second);
    const double u = scene.velocity[face.axis].block(face.block)[face.face];
    EXPECT_EQ(face.leaving, face.normal * u);  // the walls are at rest
    EXPECT_EQ(face.may_separate, (scene.solids.wall()[face.axis].block(face.block)[face.face] & may_separate) != 0);
  }
  EXPECT_EQ(stored, expected);
  EXPECT_GT(world().sum(static_cast<GlobalIndex>(stored.size())), 20);
}

TEST_P(WallFacesOf, open_ones_add_one_to_the_diagonal_and_closed_ones_take_it_back) {
  WallCase scene(world(), half_solid(GetParam()));
  Collected collected(scene);
  CellField<double>& diagonal = collected.coefficients.diagonal;
  const auto sum_of = [&] {
    double sum = 0.0;
    for (LocalIndex b = 0; b < scene.layout.n_owned(); ++b)
      for (int c = 0; c < scene.layout.cells_per_block(); ++c) sum += diagonal.block(b)[c];
    return sum;
  };
  const double before = sum_of();
  const auto n_own = static_cast<GlobalIndex>(collected.faces.own().size());
  const auto all = [](const WallFace&) { return true; };
  EXPECT_EQ(collected.faces.open(all, diagonal), n_own);
  EXPECT_EQ(sum_of(), before + static_cast<double>(n_own));
  EXPECT_EQ(collected.faces.open(all, diagonal), 0);
  EXPECT_EQ(collected.faces.take_changed_blocks().empty(), n_own == 0);
  EXPECT_TRUE(collected.faces.take_changed_blocks().empty());
  EXPECT_EQ(collected.faces.open([](const WallFace&) { return false; }, diagonal), n_own);
  EXPECT_EQ(sum_of(), before);
}

TEST_P(WallFacesOf, write_reaches_every_owned_face_once_whoever_owns_the_cell) {
  WallCase scene(world(), half_solid(GetParam()));
  Collected collected(scene);
  CellField<double> number = CellField<double>(scene.layout, 0.0);
  number.fill(0.0);
  for (LocalIndex b = 0; b < scene.layout.n_owned(); ++b)
    scene.for_each_cell(b, [&](const Vec3i& cell, int c) { number.block(b)[c] = 2.0 + noise(cell, 77); });
  scene.layout.halo().gather(number, 1);
  collected.faces.for_each(number, [](WallFace& face, double p) { face.velocity = p; });
  collected.faces.write(scene.velocity);
  scene.layout.halo().gather(scene.velocity, 1);
  scene.for_each_wall_face([&](int axis, LocalIndex slot, int face, int normal, LocalIndex b, int c, bool) {
    if (collected.coefficients.unknown.block(b)[c] == 0) return;
    EXPECT_EQ(scene.velocity[axis].block(slot)[face], normal * number.block(b)[c]);
  });
}

}  // namespace
}  // namespace freshet
