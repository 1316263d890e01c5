// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/air_divergence_removal.hpp"
#include "freshet/grid/halo.hpp"
#include "support/placed_particles.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace freshet {
namespace {

using test::make_domain;
using test::PlacedParticles;
using test::world;

/// Liquid fills the cells below y = 8, where u = (a x, -a (y - 8) + w [, 0]). Above, the velocity is that of the face
/// of the surface at the same x, as extrapolation gives it.
class Pool {
 public:
  static constexpr double a = 0.25;

  explicit Pool(int dimension, double w = 0.5, double fastest = 100.0, const std::vector<SolidBody>& bodies = {})
      : scene(make_domain(dimension, {24, 16, dimension == 3 ? 16 : 1}),
              test::full_cells({0, 0, 0}, {24, 8, dimension == 3 ? 16 : 1}), {.bodies = bodies}),
        velocity(scene.layout, 0.0) {
    velocity.fill(0.0);
    for_each([&](const Vec3i& cell, LocalIndex b, int c) {
      velocity[0].block(b)[c] = a * cell.x();
      velocity[1].block(b)[c] = w - a * (std::min(cell.y(), 8) - 8);
    });
    scene.layout.halo().gather(scene.labels, 2);
    scene.layout.halo().gather(velocity, 1);
    AirDivergenceRemoval remove_divergence;
    remove_divergence(scene.labels, scene.solids, fastest, velocity);
  }
  template <class Function>
  void for_each(Function&& f) const {
    const Vec3i n = scene.domain.block_cells();
    for (LocalIndex b = 0; b < scene.layout.n_owned(); ++b)
      for (int c = 0; c < scene.layout.cells_per_block(); ++c)
        f(Vec3i(scene.layout.first_cell(b) + Vec3i(c % n[0], c / n[0] % n[1], c / (n[0] * n[1]))), b, c);
  }

  PlacedParticles scene;
  FaceField<double> velocity;
};

TEST(AirDivergenceRemoval, air_on_the_liquid_goes_on_as_the_liquid_and_the_rest_is_as_it_was) {
  for (const int dimension : {2, 3}) {
    const Pool pool(dimension);
    pool.for_each([&](const Vec3i& cell, LocalIndex b, int c) {
      const bool inside = cell.x() > 0 && cell.x() + 1 < 24;  // the cells at the walls keep what flows into the wall
      if (!inside || cell.y() == 0) return;
      const int y = cell.y() == 9 ? 9 : std::min(cell.y(), 8);
      EXPECT_EQ(pool.velocity[0].block(b)[c], Pool::a * cell.x()) << cell.transpose();
      EXPECT_DOUBLE_EQ(pool.velocity[1].block(b)[c], 0.5 - Pool::a * (y - 8)) << cell.transpose();
    });
  }
}

TEST(AirDivergenceRemoval, air_on_a_thin_wall_with_liquid_behind_stays_as_it_is) {
  for (const Surface surface : {Surface::voxels, Surface::fractions})
    for (const int dimension : {2, 3}) {
      const auto lid = std::make_shared<test::BoxShape>(Vec3(-1.0, 7.875, -1.0), Vec3(25.0, 8.125, 17.0));
      const Pool pool(dimension, 0.5, 100.0, {{lid, Slip::free_slip, WallCondition::sticky, surface}});
      pool.for_each([&](const Vec3i& cell, LocalIndex b, int c) {
        if (cell.y() < 8 || cell.x() == 0 || cell.x() + 1 == 24) return;
        EXPECT_EQ(pool.velocity[0].block(b)[c], Pool::a * cell.x()) << cell.transpose();
        EXPECT_EQ(pool.velocity[1].block(b)[c], 0.5) << cell.transpose();
      });
    }
}

TEST(AirDivergenceRemoval, air_becomes_no_faster_than_it_may) {
  // without a limit -0.75, where the liquid has -0.5
  for (const auto& [fastest, expected] : {std::pair{1.0, -0.75}, {0.6, -0.6}, {0.3, -0.5}}) {
    const double velocity = expected;
    const Pool pool(2, -0.5, fastest);
    pool.for_each([&](const Vec3i& cell, LocalIndex b, int c) {
      if (cell.y() != 9 || cell.x() == 0 || cell.x() + 1 == 24) return;
      EXPECT_DOUBLE_EQ(pool.velocity[1].block(b)[c], velocity) << cell.transpose();
    });
  }
}

}  // namespace
}  // namespace freshet
