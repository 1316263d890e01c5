// SPDX-License-Identifier: Apache-2.0
// Liquid without any air, in boxes whose walls would let it go.
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::world;

/// Two halves of a full box that slide past each other and so turn into one vortex, which sucks at the walls.
std::string vortex(const char* surface, const char* correction) {
  return case_text({32, 32}, 0.03125) + fmt::format(R"(
[fluid]
gravity = [0.0, 0.0]
[labels]
surface = "{}"
[density]
correction = "{}"
[pressure.walls]
condition = "separating"
max_outer = 40
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [1.0, 0.5]
velocity = [1.0, 0.0]
[[liquid]]
shape = "box"
lower = [0.0, 0.5]
upper = [1.0, 1.0]
velocity = [-1.0, 0.0]
)",
                                                    surface, correction);
}

TEST(FullBox, holds_a_vortex_whose_suction_no_wall_can_follow) {
  for (const char* surface : {"voxels", "level_set"})
    for (const char* correction : {"off", "implicit"}) {
      Simulation simulation(world(), make_case(vortex(surface, correction)));
      int most_solves = 0, n_sealed = 0;
      for (int step = 0; step < 24; ++step) {
        simulation.advance(simulation.largest_dt());
        const ProjectionReport& projection = simulation.report().projection;
        most_solves = std::max(most_solves, projection.outer_iterations);
        n_sealed += projection.solve.sealed_bodies > 0 ? 1 : 0;
      }
      test::report("sealed steps, most solves of a step",
                   {static_cast<double>(n_sealed), static_cast<double>(most_solves)});
      EXPECT_GT(n_sealed, 0);
      EXPECT_LE(most_solves, 20);
      EXPECT_EQ(simulation.report().particles, 4096);
    }
}

TEST(FullBox, opens_at_a_wall_where_a_piston_makes_room) {
  const std::string text = case_text({32, 16}, 0.0625) + R"(
[fluid]
gravity = [0.0, -9.81]
[pressure]
tolerance = 1e-8
[pressure.walls]
condition = "separating"
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [2.0, 1.0]
[[solid]]
shape = "box"
lower = [-1.0, -1.0]
upper = [0.5, 2.0]
velocity = [-0.5, 0.0]
surface = "voxels"
)";
  Simulation simulation(world(), make_case(text));
  test::find_velocity(simulation, 0.01);
  const ProjectionReport& projection = simulation.report().projection;
  EXPECT_EQ(projection.solve.sealed_bodies, 0) << "some wall lets the liquid go";
  EXPECT_GT(projection.separated_faces, 0);
  // what leaves walls is the room that the piston makes: nothing is left of its 0.5 m/s
  EXPECT_LT(projection.enforced_divergence, 1e-5);
}

}  // namespace
}  // namespace freshet
