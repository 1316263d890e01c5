// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/particle_arrays.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace freshet {
namespace {

const Attribute& find(const ParticleStore& particles, const std::string& name) {
  return *std::ranges::find(particles.attributes(), name, &Attribute::name);
}

TEST(ParticleArrays, names_differ_and_all_of_them_are_reserved) {
  std::vector<std::string> names = reserved_array_names();
  for (const ParticleArray& array : particle_arrays)
    EXPECT_EQ(std::ranges::count(names, std::string(array.name)), 1) << array.name;
  for (const char* record : {"positionOffset", "particlePatches"})
    EXPECT_EQ(std::ranges::count(names, std::string(record)), 1) << record;
}

TEST(ParticleArrays, arrays_from_the_grid_hold_particle_reals_of_its_width) {
  for (const ParticleArray& array : particle_arrays) {
    if (array.upkeep != ArrayUpkeep::grid_velocity && array.upkeep != ArrayUpkeep::grid_gradient) continue;
    EXPECT_EQ(array.type, particle_real) << array.name;
    EXPECT_EQ(array.width, array.upkeep == ArrayUpkeep::grid_velocity ? 3 : 9) << array.name;
  }
}

TEST(ParticleArrays, a_new_store_has_those_that_are_always_there) {
  const ParticleStore particles;
  EXPECT_TRUE(has_arrays(particles, ArrayNeed::always));
  EXPECT_FALSE(has_arrays(particles, ArrayNeed::apic));
  EXPECT_FALSE(has_arrays(particles, ArrayNeed::color));
  EXPECT_EQ(particles.attributes().size(), 4U);
}

TEST(ParticleArrays, arrays_have_the_form_and_the_initial_value_of_the_list) {
  ParticleStore particles;
  particles.resize(2);
  for (const ArrayNeed need : {ArrayNeed::apic, ArrayNeed::color}) {
    add_arrays(particles, need);
    add_arrays(particles, need);  // those that are there stay
    EXPECT_TRUE(has_arrays(particles, need));
  }
  particles.resize(3);
  ASSERT_EQ(particles.attributes().size(), 6U);
  EXPECT_EQ(find(particles, affine_name).width, 9);
  for (int e = 0; e < 27; ++e) EXPECT_EQ(affine_rows(particles)[e], 0) << e;
  const std::vector<float> color(particles.attribute<float>(color_name).begin() + 6,
                                 particles.attribute<float>(color_name).end());
  EXPECT_EQ(color, (std::vector<float>{0.2F, 0.4F, 0.8F}));
}

TEST(ParticleArrays, an_array_of_the_name_but_of_another_form_is_not_it) {
  ParticleStore particles;
  const ParticleReal zero = 0;
  particles.add_attribute(affine_name, particle_real, 1, &zero);
  EXPECT_FALSE(has_arrays(particles, ArrayNeed::apic));
}

TEST(ParticleArrays, removed_arrays_leave_the_others_as_they_are) {
  ParticleStore particles;
  particles.resize(1);
  add_arrays(particles, ArrayNeed::apic);
  add_arrays(particles, ArrayNeed::color);
  EXPECT_TRUE(follow_grid(particles));
  particles.attribute<float>(color_name)[1] = 0.5F;
  remove_arrays(particles, ArrayNeed::apic);
  EXPECT_FALSE(has_arrays(particles, ArrayNeed::apic));
  EXPECT_FALSE(follow_grid(particles));
  EXPECT_EQ(particles.attribute<float>(color_name)[1], 0.5F);
}

}  // namespace
}  // namespace freshet
