// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/free_surface.hpp"
#include "support/placed_particles.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace freshet {
namespace {

using test::PlacedParticles;
using test::world;

/// A pool, four cells deep, and a particle of spray high above it. [cells]
std::vector<Vec3> pool_and_spray() {
  std::vector<Vec3> places = test::full_cells({0, 0, 0}, {16, 4, 16});
  places.emplace_back(10.25, 13.75, 10.25);
  return places;
}

class FreeSurfaces : public ::testing::Test {
 protected:
  std::unique_ptr<FreeSurface> find(const FreeSurfaceOptions& options) {
    auto found = std::make_unique<FreeSurface>(options);
    FreeSurface& surface = *found;
    surface.reset(liquid_.layout);
    liquid_cells_ = world().sum(surface.find(liquid_.particles, liquid_.solids));
    const std::vector<std::uint8_t> near(static_cast<std::size_t>(liquid_.layout.n_owned()), 1);
    surface.find_shape(liquid_.solids, [&near] { return std::span(near); });
    return found;
  }
  static FreeSurfaceOptions options(LiquidSurface kind, double tension = 0.0) {
    FreeSurfaceOptions result;
    result.labels.surface = kind;
    result.fluid.surface_tension = tension;
    return result;
  }
  /// \return on how many owned cells of all ranks test(block, cell) is true
  template <class Test>
  GlobalIndex count(Test&& test) const {
    GlobalIndex n = 0;
    for (LocalIndex b = 0; b < liquid_.layout.n_owned(); ++b)
      for (int c = 0; c < liquid_.layout.cells_per_block(); ++c) n += test(b, c) ? 1 : 0;
    return world().sum(n);
  }

  PlacedParticles liquid_{test::make_domain(3, {16, 16, 16}), pool_and_spray()};
  GlobalIndex liquid_cells_ = 0;
};

TEST_F(FreeSurfaces, of_voxels_runs_through_the_centres_of_air) {
  const auto found = find(options(LiquidSurface::voxels));
  FreeSurface& surface = *found;
  EXPECT_EQ(liquid_cells_, 16 * 4 * 16 + 1);  // the spray's cell is liquid
  EXPECT_FALSE(surface.place().is_between_centres());
  EXPECT_EQ(surface.curvature(), nullptr);
  EXPECT_EQ(&surface.reached(), &surface.labels());
  EXPECT_EQ(surface.farthest_particle(), 0.0);
  EXPECT_FALSE(surface.reads_weights(liquid_.solids));
  std::array<double, 512> phi;
  EXPECT_EQ(count([&](LocalIndex b, int c) {
              surface.distances(b, phi.data());
              return phi[static_cast<std::size_t>(c)] == -1.0;
            }),
            liquid_cells_);
}

TEST_F(FreeSurfaces, of_a_level_set_lies_between_centres_and_leaves_spray_to_the_air) {
  const auto found = find(options(LiquidSurface::level_set));
  FreeSurface& surface = *found;
  EXPECT_EQ(liquid_cells_, 16 * 4 * 16);
  const CellField<float>& phi = surface.place().phi();
  EXPECT_EQ(count([&](LocalIndex b, int c) { return phi.block(b)[c] < 0.0F; }), liquid_cells_);
  EXPECT_EQ(count([&](LocalIndex b, int c) { return surface.labels().block(b)[c] == Label::liquid; }), liquid_cells_);
  // the velocity of spray is its own
  EXPECT_EQ(count([&](LocalIndex b, int c) { return surface.reached().block(b)[c] == Label::liquid; }),
            liquid_cells_ + 1);
  EXPECT_EQ(surface.farthest_particle(), 1.0);
  EXPECT_TRUE(surface.reads_weights(liquid_.solids));
  EXPECT_EQ(surface.curvature(), nullptr);
}

TEST_F(FreeSurfaces, has_a_curvature_and_a_longest_step_with_tension_only) {
  EXPECT_EQ(find(options(LiquidSurface::level_set))->longest_step(1.0), std::numeric_limits<double>::infinity());
  const auto found = find(options(LiquidSurface::level_set, 0.07));
  FreeSurface& surface = *found;
  EXPECT_EQ(surface.longest_step(1.0), capillary_step(1000.0, 1.0, 0.07));
  ASSERT_NE(surface.curvature(), nullptr);
  const CellField<float>& kappa = *surface.curvature();
  EXPECT_EQ(count([&](LocalIndex b, int c) {  // of the pool; the blocks above hold the spray
              return liquid_.layout.first_cell(b).y() == 0 && std::abs(kappa.block(b)[c]) > 0.1F;
            }),
            0);
}

TEST_F(FreeSurfaces, of_voxels_leaves_the_deposit_as_it_is) {
  const auto found = find(options(LiquidSurface::voxels));
  FreeSurface& surface = *found;
  FaceField<double> weight(liquid_.layout), velocity(liquid_.layout);
  weight.fill(0.0);
  velocity.fill(0.0);
  surface.correct_deposit(liquid_.solids, weight, velocity);
  surface.correct_air(liquid_.solids, 1.0, velocity);
  for (int d = 0; d < 3; ++d) EXPECT_EQ(count([&](LocalIndex b, int c) { return velocity[d].block(b)[c] != 0.0; }), 0);
}

}  // namespace
}  // namespace freshet
