// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/floating_point.hpp"
#include "freshet/grid/block_shape.hpp"
#include "support/mpi_test.hpp"
#include "support/pressure_scene.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace freshet {
namespace {

using namespace test;

constexpr Label air = Label::air;
constexpr Label liquid = Label::liquid;
constexpr Label solid = Label::solid;

/// A 3^3 box between walls. Layers from the floor up; in each, rows from z = 0, cells from x = 0:
///
///   y = 0:  s l l    y = 1:  a a a    y = 2:  a a a
///           l l l            a l a            a a a
///           l l l            a a a            a a s
Label hand_label(const Vec3i& cell) {
  constexpr Label labels[3][3][3] = {{{solid, liquid, liquid}, {liquid, liquid, liquid}, {liquid, liquid, liquid}},
                                     {{air, air, air}, {air, liquid, air}, {air, air, air}},
                                     {{air, air, air}, {air, air, air}, {air, air, solid}}};
  return labels[cell.y()][cell.z()][cell.x()];
}

Scene hand_scene(double dx = 1.0) {
  const Domain domain = make_domain(3, {3, 3, 3}, FaceCondition::free_slip, dx);
  return {world(), domain, all_blocks(domain), uniform_splitters(domain, 1), hand_label};
}

constexpr int at(int i, int j, int k) {
  return BlockShape<3>::cell(i, j, k);
}

TEST(Coefficients, of_a_box_of_27_cells_are_those_worked_out_by_hand) {
  const Scene scene = hand_scene();
  const double* diagonal = scene.coefficients.diagonal.block(0);
  // Faces that are neither on a wall nor on the solid cell (0,0,0).
  EXPECT_EQ(diagonal[at(1, 0, 0)], 3);  // +x, +y, +z
  EXPECT_EQ(diagonal[at(2, 0, 0)], 3);  // -x, +y, +z
  EXPECT_EQ(diagonal[at(0, 0, 1)], 3);  // +x, +y, +z
  EXPECT_EQ(diagonal[at(1, 0, 1)], 5);
  EXPECT_EQ(diagonal[at(2, 0, 1)], 4);
  EXPECT_EQ(diagonal[at(0, 0, 2)], 3);
  EXPECT_EQ(diagonal[at(1, 0, 2)], 4);
  EXPECT_EQ(diagonal[at(2, 0, 2)], 3);
  EXPECT_EQ(diagonal[at(1, 1, 1)], 6);
  int n_unknowns = 0;
  scene.for_each_cell(0, [&](const Vec3i& cell, int c) {
    const bool is_liquid = (cell.array() < 3).all() && hand_label(cell) == liquid;
    EXPECT_EQ(scene.coefficients.unknown.block(0)[c], is_liquid ? 1 : 0) << cell.transpose();
    n_unknowns += scene.coefficients.unknown.block(0)[c];
  });
  EXPECT_EQ(n_unknowns, 9);
  EXPECT_EQ((*scene.coefficients.weight)[0].block(0)[at(1, 0, 0)], 0);  // towards the solid
  EXPECT_EQ((*scene.coefficients.weight)[0].block(0)[at(2, 0, 0)], 1);  // between liquids
  EXPECT_EQ((*scene.coefficients.weight)[0].block(0)[at(2, 1, 1)], 1);  // between liquid and air
  EXPECT_EQ((*scene.coefficients.weight)[1].block(0)[at(1, 0, 1)], 0);  // on the floor
}

TEST(Coefficients, give_no_unknown_to_a_cell_without_an_open_face) {
  const Domain domain = make_domain(3, {3, 3, 3});
  const Scene scene(world(), domain, all_blocks(domain), uniform_splitters(domain, 1),
                    [](const Vec3i& cell) { return cell == Vec3i(1, 1, 1) ? liquid : solid; });
  EXPECT_EQ(scene.coefficients.unknown.block(0)[at(1, 1, 1)], 0);
  EXPECT_EQ(scene.coefficients.diagonal.block(0)[at(1, 1, 1)], 0);
}

TEST(Coefficients, weigh_a_face_by_its_open_fraction) {
  Scene scene = hand_scene();
  scene.open_fraction[0].block(0)[at(2, 0, 0)] = 0.25F;
  build_coefficients(scene.labels, scene.open_fraction, scene.coefficients);
  EXPECT_EQ((*scene.coefficients.weight)[0].block(0)[at(2, 0, 0)], 0.25);
  EXPECT_EQ(scene.coefficients.diagonal.block(0)[at(1, 0, 0)], 2.25);
  EXPECT_EQ(scene.coefficients.diagonal.block(0)[at(2, 0, 0)], 2.25);
}

/// Face velocities of a scene: u* and those of the solids.
struct Velocities {
  explicit Velocities(const Scene& scene) : fluid(scene.layout, 0.0), solid(scene.layout, 0.0F) {
    fluid.fill(0.0);
    solid.fill(0.0F);
  }
  FaceField<double> fluid;
  FaceField<float> solid;
};

TEST(RightHandSide, of_a_box_of_27_cells_is_the_one_worked_out_by_hand) {
  Scene scene = hand_scene();
  Velocities u(scene);
  u.fluid[1].fill(-1.0);                                 // falling, also into the floor, where the face is closed
  u.solid[1].block(0)[at(1, 0, 1)] = 0.5F;               // the floor rises there
  scene.open_fraction[1].block(0)[at(2, 0, 2)] = 0.25F;  // and is a quarter open here
  u.solid[1].block(0)[at(2, 0, 2)] = 2.0F;
  CellField<double> b;
  outflow_right_hand_side(u.fluid, scene.open_fraction, u.solid, scene.coefficients, b);
  EXPECT_EQ(b.block(0)[at(1, 0, 0)], 1.0);   // in by the top, not out by the floor
  EXPECT_EQ(b.block(0)[at(1, 0, 1)], 1.5);   // and in by the rising floor
  EXPECT_EQ(b.block(0)[at(2, 0, 2)], 2.25);  // 1 + (0.25 (-1) + 0.75 2)
  EXPECT_EQ(b.block(0)[at(1, 1, 1)], 0.0);   // in by the top, out by the bottom
  EXPECT_EQ(b.block(0)[at(0, 0, 0)], 0.0);   // solid
  EXPECT_EQ(b.block(0)[at(0, 1, 0)], 0.0);   // air
}

TEST(MaxDivergence, is_the_largest_outflow_of_a_cell_over_its_width) {
  const WithoutTraps suspended;
  const Scene scene = hand_scene(0.5);
  Velocities u(scene);
  u.fluid[0].block(0)[at(2, 1, 1)] = 3.0;     // out of (1,1,1)
  u.fluid[1].block(0)[at(0, 2, 0)] = 1000.0;  // between air cells: not looked at
  const auto worst = [&] { return max_divergence(u.fluid, scene.open_fraction, u.solid, scene.coefficients); };
  EXPECT_EQ(worst(), 6.0);
  u.fluid[2].block(0)[at(1, 0, 1)] = -4.0;
  EXPECT_EQ(worst(), 8.0);
  u.fluid[2].block(0)[at(1, 0, 1)] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(worst(), std::numeric_limits<double>::infinity());  // never passes for small
}

/// Full of liquid, periodic along every axis, 16 cells wide in 3-D and 24 in 2-D.
Scene periodic_scene(int dimension) {
  const Domain domain =
      make_domain(dimension, dimension == 3 ? Vec3i(16, 16, 16) : Vec3i(24, 24, 1), FaceCondition::periodic);
  return {world(), domain, all_blocks(domain), uniform_splitters(domain, 1), [](const Vec3i&) { return liquid; }};
}

TEST(RightHandSide, of_a_linear_velocity_is_exact) {
  for (const int dimension : {2, 3}) {
    const Scene scene = periodic_scene(dimension);
    Velocities u(scene);
    const Vec3 slope(0.5, -2.0, 0.25);
    for (int d = 0; d < dimension; ++d)
      for (LocalIndex block = 0; block < scene.layout.n_owned(); ++block)
        scene.for_each_cell(block,
                            [&](const Vec3i& cell, int c) { u.fluid[d].block(block)[c] = slope[d] * cell[d] + 0.125; });
    CellField<double> b;
    outflow_right_hand_side(u.fluid, scene.open_fraction, u.solid, scene.coefficients, b);
    const double expected = -(slope[0] + slope[1] + (dimension == 3 ? slope[2] : 0.0));
    const int last = scene.layout.domain().cells().x() - 1;
    scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) {
      for (int d = 0; d < dimension; ++d)
        if (cell[d] == last) return;  // the velocity jumps across the wrap
      EXPECT_EQ(b.block(block)[c], expected) << cell.transpose();
    });
  }
}

TEST(SubtractGradient, of_a_quadratic_pressure_is_exact) {
  for (const int dimension : {2, 3}) {
    const Scene scene = periodic_scene(dimension);
    Velocities u(scene);
    for (int d = 0; d < dimension; ++d) u.fluid[d].fill(10.0);
    const CellField<double> p = scene.field(
        [](const Vec3i& cell) { return 0.5 * cell.x() * cell.x() - cell.x() * cell.y() + 3.0 * cell.z() * cell.z(); });
    subtract_gradient(p, scene.coefficients, scene.open_fraction, u.fluid);
    scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) {
      const Vec3 expected(cell.x() - 0.5 - cell.y(), -cell.x(), 6.0 * cell.z() - 3.0);
      for (int d = 0; d < dimension; ++d) {
        if (cell[d] == 0) continue;  // p jumps across the wrap
        EXPECT_EQ(u.fluid[d].block(block)[c], 10.0 - expected[d]) << cell.transpose() << " " << d;
      }
    });
  }
}

TEST(SubtractGradient, leaves_closed_faces_and_faces_in_air_alone) {
  Scene scene = hand_scene();
  Velocities u(scene);
  for (int d = 0; d < 3; ++d) u.fluid[d].fill(7.0);
  const CellField<double> p = scene.field([](const Vec3i&) { return 2.0; });
  scene.open_fraction[1].block(0)[at(1, 1, 0)] = 0.5F;
  FaceField<float> weight = scene.open_fraction;
  weight[1].block(0)[at(1, 1, 0)] = 0.25F;  // as under another density
  scene.coefficients.weight = &weight;
  subtract_gradient(p, scene.coefficients, scene.open_fraction, u.fluid);
  EXPECT_EQ(u.fluid[1].block(0)[at(1, 2, 1)], 9.0);  // liquid below, air above
  EXPECT_EQ(u.fluid[0].block(0)[at(1, 1, 1)], 5.0);  // air below, liquid above
  EXPECT_EQ(u.fluid[1].block(0)[at(1, 1, 0)], 8.0);  // 0.25 / 0.5
  EXPECT_EQ(u.fluid[1].block(0)[at(1, 1, 1)], 7.0);  // between liquids of the same pressure
  EXPECT_EQ(u.fluid[1].block(0)[at(1, 0, 1)], 7.0);  // floor
  EXPECT_EQ(u.fluid[0].block(0)[at(1, 0, 0)], 7.0);  // solid
  EXPECT_EQ(u.fluid[1].block(0)[at(0, 2, 0)], 7.0);  // air
}

TEST(Projection, leaves_no_divergence) {
  for (const int dimension : {2, 3}) {
    const Domain domain = make_domain(dimension, dimension == 3 ? Vec3i(20, 24, 16) : Vec3i(40, 40, 1));
    const Scene scene(world(), domain, all_blocks(domain), uniform_splitters(domain, 1), splash(domain.cells(), 6));
    Velocities u(scene);
    for (int d = 0; d < dimension; ++d)
      for (LocalIndex block = 0; block < scene.layout.n_owned(); ++block)
        scene.for_each_cell(block, [&](const Vec3i& cell, int c) {
          u.fluid[d].block(block)[c] = noise(cell, 70 + static_cast<std::uint64_t>(d));
        });
    PressureSolver solver(world(), solver_parameters("mic0", 1e-13));
    CellField<double> b;
    CellField<double> p(scene.layout, 0.0);
    p.fill(0.0);
    const auto divergence = [&] { return max_divergence(u.fluid, scene.open_fraction, u.solid, scene.coefficients); };
    EXPECT_GT(divergence(), 1.0);
    outflow_right_hand_side(u.fluid, scene.open_fraction, u.solid, scene.coefficients, b);
    EXPECT_TRUE(solver.solve(scene.coefficients, b, p).converged);
    subtract_gradient(p, scene.coefficients, scene.open_fraction, u.fluid);
    EXPECT_LE(divergence(), 1e-11);  // tolerance x |b|, about 60
  }
}

}  // namespace
}  // namespace freshet
