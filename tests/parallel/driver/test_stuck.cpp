// SPDX-License-Identifier: Apache-2.0
// Bodies and walls that close in on particles.
// timeout: 600
// nightly: 2 3 4 8
#include "support/body_distance.hpp"
#include "support/case_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::position_rounding;
using test::report;
using test::reproducible;
using test::smallest_distance;
using test::world;

/// A block that is rammed into the floor of a pool, and stays there: liquid below it has no way out along the surface's
/// normal.
const std::string ram = case_text({40, 40}, 0.025, reproducible) + R"(
[time]
max_dt = 0.02
cfl = 5.0
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [1.0, 0.3]
[[solid]]
shape = "box"
lower = [0.31, 0.41]
upper = [0.71, 0.95]
keyframes = [[0, 0, 0, 0], [0.02, 0, -0.45, 0], [1, 0, -0.45, 0]]
interpolation = "linear"
)";

/// Two plates that close like a book on the liquid between them, with a ball of it in no contact.
const std::string book = case_text({24, 24, 16}, 0.05, reproducible) + R"(
[fluid]
gravity = [0.0, 0.0, 0.0]
[time]
max_dt = 0.02
cfl = 3.0
[[liquid]]
shape = "box"
lower = [0.4, 0.3, 0.2]
upper = [0.8, 0.6, 0.6]
[[liquid]]
shape = "box"
lower = [0.4, 0.9, 0.2]
upper = [0.8, 1.15, 0.6]
[[solid]]
shape = "box"
lower = [0.1, 0.05, 0.0]
upper = [0.3, 0.8, 0.8]
pivot = [0.3, 0.05, 0.4]
keyframes = [[0, 0, 0, 0, 0, 0, 0], [0.2, 0.3, 0, 0, 0, 0, -30], [1, 0.3, 0, 0, 0, 0, -30]]
[[solid]]
shape = "box"
lower = [0.9, 0.05, 0.0]
upper = [1.1, 0.8, 0.8]
pivot = [0.9, 0.05, 0.4]
keyframes = [[0, 0, 0, 0, 0, 0, 0], [0.2, -0.3, 0, 0, 0, 0, 30], [1, -0.3, 0, 0, 0, 0, 30]]
)";

using Places = std::map<ParticleId, std::array<double, 6>>;

struct Outcome {
  Places places;
  GlobalIndex repositioned = 0;
  GlobalIndex particles = 0;
  double smallest = 1.0;  ///< distance to a body after any step [m]
  GlobalIndex left = 0;   ///< sum of StepReport::stuck
};

Outcome outcome(const Communicator& comm, const std::string& text, int n_steps, const char* more = "") {
  Simulation simulation(comm, make_case(text + more));
  Outcome result;
  const GlobalIndex n = simulation.report().particles;
  for (int step = 0; step < n_steps; ++step) {
    simulation.advance(simulation.largest_dt());
    result.smallest = std::min(result.smallest, smallest_distance(simulation));
    result.left += simulation.report().stuck;
  }
  EXPECT_EQ(simulation.report().particles, n);
  result.repositioned = simulation.numbers().repositioned;
  result.particles = simulation.report().particles;
  test::for_each_particle(simulation, [&](const Vec3& x, const Vec3& u, ParticleId id) {
    result.places[id] = {x[0], x[1], x[2], u[0], u[1], u[2]};
  });
  return result;
}

void expect_the_same(const Outcome& together, const Outcome& single) {
  EXPECT_EQ(together.repositioned, single.repositioned);
  EXPECT_EQ(together.particles, single.particles);
  for (const auto& [id, place] : together.places) EXPECT_EQ(place, single.places.at(id)) << id;
}

TEST(Stuck, particles_under_a_ram_come_back_into_the_liquid) {
  const Outcome together = outcome(world(), ram, 30);
  report("ram: particles put into the liquid, smallest distance [m]",
         {static_cast<double>(together.repositioned), together.smallest});
  EXPECT_GT(together.repositioned, 0);
  EXPECT_EQ(together.left, 0);
  EXPECT_GT(together.smallest, -position_rounding);
  expect_the_same(together, outcome(Communicator(MPI_COMM_SELF), ram, 30));
}

TEST(Stuck, particles_between_two_plates_come_back_into_the_liquid) {
  for (const char* transfer : {"", "[transfer]\nmethod = \"apic\"\n"}) {
    const Outcome together = outcome(world(), book, 20, transfer);
    report("book: particles put into the liquid, smallest distance [m]",
           {static_cast<double>(together.repositioned), together.smallest});
    EXPECT_GT(together.repositioned, 0);
    EXPECT_EQ(together.left, 0);
    EXPECT_GT(together.smallest, -position_rounding);
    expect_the_same(together, outcome(Communicator(MPI_COMM_SELF), book, 20, transfer));
  }
}

/// All of the liquid lies under the ram.
TEST(Stuck, particles_stay_where_no_liquid_is_left_outside_bodies) {
  const std::string puddle = case_text({16, 32}, 0.05) + R"(
[time]
max_dt = 0.02
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [0.8, 0.2]
[[solid]]
shape = "box"
lower = [-0.2, 0.3]
upper = [1.0, 1.2]
keyframes = [[0, 0, 0, 0], [0.1, 0, -0.45, 0], [1, 0, -0.45, 0]]
)";
  Simulation simulation(world(), make_case(puddle));
  const GlobalIndex n = simulation.report().particles;
  while (simulation.time() < 0.12) simulation.advance(simulation.largest_dt());
  EXPECT_EQ(simulation.report().particles, n);
  EXPECT_EQ(simulation.report().stuck, n);
  EXPECT_EQ(simulation.report().repositioned, 0);
}

}  // namespace
}  // namespace freshet
