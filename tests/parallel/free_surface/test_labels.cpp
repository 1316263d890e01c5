// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/labels.hpp"
#include "support/placed_particles.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace freshet {
namespace {

using test::BoxShape;
using test::make_domain;
using test::PlacedParticles;
using test::world;

/// The label of a cell, or inner mark, from the rank that owns it. Collective
template <class Field>
int value_at(const PlacedParticles& scene, const Field& field, const Vec3i& cell) {
  const Vec3i width = scene.domain.block_cells();
  const Vec3i block = cell.cwiseQuotient(width);
  const Vec3i at = cell - block.cwiseProduct(width);
  const LocalIndex b = scene.layout.find_owned(morton_key(block));
  const bool here = b != scene.layout.background();
  const int value = here ? static_cast<int>(field.block(b)[at.x() + 8 * (at.y() + 8 * at.z())]) : 0;
  return static_cast<int>(world().sum(GlobalIndex{value}));
}
constexpr int air = static_cast<int>(Label::air);
constexpr int liquid = static_cast<int>(Label::liquid);
constexpr int solid = static_cast<int>(Label::solid);

TEST(Labels, cells_with_a_particle_are_liquid_whoever_owns_them) {
  const PlacedParticles scene(make_domain(3, {16, 16, 16}), {{0.5, 0.5, 0.5}, {7.9, 8.1, 9.5}});
  EXPECT_EQ(value_at(scene, scene.labels, {0, 0, 0}), liquid);
  EXPECT_EQ(value_at(scene, scene.labels, {7, 8, 9}), liquid);
  EXPECT_EQ(value_at(scene, scene.labels, {8, 8, 9}), air);
  EXPECT_EQ(value_at(scene, scene.labels, {1, 0, 0}), air);
}

TEST(Labels, liquid_cells_are_counted_once_over_all_ranks) {
  PlacedParticles scene(make_domain(3, {16, 16, 16}), test::full_cells({5, 5, 5}, {11, 11, 11}));
  EXPECT_EQ(world().sum(label_cells(scene.particles, scene.solids, scene.labels)), 6 * 6 * 6);
}

TEST(Labels, a_body_of_whole_cells_makes_its_cells_solid_with_particles_in_them_too) {
  PlacedParticles::Options options;
  SolidBody body;
  body.shape = std::make_shared<BoxShape>(Vec3(4, 4, 4), Vec3(12, 12, 12));
  options.bodies = {body};
  const PlacedParticles scene(make_domain(3, {16, 16, 16}), {{4.2, 4.5, 4.5}, {3.8, 4.5, 4.5}}, options);
  EXPECT_EQ(value_at(scene, scene.labels, {4, 4, 4}), solid);
  EXPECT_EQ(value_at(scene, scene.labels, {3, 4, 4}), liquid);
  EXPECT_EQ(value_at(scene, scene.labels, {11, 11, 11}), solid);
  EXPECT_EQ(value_at(scene, scene.labels, {12, 11, 11}), air);
}

/// The body's top lies at y = 6.3, so that row 5 is deep in it, and row 6 has its centre above. Of row 6 only cells
/// with particles are liquid. With the top at 6.7 the centre of row 6 lies in the body: there liquid above makes
/// liquid.
TEST(Labels, a_cut_cell_without_a_particle_is_liquid_below_a_liquid_cell) {
  for (const double top : {6.3, 6.7}) {
    PlacedParticles::Options options;
    SolidBody body;
    body.shape = std::make_shared<BoxShape>(Vec3(-20, -20, -20), Vec3(40, top, 40));
    body.surface = Surface::fractions;
    options.bodies = {body};
    const PlacedParticles scene(make_domain(3, {16, 16, 16}), {{7.5, 7.5, 7.5}, {8.5, 7.5, 7.5}}, options);
    const int below = top > 6.5 ? liquid : air;
    EXPECT_EQ(value_at(scene, scene.labels, {7, 6, 7}), below) << top;
    EXPECT_EQ(value_at(scene, scene.labels, {8, 6, 7}), below) << top;
    EXPECT_EQ(value_at(scene, scene.labels, {9, 6, 7}), air) << top;
    EXPECT_EQ(value_at(scene, scene.labels, {7, 4, 7}), solid) << top;
  }
}

TEST(InnerCells, have_no_air_around_them) {
  const PlacedParticles scene(make_domain(3, {16, 16, 16}), test::full_cells({0, 0, 0}, {10, 10, 10}));
  EXPECT_EQ(value_at(scene, scene.inner, {0, 0, 0}), 1);  // in a corner: walls are solid
  EXPECT_EQ(value_at(scene, scene.inner, {8, 8, 8}), 1);
  EXPECT_EQ(value_at(scene, scene.inner, {9, 8, 8}), 0);  // air along x
  EXPECT_EQ(value_at(scene, scene.inner, {9, 9, 9}), 0);
  EXPECT_EQ(value_at(scene, scene.inner, {10, 10, 10}), 0);
}

TEST(InnerCells, beyond_an_open_face_there_is_air) {
  const Domain domain = make_domain(3, {16, 16, 16}, FaceCondition::open);
  const PlacedParticles scene(domain, test::full_cells({0, 0, 0}, {10, 10, 10}));
  EXPECT_EQ(value_at(scene, scene.inner, {0, 4, 4}), 0);
  EXPECT_EQ(value_at(scene, scene.inner, {1, 4, 4}), 1);
}

}  // namespace
}  // namespace freshet
