// SPDX-License-Identifier: Apache-2.0
#include "freshet/diagnostics/liquid_volume.hpp"
#include "freshet/diagnostics/memory_report.hpp"
#include "support/placed_particles.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace freshet {
namespace {

using test::full_cells;
using test::make_domain;
using test::PlacedParticles;
using test::world;

double volume(const PlacedParticles& scene) {
  return scene.layout.domain().cell_volume() *
         world().sum(liquid_volume_here(scene.particles, scene.labels, scene.solids, scene.inner, 8));
}

TEST(LiquidVolume, of_full_cells_is_theirs) {
  const PlacedParticles scene(make_domain(3, {16, 16, 16}), full_cells({0, 0, 0}, {10, 9, 16}));
  EXPECT_DOUBLE_EQ(volume(scene), 10 * 9 * 16);
}

TEST(LiquidVolume, inside_the_liquid_a_cell_counts_as_full_whatever_it_holds) {
  std::vector<Vec3> places = full_cells({0, 0, 0}, {10, 9, 16});
  std::erase_if(places,
                [](const Vec3& x) { return (x - Vec3(4.5, 4.5, 8.5)).cwiseAbs().maxCoeff() < 0.5 && x.x() > 4.5; });
  ASSERT_EQ(places.size(), static_cast<std::size_t>(8 * 10 * 9 * 16 - 4));
  EXPECT_DOUBLE_EQ(volume(PlacedParticles(make_domain(3, {16, 16, 16}), places)), 10 * 9 * 16);
}

TEST(LiquidVolume, at_the_surface_particles_count) {
  std::vector<Vec3> places = full_cells({0, 0, 0}, {10, 9, 16});
  places.emplace_back(12.5, 12.5, 12.5);  // a drop
  EXPECT_DOUBLE_EQ(volume(PlacedParticles(make_domain(3, {16, 16, 16}), places)), 10 * 9 * 16 + 0.125);
}

/// Liquid that walls lose and press into a few cells shows as a loss of volume.
TEST(LiquidVolume, a_cell_at_the_surface_counts_for_two_full_ones_at_most) {
  std::vector<Vec3> places(80, Vec3(12.5, 12.5, 12.5));
  EXPECT_DOUBLE_EQ(volume(PlacedParticles(make_domain(3, {16, 16, 16}), places)), 2.0);
  places.resize(12);
  EXPECT_DOUBLE_EQ(volume(PlacedParticles(make_domain(3, {16, 16, 16}), places)), 1.5);
}

TEST(LiquidVolume, leaves_out_what_bodies_cover) {
  PlacedParticles::Options options;
  SolidBody body;
  body.shape = std::make_shared<test::BoxShape>(Vec3(-20, -20, -20), Vec3(40, 1.25, 40));
  body.surface = Surface::fractions;
  options.bodies = {body};
  const Domain domain = make_domain(3, {16, 16, 16});
  std::vector<Vec3> places = full_cells({0, 1, 0}, {16, 10, 16});
  EXPECT_NEAR(volume(PlacedParticles(domain, places, options)), 16 * 16 * (10 - 1.25), 1e-4);  // 32-bit distances
}

TEST(MemoryReport, counts_cells_and_particles_of_all_ranks) {
  const PlacedParticles scene(make_domain(3, {16, 16, 16}), full_cells({0, 0, 0}, {4, 4, 4}));
  const MemoryReport report = measure_memory(scene.layout, scene.particles.size());
  EXPECT_EQ(report.particles, 8 * 4 * 4 * 4);
  EXPECT_EQ(report.owned_cells, 16 * 16 * 16);
  EXPECT_EQ(report.ghost_cells == 0, world().size() == 1);
  GlobalIndex sum = 0;
  for (const GlobalIndex bytes : report.bytes) sum += bytes;
  EXPECT_EQ(report.total, sum);
  EXPECT_LE(report.largest_rank, report.total);
  EXPECT_GE(report.largest_rank * world().size(), report.total);
  EXPECT_GE(report.bytes_per_particle(), static_cast<double>(scene.particles.bytes_per_particle()));
  EXPECT_NE(report.text().find("4096 owned"), std::string::npos) << report.text();
}

TEST(MemoryReport, of_nothing_divides_by_nothing) {
  EXPECT_EQ(MemoryReport().bytes_per_particle(), 0.0);
  EXPECT_EQ(MemoryReport().bytes_per_cell(), 0.0);
}

}  // namespace
}  // namespace freshet
