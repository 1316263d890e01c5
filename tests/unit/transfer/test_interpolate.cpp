// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/interpolate.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"
#include "support/scattered_particles.hpp"
#include "support/transfer_reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace freshet {
namespace {

using test::make_domain;
using test::random_velocity;
using test::Scatter;
using test::scatter_particles;
using test::world;

constexpr double real_epsilon = std::numeric_limits<ParticleReal>::epsilon();

struct Bench {
  Domain domain;
  BlockLayout layout;
  FaceField<double> u_new;
  FaceField<double> u_old;
  ParticleStore particles;

  Bench(int dimension, const Vec3i& cells, FaceCondition condition)
      : domain(make_domain(dimension, cells, condition)),
        layout(world(), domain, uniform_splitters(domain, world().size()), test::all_blocks(domain)),
        u_new(layout),
        u_old(layout),
        particles(scatter_particles(layout, Scatter{}, random_velocity)) {}

  std::vector<ParticleReal> velocities() const {
    return {particles.velocity(), particles.velocity() + 3 * particles.size()};
  }
};

Vec3i box(int dimension) {
  return {24, 16, dimension == 3 ? 16 : 1};
}

Vec3 linear(const Vec3& x) {
  return {0.5 * x.x() - 0.25 * x.y() + 1.0, 0.125 * x.z() + x.y() - 3.0, 0.75 * x.x() + 0.5 * x.y() - x.z()};
}

TEST(Blend, reads_a_linear_velocity_exactly) {
  for (const int dimension : {2, 3}) {
    Bench bench(dimension, box(dimension), FaceCondition::free_slip);
    test::set_faces(bench.u_new, linear);
    bench.u_old.fill(0.0);
    blend_velocity(bench.u_new, bench.u_old, 0.0, bench.particles);
    for (ParticleIndex p = 0; p < bench.particles.size(); ++p) {
      const Vec3 x = test::place_of(bench.layout, bench.particles, p);
      bool interior = true;  // within a cell of the walls the mirror images count
      for (int axis = 0; axis < dimension; ++axis)
        interior = interior && x[axis] > 1.0 && x[axis] < bench.domain.cells()[axis] - 1.0;
      if (!interior) continue;
      for (int d = 0; d < dimension; ++d)  // computed in particle reals
        ASSERT_NEAR(bench.particles.velocity()[3 * p + d], linear(x)[d], 30.0 * real_epsilon);
    }
  }
}

TEST(Blend, leaves_velocities_alone_where_the_grid_has_not_changed_and_all_is_flip) {
  for (const FaceCondition condition : {FaceCondition::no_slip, FaceCondition::open, FaceCondition::periodic})
    for (const int dimension : {2, 3}) {
      Bench bench(dimension, box(dimension), condition);
      test::set_faces(bench.u_new, random_velocity);
      test::set_faces(bench.u_old, random_velocity);
      const std::vector<ParticleReal> before = bench.velocities();
      blend_velocity(bench.u_new, bench.u_old, 1.0, bench.particles);
      EXPECT_EQ(bench.velocities(), before);
    }
}

TEST(Blend, forgets_all_but_the_new_grid_where_all_is_pic) {
  for (const int dimension : {2, 3}) {
    Bench bench(dimension, box(dimension), FaceCondition::free_slip);
    test::set_faces(bench.u_new, random_velocity);
    bench.u_old.fill(0.0);
    blend_velocity(bench.u_new, bench.u_old, 0.0, bench.particles);
    const std::vector<ParticleReal> once = bench.velocities();
    test::set_faces(bench.u_old, linear);
    blend_velocity(bench.u_new, bench.u_old, 0.0, bench.particles);
    EXPECT_EQ(bench.velocities(), once);
  }
}

TEST(Blend, reads_a_constant_without_rounding) {
  const Vec3 constant(0.3, -1.7, 2.9);
  for (const int dimension : {2, 3}) {
    Bench bench(dimension, box(dimension), FaceCondition::periodic);
    test::set_faces(bench.u_new, [&](const Vec3&) { return constant; });
    bench.u_old.fill(0.0);
    blend_velocity(bench.u_new, bench.u_old, 0.0, bench.particles);
    for (ParticleIndex p = 0; p < bench.particles.size(); ++p)
      for (int d = 0; d < dimension; ++d)
        ASSERT_EQ(bench.particles.velocity()[3 * p + d], static_cast<ParticleReal>(constant[d]));
  }
}

TEST(Blend, agrees_with_the_weights_of_the_deposit) {
  const double f = 0.7;
  for (const int dimension : {2, 3}) {
    Bench bench(dimension, {16, 8, dimension == 3 ? 8 : 1}, FaceCondition::periodic);
    test::set_faces(bench.u_new, random_velocity);
    test::set_faces(bench.u_old, [](const Vec3& x) { return random_velocity(Vec3(x.y(), x.x(), -x.z())); });
    const std::vector<ParticleReal> before = bench.velocities();
    blend_velocity(bench.u_new, bench.u_old, f, bench.particles);
    for (ParticleIndex p = 0; p < bench.particles.size(); ++p) {
      const Vec3 x = test::place_of(bench.layout, bench.particles, p);
      Vec3 change = Vec3::Zero();
      for (int t = 0; t < n_directions; ++t) {
        const Vec3i cell = x.array().floor().cast<int>().matrix() + direction_offset(t);
        if (dimension == 2 && cell.z() != 0) continue;
        const Vec3i inside = bench.domain.wrap_cell(cell);
        const Vec3i block = inside.cwiseQuotient(bench.domain.block_cells());
        const Vec3i local = inside - block.cwiseProduct(bench.domain.block_cells());
        const LocalIndex b = bench.layout.find(morton_key(block));
        const int c = local.x() + 8 * (local.y() + 8 * local.z());
        for (int d = 0; d < dimension; ++d)
          change[d] +=
              test::hat_weight(dimension, cell, d, x) * (bench.u_new[d].block(b)[c] - f * bench.u_old[d].block(b)[c]);
      }
      for (int d = 0; d < dimension; ++d)  // numbers up to 2.4, interpolated in particle reals
        ASSERT_NEAR(bench.particles.velocity()[3 * p + d],
                    f * static_cast<double>(before[static_cast<std::size_t>(3 * p + d)]) + change[d],
                    2.0 * real_epsilon + 2e-15);
      if (dimension == 2) {
        ASSERT_EQ(bench.particles.velocity()[3 * p + 2], before[static_cast<std::size_t>(3 * p + 2)]);
      }
    }
  }
}

TEST(Blend, takes_the_share_of_flip_by_tag) {
  for (const int dimension : {2, 3}) {
    Bench bench(dimension, box(dimension), FaceCondition::no_slip);
    test::set_faces(bench.u_new, random_velocity);
    test::set_faces(bench.u_old, [](const Vec3& x) { return random_velocity(-x); });
    for (ParticleIndex p = 0; p < bench.particles.size(); ++p)
      bench.particles.tag()[p] = static_cast<std::uint8_t>(p % 3);
    const std::vector<ParticleReal> before = bench.velocities();
    FlipFractions fractions(0.95);
    EXPECT_TRUE(fractions.is_uniform());
    fractions.set(1, 0.0);
    fractions.set(2, 0.5);
    EXPECT_FALSE(fractions.is_uniform());
    blend_velocity(bench.u_new, bench.u_old, fractions, bench.particles);
    const std::vector<ParticleReal> mixed = bench.velocities();
    const double shares[] = {0.95, 0.0, 0.5};
    for (int tag = 0; tag < 3; ++tag) {  // each alike with the same share for everyone
      std::copy(before.begin(), before.end(), bench.particles.velocity());
      blend_velocity(bench.u_new, bench.u_old, shares[tag], bench.particles);
      for (ParticleIndex p = tag; p < bench.particles.size(); p += 3)
        for (int d = 0; d < 3; ++d)  // velocities up to 3, computed in double by two formulas, rounded once
          ASSERT_NEAR(mixed[3 * p + d], bench.particles.velocity()[3 * p + d], 3.0 * real_epsilon);
    }
  }
}

TEST(Blend, needs_one_gather_where_a_block_agrees_about_the_share) {
  Bench bench(3, box(3), FaceCondition::free_slip);
  test::set_faces(bench.u_new, random_velocity);
  test::set_faces(bench.u_old, linear);
  const std::vector<ParticleReal> before = bench.velocities();
  blend_velocity(bench.u_new, bench.u_old, 0.9, bench.particles);
  const std::vector<ParticleReal> alone = bench.velocities();
  std::copy(before.begin(), before.end(), bench.particles.velocity());
  FlipFractions fractions(0.9);
  fractions.set(7, 0.1);  // no particle carries it
  blend_velocity(bench.u_new, bench.u_old, fractions, bench.particles);
  EXPECT_EQ(bench.velocities(), alone);  // bit for bit
}

}  // namespace
}  // namespace freshet
