// SPDX-License-Identifier: Apache-2.0
// nightly: 2 4 8
// Sources after a restart, on other numbers of ranks, and the attributes of what they bring.
// timeout: 600
#include "freshet/io/checkpoint.hpp"
#include "source_cases.hpp"
#include "support/snapshot_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace freshet::test {
namespace {

const std::string busy = jet_from(0.2) + R"(color = [1, 0, 0]
schedule = [[0.0, 0.13], [0.16, 0.4]]
jitter = 1
[[sink]]
shape = "box"
lower = [1.2, 0, 0]
upper = [1.6, 1.2, 0.8]
start_time = 0.2
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [0.9, 0.2, 0.8]
[[attribute]]
name = "age"
type = "vector"
default = [1, 2, 3]
[[attribute.region]]
shape = "half_space"
point = [0.3, 0, 0]
normal = [1, 0, 0]
value = [4, 5, 6]
)";

TEST(Sources, a_restart_in_the_middle_of_an_emission_goes_on_bit_for_bit) {
  const SharedDirectory directory("sources");
  const Parameters parameters = make_case(tank(busy, "[0, -9.81, 0]"));
  Simulation whole(world(), parameters);
  const auto step = [](Simulation& simulation, int n) {
    for (int s = 0; s < n; ++s) simulation.advance(simulation.largest_dt());
  };
  step(whole, 4);
  ASSERT_GT(whole.report().emitted, 0);
  write_checkpoint(world(), directory.path() + "/a.h5", whole.checkpoint_state(), input_record(parameters));
  Simulation again(world(), parameters,
                   read_checkpoint(world(), directory.path() + "/a.h5", Domain(parameters.domain), parameters.balance,
                                   [](const std::string&) {}));
  step(whole, 12);
  step(again, 12);
  EXPECT_EQ(again.time(), whole.time());
  EXPECT_GT(whole.numbers().absorbed, 0);
  EXPECT_TRUE(again.numbers().emitted == whole.numbers().emitted &&
              again.numbers().absorbed == whole.numbers().absorbed);
  ASSERT_EQ(again.particles().size(), whole.particles().size());
  ASSERT_EQ(again.particles().attributes().size(), 6u);
  for (std::size_t a = 0; a < whole.particles().attributes().size(); ++a)
    EXPECT_TRUE(std::ranges::equal(again.particles().attributes()[a].values, whole.particles().attributes()[a].values));
}

/// Adds to whole numbers of a restored state, by name.
void raise(RestoredState& state, const std::vector<std::string>& names, std::int64_t offset) {
  for (NamedNumber& number : state.numbers)
    if (std::ranges::find(names, number.name) != names.end()) std::get<std::int64_t>(number.value) += offset;
}

TEST(Sources, go_on_bit_for_bit_when_particles_ids_and_steps_are_counted_beyond_32_bits) {
  constexpr std::int64_t offset = std::int64_t{1} << 40;
  const SharedDirectory directory("counted");
  std::string text = busy;
  text.replace(text.find("jitter = 1"), 10, "jitter = 0");  // no random numbers of ids
  const Parameters parameters = make_case(tank(text, "[0, -9.81, 0]"));
  const auto read = [&](const std::string& name) {
    return read_checkpoint(world(), directory.path() + name, Domain(parameters.domain), parameters.balance,
                           [](const std::string&) {});
  };
  const auto step = [](Simulation& simulation, int n) {
    for (int s = 0; s < n; ++s) simulation.advance(simulation.largest_dt());
  };
  Simulation small(world(), parameters);
  step(small, 4);
  write_checkpoint(world(), directory.path() + "/a.h5", small.checkpoint_state(), input_record(parameters));
  RestoredState raised = read("/a.h5");
  for (ParticleIndex p = 0; p < raised.particles.size(); ++p)
    raised.particles.id()[p] += static_cast<ParticleId>(offset);
  raise(raised, {"step", "seeded", "absorbed", "next_id"}, offset);  // so many particles have come, and gone
  Simulation large(world(), parameters, std::move(raised));
  step(small, 12);
  step(large, 12);
  write_checkpoint(world(), directory.path() + "/b.h5", large.checkpoint_state(), input_record(parameters));
  const Simulation again(world(), parameters, read("/b.h5"));
  for (const Simulation* simulation : {&std::as_const(large), &again}) {
    EXPECT_EQ(simulation->numbers().step, offset + 16);
    EXPECT_EQ(simulation->numbers().next_id, offset + small.numbers().next_id);
    EXPECT_EQ(simulation->numbers().absorbed, offset + small.numbers().absorbed);
    EXPECT_EQ(simulation->numbers().emitted, small.numbers().emitted);
    ASSERT_EQ(simulation->particles().size(), small.particles().size());
    for (ParticleIndex p = 0; p < small.particles().size(); ++p)
      ASSERT_EQ(simulation->particles().id()[p], small.particles().id()[p] + static_cast<ParticleId>(offset));
    for (std::size_t a = 0; a < small.particles().attributes().size(); ++a) {
      const Attribute& attribute = small.particles().attributes()[a];
      if (attribute.name == "id") continue;
      EXPECT_TRUE(std::ranges::equal(simulation->particles().attributes()[a].values, attribute.values))
          << attribute.name;
    }
  }
}

TEST(Sources, ids_and_places_do_not_depend_on_ranks) {
  const Parameters parameters = make_case(tank(busy, "[0, -9.81, 0]"));
  Simulation together(world(), parameters);
  const Communicator alone(MPI_COMM_SELF);
  Simulation single(alone, parameters);
  for (int s = 0; s < 12; ++s) {
    together.advance(5e-3);
    single.advance(5e-3);
  }
  std::map<ParticleId, Vec3> places;
  for_each_particle(single, [&](const Vec3& x, const Vec3&, ParticleId id) { places[id] = x; });
  EXPECT_EQ(together.report().particles, single.report().particles);
  for_each_particle(together, [&](const Vec3& x, const Vec3&, ParticleId id) {
    ASSERT_EQ((x - places.at(id)).cwiseAbs().maxCoeff(), 0.0);  // run.reproducible
  });
}

TEST(Attributes, hold_the_values_of_the_regions_that_particles_were_made_in) {
  Simulation simulation(world(), make_case(tank(busy) + test::uncorrected));
  const auto check = [](Simulation& s, double border) {
    const std::span<float> age = s.particles().attribute<float>("age");
    const std::span<float> color = s.particles().attribute<float>("color");
    std::size_t p = 0;
    for_each_particle(s, [&](const Vec3& x, const Vec3&, ParticleId) {
      if (x.x() < border) {
        EXPECT_EQ(age[3 * p], 4.0F) << x.transpose();
      }
      if (x.y() < 0.21) {  // the liquid's, which has none of its own
        EXPECT_EQ(color[3 * p], 0.2F);
      }
      if (x.y() > 0.45) {  // the source's
        EXPECT_EQ(color[3 * p], 1.0F);
      }
      ++p;
    });
  };
  check(simulation, 0.3);
  for (int s = 0; s < 6; ++s) simulation.advance(5e-3);
  check(simulation, 0.2);
}

}  // namespace
}  // namespace freshet::test
