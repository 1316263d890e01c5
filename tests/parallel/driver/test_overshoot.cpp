// SPDX-License-Identifier: Apache-2.0
// nightly: 2 4 8
// Steps whose projected velocity exceeds by far what dt was chosen for.
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::at_voxels;
using test::case_text;
using test::for_each_particle;
using test::make_case;
using test::uncorrected;
using test::world;

/// A tank that is full above a plate with a slit of 4 cells; the liquid begins at 1 m/s downwards.
std::string slit(const std::string& more, const std::string& method = "distance") {
  return case_text({64, 192}, 0.01) + at_voxels + uncorrected + test::sticky_walls + R"(
[time]
cfl = 2
)" + more +
         R"(
[[liquid]]
shape = "box"
lower = [0, 1.0]
upper = [0.64, 1.9]
velocity = [0, -1]
[extrapolation]
method = ")" +
         method + R"("
[[solid]]
shape = "box"
lower = [-1, 0.96]
upper = [0.30, 1.0]
surface = "voxels"
[[solid]]
shape = "box"
lower = [0.34, 0.96]
upper = [2, 1.0]
surface = "voxels"
)";
}

/// Farthest that a particle moves along an axis in the first step, and how far its new velocity says that it moves,
/// both for the particle with the fastest new velocity. [cells]
struct Farthest {
  double moved = 0.0;
  double said = 0.0;
};

Farthest first_step(Simulation& simulation) {
  std::vector<double> before(static_cast<std::size_t>(simulation.seeding().seeded), 0.0);
  for_each_particle(simulation, [&](const Vec3& x, const Vec3&, ParticleId id) { before[id] = x.y(); });
  world().sum_in_place(before);
  const StepReport report = simulation.advance(simulation.largest_dt());
  std::vector<double> moved(before.size(), 0.0);
  std::vector<double> said(before.size(), 0.0);
  for_each_particle(simulation, [&](const Vec3& x, const Vec3& u, ParticleId id) {
    moved[id] = (before[id] - x.y()) / simulation.domain().dx();
    said[id] = -u.y() * report.dt / simulation.domain().dx();
  });
  world().sum_in_place(moved);
  world().sum_in_place(said);
  const auto fastest = static_cast<std::size_t>(std::max_element(said.begin(), said.end()) - said.begin());
  return {moved[fastest], said[fastest]};
}

TEST(Overshoot, a_jet_that_the_projection_makes_shortens_the_step_that_it_begins_in) {
  Simulation simulation(world(), make_case(slit("")));
  const Farthest jet = first_step(simulation);
  const StepReport& report = simulation.report();
  test::report("slit: retries, CFL number, cells moved, cells by velocity",
               {static_cast<double>(report.retries), report.cfl, jet.moved, jet.said});
  EXPECT_GE(report.retries, 1);
  EXPECT_LE(report.cfl, tolerated_overshoot * 2.0);
  EXPECT_GT(report.cfl, 1.0) << "dt was cut by more than it had to be";
  EXPECT_EQ(simulation.numbers().retried_steps, 1);
  // 1.0004; 0.91 where the step is taken too long for the band of air, beyond which the velocity is 0
  EXPECT_NEAR(jet.moved / jet.said, 1.0, 0.01);
  for (int n = 0; n < 10; ++n) EXPECT_LE(simulation.advance(simulation.largest_dt()).cfl, tolerated_overshoot * 2.0);
}

TEST(Overshoot, rounding_begins_no_step_again_with_the_density_correction) {
  Simulation simulation(world(), make_case(case_text({24, 32}, 0.05) + R"(
[density]
correction = "implicit"
[[liquid]]
shape = "sphere"
center = [0.6, 1.2]
radius = 0.2
)"));
  for (int n = 0; n < 15; ++n) simulation.advance(simulation.largest_dt());
  EXPECT_EQ(simulation.numbers().retried_steps, 0) << "a drop that falls freely moves as far as was wanted";
}

TEST(Overshoot, without_retries_the_step_is_taken_as_long_as_before) {
  Simulation simulation(world(), make_case(slit("max_retries = 0\n")));
  const StepReport report = simulation.advance(simulation.largest_dt());
  EXPECT_EQ(report.retries, 0);
  EXPECT_GT(report.cfl, tolerated_overshoot * 2.0);
  EXPECT_TRUE(report.overlong);
  EXPECT_EQ(simulation.numbers().overlong_steps, 1);
}

TEST(Overshoot, a_jet_moves_as_its_velocity_says_with_extrapolation_by_layers_too) {
  Simulation simulation(world(), make_case(slit("", "layers")));
  const Farthest jet = first_step(simulation);
  EXPECT_LE(simulation.report().cfl, tolerated_overshoot * 2.0);
  EXPECT_FALSE(simulation.report().overlong);
  // 0.69 where the step is taken too long. The rest is the method's: a face in the air gets the mean of known ones,
  // among them slow ones beside the plate (by distance: 1.0004)
  EXPECT_GT(jet.moved / jet.said, 0.8);
}

TEST(Overshoot, a_block_that_is_thrown_onto_the_floor_keeps_to_the_steps_that_were_wanted) {
  // At the impact the block's momentum goes into thin jets along the floor.
  const std::string block = case_text({128, 64}, 0.01) + R"(
[[liquid]]
shape = "box"
lower = [0.24, 0]
upper = [1.04, 0.1]
velocity = [0, -4]
[time]
cfl = 5
)";
  Simulation simulation(world(), make_case(block));
  double largest = 0.0;
  for (int n = 0; n < 12; ++n) largest = std::max(largest, simulation.advance(simulation.largest_dt()).cfl);
  Simulation unchecked(world(), make_case(block + "max_retries = 0\n"));
  const double overshot = unchecked.advance(unchecked.largest_dt()).cfl;
  test::report("block: largest CFL number, and without retries", {largest, overshot});
  EXPECT_LE(largest, tolerated_overshoot * 5.0);
  EXPECT_EQ(simulation.numbers().overlong_steps, 0);
  EXPECT_GT(overshot, 5.0) << "an impact changes the velocity at once, however short the step";
}

TEST(Overshoot, a_dam_that_breaks_moves_one_cell_in_its_first_step_as_was_wanted) {
  // At its foot the pressure accelerates the liquid more than gravity, by which dt would be 2.3 cells long.
  const std::string dam = case_text({40, 32, 20}, 0.025) + R"(
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [0.25, 0.5, 0.5]
[time]
)";
  for (const char* keys : {"splitting = \"strang\"\n", "splitting = \"reflection\"\n", "max_retries = 0\n", ""}) {
    Simulation simulation(world(), make_case(dam + keys));
    const StepReport report = simulation.advance(simulation.largest_dt());
    EXPECT_EQ(report.retries, 0) << keys;
    EXPECT_NEAR(report.cfl, 1.0, 1e-3) << "the speed grows evenly with dt, so that the prediction is exact";
    if (std::string(keys).starts_with("max")) continue;
    const int n_more = *keys == '\0' ? 20 : 3;
    for (int n = 0; n < n_more; ++n) {
      const StepReport next = simulation.advance(simulation.largest_dt());
      EXPECT_EQ(next.retries, 0) << keys << "step " << next.step;
      EXPECT_LE(next.cfl, tolerated_overshoot) << keys;
    }
  }
}

/// A small dam that breaks, in 2-D. \param[in] time  more of [time]  \param[in] more  other tables
std::string small_dam(const std::string& time, const std::string& more) {
  return case_text({32, 26}, 0.03125) + "[time]\n" + time + R"(
[[liquid]]
shape = "box"
lower = [0, 0]
upper = [0.25, 0.5]
)" + more;
}

TEST(Overshoot, no_dam_of_any_kind_begins_with_a_step_that_is_begun_again) {
  const std::string block = "[[solid]]\nshape = \"box\"\nlower = [0.5, -1]\nupper = [0.6, 0.11]\n";
  const struct {
    std::string time, more;
    bool is_even = true;  ///< whether its speed grows evenly, so that the first step is as long as was wanted
  } dams[] = {
      {"", ""},
      {"cfl = 0.5\n", ""},
      {"cfl = 3\n", ""},
      {"splitting = \"strang\"\n", ""},
      {"splitting = \"reflection\"\n", ""},
      {"", at_voxels},
      {"", "[labels]\nmethod = \"density\"\nsurface = \"voxels\"\n"},
      {"", "[transfer]\nmethod = \"apic\"\n"},
      {"", "[density]\ncorrection = \"implicit\"\n[pressure.walls]\ncondition = \"separating\"\n"},
      {"", "[pressure.walls]\ncondition = \"separating\"\nmethod = \"complementarity\"\n"},
      {"", "[domain.boundary]\ny_high = \"open\"\n[fluid]\ngravity = [0, -98.1]\n"},
      {"", "[fluid]\ngravity = [-3, -9.81]\n"},
      {"", "[fluid]\ngravity = [2, 9.81]\n"},
      {"", "[fluid]\nviscosity = 0.5\n"},
      {"", block},
      {"", block + "surface = \"voxels\"\n"},
      {"", "[[solid]]\nshape = \"box\"\nlower = [0.25, -1]\nupper = [0.3, 2]\nvelocity = [0, 1]\n", false},
      {"", "[[source]]\nshape = \"box\"\nlower = [0.6, 0.5]\nupper = [0.7, 0.6]\nvelocity = [0, -1]\n", false},
      {"", "[[source]]\nmode = \"fill\"\nshape = \"box\"\nlower = [0, 0]\nupper = [0.2, 0.6]\n", false},
  };
  for (const auto& dam : dams) {
    SCOPED_TRACE(dam.time + dam.more);
    Simulation simulation(world(), make_case(small_dam(dam.time, dam.more)));
    const double wanted = simulation.parameters().time.cfl;
    const StepReport report = simulation.advance(simulation.largest_dt());
    EXPECT_EQ(report.retries, 0);
    EXPECT_LE(report.cfl, tolerated_overshoot * wanted);
    if (!dam.is_even) continue;
    EXPECT_GT(report.cfl, 0.6 * wanted);
    EXPECT_LT(report.cfl, 1.05 * wanted);
  }
}

}  // namespace
}  // namespace freshet
