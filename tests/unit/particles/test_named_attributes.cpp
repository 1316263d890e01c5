// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/named_attributes.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace freshet {
namespace {

ShapeParameters ball(const Vec3& center, double radius) {
  ShapeParameters parameters;
  parameters.kind = ShapeKind::sphere;
  parameters.center = center;
  parameters.radius = radius;
  return parameters;
}

AttributeParameters attribute(const std::string& name, AttributeKind kind, const std::vector<double>& value) {
  AttributeParameters parameters;
  parameters.name = name;
  parameters.kind = kind;
  parameters.value = value;
  return parameters;
}

NamedAttributes made(const std::vector<AttributeParameters>& attributes, bool has_color = false) {
  ShapeMaker make_shape(test::world(), "case.toml", SampleLattice());
  return {attributes, has_color, make_shape};
}

TEST(NamedAttributes, new_particles_have_the_value_of_outside_all_regions) {
  const NamedAttributes named =
      made({attribute("grain", AttributeKind::integer, {-7.0}), attribute("heat", AttributeKind::real, {}),
            attribute("wind", AttributeKind::vector, {1.0, 2.5, -3.0})});
  ParticleStore particles;
  named.add_to(particles);
  named.add_to(particles);  // does not add them again
  particles.resize(2);
  EXPECT_EQ(particles.attributes().size(), 7u);
  EXPECT_EQ(particles.attribute<std::int32_t>("grain")[1], -7);
  EXPECT_EQ(particles.attribute<float>("heat")[1], 0.0F);
  EXPECT_EQ(particles.attribute<float>("wind")[4], 2.5F);
  EXPECT_EQ(particles.attribute<float>("wind")[5], -3.0F);
  EXPECT_FALSE(particles.has_attribute("color"));
}

TEST(NamedAttributes, the_first_region_that_holds_a_particle_counts_and_only_the_particles_asked_for_change) {
  AttributeParameters grain = attribute("grain", AttributeKind::integer, {1.0});
  const Domain domain = test::make_domain(3, {32, 16, 16}, FaceCondition::free_slip, 0.5);
  const double block = domain.dx() * domain.block_cells().x();  // [m]
  const Vec3 center(block, 2.0, 2.0);                           // between two blocks
  grain.regions = {{ball(center, 0.6), {2.0}}, {ball(center, 1.6), {3.0}}};
  const NamedAttributes named = made({grain});
  ParticleStore particles;
  named.add_to(particles);
  // along x, in cells of 0.5 m: in the inner ball, in the outer one, in none; the last two in the second block
  const std::vector<std::pair<LocalIndex, double>> places{{0, -1.0}, {0, -3.0}, {0, -4.0}, {1, 1.0}, {1, 3.0}};
  particles.resize(static_cast<ParticleIndex>(places.size()));
  particles.home_keys() = {morton_key({0, 0, 0}), morton_key({1, 0, 0})};
  particles.home().resize(places.size());
  for (std::size_t p = 0; p < places.size(); ++p) {
    const auto& [home, cells] = places[p];
    particles.home()[p] = home;
    ParticleReal* x = particles.position() + 3 * p;
    x[0] = static_cast<ParticleReal>(home == 0 ? domain.block_cells().x() + cells : cells);
    x[1] = x[2] = 4.0F;  // 2 m
  }
  named.set_by_region(domain, 0, 4, particles);
  const auto values = particles.attribute<std::int32_t>("grain");
  EXPECT_EQ(std::vector<std::int32_t>(values.begin(), values.end()), (std::vector<std::int32_t>{2, 3, 1, 2, 1}));
  named.set_by_region(domain, 4, 5, particles);
  EXPECT_EQ(particles.attribute<std::int32_t>("grain")[4], 3);
}

TEST(NamedAttributes, a_color_is_set_and_an_empty_one_leaves_the_color_as_it_is) {
  const NamedAttributes named = made({}, true);
  ParticleStore particles;
  named.add_to(particles);
  particles.resize(2);
  NamedAttributes::set_color({0.25, 0.5, 0.75}, 1, particles);
  NamedAttributes::set_color({}, 1, particles);
  const auto color = particles.attribute<float>("color");
  EXPECT_EQ(color[3], 0.25F);
  EXPECT_EQ(color[5], 0.75F);
  EXPECT_NE(color[0], 0.25F);
}

}  // namespace
}  // namespace freshet
