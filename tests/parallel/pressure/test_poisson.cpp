// SPDX-License-Identifier: Apache-2.0
#include "support/mpi_test.hpp"
#include "support/pressure_scene.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace freshet {
namespace {

using namespace test;

struct Case {
  int dimension;
  Vec3i cells;
  FaceCondition condition;
  double fraction;  ///< of the blocks that exist
};

const Case cases[] = {
    {3, {40, 32, 24}, FaceCondition::free_slip, 1.0}, {3, {40, 32, 24}, FaceCondition::open, 0.6},
    {3, {16, 24, 8}, FaceCondition::periodic, 1.0},   {2, {64, 40, 1}, FaceCondition::free_slip, 0.8},
    {2, {8, 48, 1}, FaceCondition::periodic, 1.0},    {3, {40, 32, 24}, FaceCondition::free_slip, 0.03}};

/// A scene with its velocities, cut cells and moving solids among them.
struct Flow {
  Flow(const Communicator& comm, const Case& c)
      : keys(random_blocks(make_domain(c.dimension, c.cells, c.condition), c.fraction, 17)),
        scene(comm, make_domain(c.dimension, c.cells, c.condition), keys, equal_splitters(comm, keys),
              splash(c.cells, 3)),
        velocity(scene.layout, 0.0),
        solid_velocity(scene.layout, 0.0F) {
    for (int d = 0; d < c.dimension; ++d)
      for (LocalIndex block = 0; block < scene.layout.n_blocks(); ++block)
        scene.for_each_cell(block, [&](const Vec3i& cell, int i) {
          const auto seed = static_cast<std::uint64_t>(d);
          velocity[d].block(block)[i] = noise(cell, 20 + seed);
          solid_velocity[d].block(block)[i] = static_cast<float>(noise(cell, 30 + seed));
          if (noise(cell, 40 + seed) > 0.8) scene.open_fraction[d].block(block)[i] *= 0.375F;
        });
    build_coefficients(scene.labels, scene.open_fraction, scene.coefficients);
  }

  std::vector<BlockKey> keys;
  Scene scene;
  FaceField<double> velocity;
  FaceField<float> solid_velocity;
};

/// Expect that the owned values of a field are those of the same blocks on one rank alone.
template <class T>
void expect_same(const CellField<T>& shared, const CellField<T>& whole, const char* what) {
  const BlockLayout& layout = shared.layout();
  for (LocalIndex block = 0; block < layout.n_owned(); ++block) {
    const T* there = whole.block(whole.layout().find(layout.key(block)));
    EXPECT_TRUE(std::equal(there, there + layout.cells_per_block(), shared.block(block))) << what;
  }
}

TEST(Poisson, arrays_have_the_same_bits_on_any_number_of_ranks) {
  const Communicator alone(MPI_COMM_SELF);
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << c.dimension << "-D " << c.cells.transpose());
    Flow shared(world(), c);
    Flow whole(alone, c);
    expect_same(shared.scene.coefficients.diagonal, whole.scene.coefficients.diagonal, "diagonal");
    expect_same(shared.scene.coefficients.unknown, whole.scene.coefficients.unknown, "unknown");
    std::vector<CellField<double>> right_hand_sides;
    for (Flow* flow : {&shared, &whole}) {
      const PoissonCoefficients& coefficients = flow->scene.coefficients;
      CellField<double> b;
      outflow_right_hand_side(flow->velocity, flow->scene.open_fraction, flow->solid_velocity, coefficients, b);
      subtract_gradient(flow->scene.field([](const Vec3i& cell) { return noise(cell, 9); }), coefficients,
                        flow->scene.open_fraction, flow->velocity);
      flow->scene.layout.halo().gather(flow->velocity, 1);
      right_hand_sides.push_back(std::move(b));
    }
    expect_same(right_hand_sides[0], right_hand_sides[1], "right-hand side");
    for (int d = 0; d < c.dimension; ++d) expect_same(shared.velocity[d], whole.velocity[d], "velocity");
    EXPECT_EQ(
        max_divergence(shared.velocity, shared.scene.open_fraction, shared.solid_velocity, shared.scene.coefficients),
        max_divergence(whole.velocity, whole.scene.open_fraction, whole.solid_velocity, whole.scene.coefficients));
  }
}

/// Expect what UnknownRows says of the rows of owned and ghost blocks.
void expect_rows(const Scene& scene, const PoissonCoefficients& coefficients) {
  const BlockLayout& layout = scene.layout;
  const double of_open_cell = 2.0 * layout.domain().dimension();
  for (LocalIndex block = 0; block < layout.n_slots(); ++block) {
    UnknownRows expected;
    for (int c = 0; c < layout.cells_per_block(); ++c) {
      if (coefficients.unknown.block(block)[c] == 0) continue;
      const std::uint64_t row = std::uint64_t{1} << (c / 8);
      expected.any |= row;
      if (block >= layout.n_owned() || coefficients.diagonal.block(block)[c] != of_open_cell) expected.cut |= row;
    }
    EXPECT_EQ(coefficients.rows[static_cast<std::size_t>(block)].any, expected.any);
    EXPECT_EQ(coefficients.rows[static_cast<std::size_t>(block)].cut, expected.cut);
  }
}

TEST(Poisson, coefficients_of_other_liquid_on_the_same_blocks_are_those_built_anew) {
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << c.dimension << "-D " << c.cells.transpose());
    Flow flow(world(), c);
    expect_rows(flow.scene, flow.scene.coefficients);
    const CellLabel other = splash(c.cells, 4);
    for (LocalIndex block = 0; block < flow.scene.layout.n_blocks(); ++block)
      flow.scene.for_each_cell(block, [&](const Vec3i& cell, int n) {
        Label& label = flow.scene.labels.block(block)[n];
        if (label != Label::solid && flow.scene.layout.domain().contains_cell(cell)) label = other(cell);
      });
    PoissonCoefficients anew;
    build_coefficients(flow.scene.labels, flow.scene.open_fraction, anew);
    build_coefficients(flow.scene.labels, flow.scene.open_fraction, flow.scene.coefficients);
    expect_rows(flow.scene, anew);
    expect_rows(flow.scene, flow.scene.coefficients);
    expect_same(flow.scene.coefficients.diagonal, anew.diagonal, "diagonal");
    expect_same(flow.scene.coefficients.unknown, anew.unknown, "unknown");
  }
}

/// The surface lies 0.001 cells above the centres of the liquid's uppermost cells. A face that is hardly open does not
/// hold their pressure at 0: the liquid would leave through it as a jet.
TEST(Poisson, the_surface_at_a_face_that_is_hardly_open_has_a_larger_least_distance) {
  const Vec3i cells(24, 8, 1);
  const Domain domain = make_domain(2, cells, FaceCondition::periodic);
  const std::vector<BlockKey> keys = all_blocks(domain);
  const auto is_liquid = [](const Vec3i& cell) { return cell.y() < 4; };
  const auto open_part = [](int x) { return std::array{1.0, 0.5, 0.005}[static_cast<std::size_t>(x % 3)]; };
  Scene scene(world(), domain, keys, equal_splitters(world(), keys),
              [&](const Vec3i& cell) { return is_liquid(cell) ? Label::liquid : Label::air; });
  CellField<float> phi(scene.layout, 0.5F);
  for (LocalIndex block = 0; block < scene.layout.n_blocks(); ++block)
    scene.for_each_cell(block, [&](const Vec3i& cell, int c) {
      phi.block(block)[c] = !is_liquid(cell) ? 0.5F : cell.y() == 3 ? -0.001F : -1.0F;
      if (cell.y() == 4) scene.open_fraction[1].block(block)[c] = static_cast<float>(open_part(cell.x()));
    });
  build_coefficients(scene.labels, scene.open_fraction, scene.coefficients, {phi, 0.01, {}});
  for (LocalIndex block = 0; block < scene.layout.n_owned(); ++block)
    scene.for_each_cell(block, [&](const Vec3i& cell, int c) {
      if (cell.y() != 3) return;
      const double open = open_part(cell.x());
      const double at_surface = open * std::max(1.0, open / 0.01);
      EXPECT_NEAR(scene.coefficients.diagonal.block(block)[c], 3.0 + at_surface, 1e-5) << cell.transpose();
    });
}

}  // namespace
}  // namespace freshet
