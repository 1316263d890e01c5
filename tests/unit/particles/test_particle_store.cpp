// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/particle_store.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace freshet {
namespace {

std::vector<const std::byte*> places(const ParticleStore& particles) {
  std::vector<const std::byte*> pointers;
  for (const Attribute& attribute : particles.attributes()) pointers.push_back(attribute.values.data());
  return pointers;
}

TEST(ParticleStore, has_position_velocity_id_and_tag_from_the_start) {
  ParticleStore particles;
  for (const char* name : {"position", "velocity", "id", "tag"}) EXPECT_TRUE(particles.has_attribute(name)) << name;
  EXPECT_FALSE(particles.has_attribute("temperature"));
  EXPECT_EQ(particles.size(), 0);
  EXPECT_EQ(particles.bytes_per_particle(), 6 * sizeof(ParticleReal) + sizeof(ParticleId) + 1);
  particles.resize(3);
  EXPECT_EQ(particles.attribute<ParticleReal>("velocity").data(), particles.velocity());
  EXPECT_EQ(particles.attribute<ParticleReal>("velocity").size(), 9u);
  EXPECT_EQ(particles.attribute<ParticleId>("id").data(), particles.id());
  EXPECT_EQ(particles.attribute<std::uint8_t>("tag").size(), 3u);
}

TEST(ParticleStore, new_particles_hold_initial_values_and_old_ones_keep_theirs) {
  ParticleStore particles;
  const std::array<double, 2> initial{1.5, -2.5};
  particles.add_attribute("stress", AttributeType::float64, 2, initial.data());
  particles.resize(2);
  particles.attribute<double>("stress")[3] = 7.0;
  particles.id()[1] = 42;
  particles.position()[5] = 3.25f;
  particles.resize(10000);  // needs other memory
  EXPECT_EQ(particles.id()[1], 42u);
  EXPECT_EQ(particles.position()[5], 3.25f);
  const auto stress = particles.attribute<double>("stress");
  EXPECT_EQ(stress[3], 7.0);
  for (std::size_t p = 2; p < 10000; ++p) {
    ASSERT_EQ(stress[2 * p], 1.5);
    ASSERT_EQ(stress[2 * p + 1], -2.5);
    ASSERT_EQ(particles.id()[p], 0u);
  }
  particles.id()[7] = 9;
  particles.resize(5);
  particles.resize(8);  // no trace of who was there before
  EXPECT_EQ(particles.id()[7], 0u);
}

TEST(ParticleStore, attributes_are_found_by_name) {
  ParticleStore particles;
  particles.resize(4);
  const std::int32_t age = 5;
  const float weight = 0.5f;
  particles.add_attribute("age", AttributeType::int32, 1, &age);
  particles.add_attribute("weight", AttributeType::float32, 1, &weight);
  EXPECT_EQ(particles.attribute<std::int32_t>("age")[3], 5);
  EXPECT_FALSE(particles.has_attribute("weigh"));
  EXPECT_EQ(particles.attribute<float>("weight")[3], 0.5f);
  particles.resize(6);
  EXPECT_EQ(particles.attribute<float>("weight")[5], 0.5f);
  EXPECT_EQ(std::as_const(particles).attribute<std::int32_t>("age")[5], 5);
}

TEST(ParticleStore, counts_that_wobble_do_not_move_the_memory) {
  ParticleStore particles;
  particles.resize(80000);
  particles.resize(85000);  // a sixteenth more: what the first growth left free
  const auto before = places(particles);
  const std::int64_t bytes = memory_in_use(MemoryKind::particles);
  for (const ParticleIndex n : {80000, 84999, 12, 85000, 0, 82000}) {
    particles.resize(n);
    particles.home().resize(static_cast<std::size_t>(n));
  }
  EXPECT_EQ(places(particles), before);
  EXPECT_EQ(memory_in_use(MemoryKind::particles), bytes);
  EXPECT_EQ(particles.capacity(), 85000);
}

TEST(ParticleStore, trimming_gives_back_memory_and_keeps_the_particles) {
  ParticleStore particles;
  particles.resize(80000);
  particles.home().resize(80000);
  for (ParticleIndex p = 0; p < 80000; ++p) {
    particles.id()[p] = static_cast<ParticleId>(3 * p);
    particles.position()[3 * p + 2] = static_cast<ParticleReal>(p);
    particles.home()[static_cast<std::size_t>(p)] = static_cast<LocalIndex>(p % 7);
  }
  const auto before = places(particles);
  particles.trim();  // a sixteenth lies idle: that suits
  EXPECT_EQ(places(particles), before);
  particles.resize(40000);
  particles.home().resize(40000);
  const std::int64_t bytes = memory_in_use(MemoryKind::particles);
  particles.trim();
  EXPECT_EQ(particles.size(), 40000);
  EXPECT_EQ(particles.capacity(), 42500);
  EXPECT_EQ(memory_in_use(MemoryKind::particles), bytes / 2);
  for (ParticleIndex p = 0; p < 40000; ++p) {
    ASSERT_EQ(particles.id()[p], static_cast<ParticleId>(3 * p));
    ASSERT_EQ(particles.position()[3 * p + 2], static_cast<ParticleReal>(p));
    ASSERT_EQ(particles.home()[static_cast<std::size_t>(p)], static_cast<LocalIndex>(p % 7));
  }
  particles.resize(0);
  particles.home().resize(0);
  particles.trim();
  EXPECT_EQ(particles.capacity(), 0);
  particles.resize(10);
  EXPECT_EQ(particles.size(), 10);
}

TEST(ParticleStore, an_attribute_added_late_has_memory_for_as_many_particles_as_the_others) {
  ParticleStore particles;
  particles.resize(1000);
  particles.add_attribute("age", AttributeType::int64, 1, std::array<std::int64_t, 1>{3}.data());
  const auto before = places(particles);
  particles.resize(particles.capacity());
  EXPECT_EQ(places(particles), before);
  EXPECT_EQ(particles.attribute<std::int64_t>("age").back(), 3);
}

TEST(ParticleStore, its_bytes_are_counted_as_particles) {
  const std::int64_t before = memory_in_use(MemoryKind::particles);
  {
    ParticleStore particles;
    particles.reserve(1000);
    const auto bytes = static_cast<std::int64_t>(1000 * (particles.bytes_per_particle() + sizeof(LocalIndex)));
    EXPECT_EQ(memory_in_use(MemoryKind::particles) - before, bytes);
  }
  EXPECT_EQ(memory_in_use(MemoryKind::particles), before);
}

TEST(ParticleStore, element_types_have_their_sizes) {
  EXPECT_EQ(size_of(AttributeType::uint8), 1u);
  EXPECT_EQ(size_of(AttributeType::int32), 4u);
  EXPECT_EQ(size_of(AttributeType::float32), 4u);
  EXPECT_EQ(size_of(AttributeType::int64), 8u);
  EXPECT_EQ(size_of(AttributeType::uint64), 8u);
  EXPECT_EQ(size_of(AttributeType::float64), 8u);
}

}  // namespace
}  // namespace freshet
