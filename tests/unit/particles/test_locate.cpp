// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/locate.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace freshet {
namespace {

TEST(Locate, block_and_place_of_a_point) {
  const Domain domain = test::make_domain(3, {24, 24, 24}, FaceCondition::free_slip, 0.5);
  Vec3 x(4.75, 0.25, 11.0);  // cells 9.5, 0.5, 22
  const auto place = locate(domain, x);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->key, morton_key({1, 0, 2}));
  EXPECT_EQ(place->position, (std::array<ParticleReal, 3>{1.5, 0.5, 6.0}));
}

TEST(Locate, outside_the_domain_there_is_no_place) {
  const Domain domain = test::make_domain(3, {24, 24, 20}, FaceCondition::free_slip, 0.5);
  for (const Vec3& outside : {Vec3(-1e-9, 1, 1), Vec3(12.0, 1, 1), Vec3(1, 1, 10.0), Vec3(1, NAN, 1)}) {
    Vec3 x = outside;
    EXPECT_FALSE(locate(domain, x)) << x.transpose();
  }
}

TEST(Locate, periodic_axes_bring_a_point_into_the_domain) {
  const Domain domain = test::make_domain(3, {16, 16, 16}, FaceCondition::periodic);
  Vec3 x(-0.5, 16.25, 40.0);
  const auto place = locate(domain, x);
  ASSERT_TRUE(place);
  EXPECT_EQ(x, Vec3(15.5, 0.25, 8.0));
  EXPECT_EQ(place->key, morton_key({1, 0, 1}));
  EXPECT_EQ(place->position, (std::array<ParticleReal, 3>{7.5, 0.25, 0.0}));
  Vec3 close(-1e-18, 1, 1);  // 16 - 1e-18 rounds to 16
  ASSERT_TRUE(locate(domain, close));
  EXPECT_EQ(close.x(), 0.0);
}

TEST(Locate, rounding_to_a_particle_real_stays_below_the_end_of_the_block) {
  const Domain domain = test::make_domain(3, {16, 12, 16}, FaceCondition::free_slip);
  Vec3 x(std::nextafter(8.0, 0.0), std::nextafter(12.0, 0.0), 1.0);
  const auto place = locate(domain, x);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->key, morton_key({0, 1, 0}));
  EXPECT_LT(place->position[0], ParticleReal{8});
  EXPECT_LT(place->position[1], ParticleReal{4});  // the domain ends in this block
}

TEST(Locate, points_of_a_2d_domain_lie_in_its_middle_plane) {
  const Domain domain = test::make_domain(2, {16, 16, 1});
  Vec3 x(9.0, 3.0, -7.0);
  const auto place = locate(domain, x);
  ASSERT_TRUE(place);
  EXPECT_EQ(x.z(), 0.5);
  EXPECT_EQ(place->position[2], ParticleReal(0.5));
}

}  // namespace
}  // namespace freshet
