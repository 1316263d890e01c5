// SPDX-License-Identifier: Apache-2.0
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace freshet {
namespace {

using test::case_text;
using test::for_each_particle;
using test::make_case;
using test::run_until;
using test::world;

std::string with(std::string text, const std::string& more) {
  return text + more;
}

const std::string drop = case_text({16, 28, 20}, 0.05) + R"(
[domain.boundary]
y_low = "open"
y_high = "open"
[[liquid]]
shape = "sphere"
center = [0.4, 0.6, 0.5]
radius = 0.2
)";

/// All particles lie inside the domain's box. Collective.
void expect_inside(const Simulation& simulation) {
  const Domain& domain = simulation.domain();
  const Vec3 upper = domain.origin() + domain.dx() * domain.cells().cast<double>();
  GlobalIndex outside = 0;
  for_each_particle(simulation, [&](const Vec3& x, const Vec3&, ParticleId) {
    const bool inside = (x.array() >= domain.origin().array()).all() && (x.array() <= upper.array()).all();
    outside += inside ? 0 : 1;
  });
  EXPECT_EQ(world().sum(outside), 0);
}

TEST(Simulation, liquid_that_falls_out_of_an_open_floor_is_counted_until_none_is_left) {
  Simulation simulation(world(), make_case(drop));
  const GlobalIndex seeded = simulation.seeding().seeded;
  GlobalIndex left = 0;
  while (simulation.report().particles > 0 && simulation.step() < 400)
    left += simulation.advance(simulation.largest_dt()).left_domain;
  EXPECT_EQ(simulation.report().particles, 0);
  EXPECT_EQ(left, seeded);
  // an empty domain goes on: no blocks, no unknowns, no hang
  const StepReport report = simulation.advance(0.01);
  EXPECT_EQ(report.particles, 0);
  EXPECT_EQ(report.liquid_cells, 0);
  EXPECT_EQ(report.projection.solve.iterations, 0);
}

TEST(Simulation, liquid_thrown_through_an_open_ceiling_leaves_by_it) {
  Simulation simulation(world(), make_case(with(drop, "velocity = [0, 8, 0]\n")));
  const GlobalIndex seeded = simulation.seeding().seeded;
  GlobalIndex left = 0;
  for (int n = 0; n < 60 && simulation.report().particles > 0; ++n)
    left += simulation.advance(simulation.largest_dt()).left_domain;
  EXPECT_EQ(left, seeded);
}

/// The surface of the particles is fitted to that of the liquids, which an open side is not.
TEST(Simulation, liquid_that_ends_at_an_open_side_is_whole_at_the_start) {
  for (const std::string correction : {"off", "implicit"}) {
    const Parameters parameters = make_case(case_text({32, 16}, 0.01) + R"(
[domain.boundary]
x_high = "open"
[density]
correction = ")" + correction + R"("
[[liquid]]
shape = "box"
lower = [0, 0]
upper = [0.32, 0.05]
)");
    Simulation simulation(world(), parameters);
    const RunNumbers numbers = simulation.numbers();
    EXPECT_EQ(simulation.report().particles, numbers.seeded);
    EXPECT_EQ(numbers.seeded + numbers.dropped_outside, 640);
    if (correction == "off") {
      EXPECT_EQ(numbers.seeded, 640);
    }
    GlobalIndex left = 0;
    for (int n = 0; n < 10; ++n) left += simulation.advance(simulation.largest_dt()).left_domain;
    EXPECT_EQ(simulation.report().particles + left, numbers.seeded);
  }
}

class LargeSteps : public ::testing::TestWithParam<double> {};

TEST_P(LargeSteps, keep_every_particle_inside_the_tank) {
  const Parameters parameters = make_case(case_text({37, 21, 11}, 0.02) + R"(
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [0.24, 0.3, 1]
[[solid]]
shape = "sphere"
center = [0.5, 0.05, 0.1]
radius = 0.07
[time]
cfl = )" + std::to_string(GetParam()));
  Simulation simulation(world(), parameters);
  const GlobalIndex seeded = simulation.seeding().seeded;
  double largest_cfl = 0.0;
  while (simulation.time() < 0.5) largest_cfl = std::max(largest_cfl, simulation.advance(simulation.largest_dt()).cfl);
  EXPECT_EQ(simulation.report().particles, seeded);
  test::report("largest displacement [cells]", {largest_cfl});
  EXPECT_GT(largest_cfl, 0.5 * GetParam());  // dt allows for more acceleration than walls and pressure leave
  expect_inside(simulation);
  const Vec3 center(0.5, 0.05, 0.1);
  GlobalIndex in_solid = 0;
  for_each_particle(simulation,
                    [&](const Vec3& x, const Vec3&, ParticleId) { in_solid += (x - center).norm() < 0.0695 ? 1 : 0; });
  EXPECT_EQ(world().sum(in_solid), 0);
}

INSTANTIATE_TEST_SUITE_P(Cfl, LargeSteps, ::testing::Values(0.5, 1.0, 3.0, 5.0));

TEST(Simulation, motion_beyond_the_halo_is_substepped_and_exact_in_uniform_flow) {
  const Parameters parameters = make_case(case_text({32, 16, 8}, 0.1) + test::uncorrected + R"(
[domain.boundary]
x_low = "periodic"
x_high = "periodic"
y_low = "periodic"
y_high = "periodic"
z_low = "periodic"
z_high = "periodic"
[fluid]
gravity = [0, 0, 0]
[time]
max_retries = 0
[[liquid]]
shape = "box"
lower = [-1, -1, -1]
upper = [10, 10, 10]
velocity = [3.0, -2.0, 0.5]
)");
  Simulation simulation(world(), parameters);
  const Vec3 way = 0.5 * Vec3(3.0, -2.0, 0.5);  // 15, -10 and 2.5 cells
  std::vector<double> before(3 * static_cast<std::size_t>(simulation.seeding().seeded), 0.0);
  const auto collect = [&](std::vector<double>& x) {
    std::fill(x.begin(), x.end(), 0.0);
    for_each_particle(simulation, [&](const Vec3& place, const Vec3&, ParticleId id) {
      for (std::size_t d = 0; d < 3; ++d) x[3 * id + d] = place[static_cast<int>(d)];
    });
    world().sum_in_place(x);
  };
  collect(before);
  const StepReport report = simulation.advance(0.5);
  EXPECT_GE(report.move_substeps, 3);
  EXPECT_EQ(report.particles, 32 * 16 * 8 * 8);
  EXPECT_EQ(report.projection.solve.sealed_bodies, 1);
  std::vector<double> after(before.size());
  collect(after);
  const Vec3 box(3.2, 1.6, 0.8);
  double largest = 0.0;
  for (std::size_t n = 0; n < before.size(); ++n) {
    const auto d = static_cast<int>(n % 3);
    const double moved = after[n] - before[n] - way[d];
    largest = std::max(largest, std::abs(moved - box[d] * std::round(moved / box[d])));
  }
  // floats of up to 8 cells rounded in each of 3 sub-steps, and velocities of 3 m/s rounded to floats
  EXPECT_LT(largest, 20 * 8 * 0.1 * 6e-8);
}

TEST(Simulation, sub_steps_called_one_by_one_are_the_step) {
  const Parameters parameters = make_case(with(drop, "velocity = [0.3, 0, 0]\n"));
  Simulation whole(world(), parameters);
  Simulation parts(world(), parameters);
  const double dt = whole.largest_dt();
  whole.advance(dt);
  parts.deposit_velocity();
  parts.label();
  parts.apply_forces(dt);
  parts.project(dt);
  const double cfl = parts.extrapolate(dt);
  parts.blend(dt, cfl);
  parts.correct_positions(dt);
  parts.move(dt, cfl);
  ASSERT_EQ(whole.particles().size(), parts.particles().size());
  const auto n = 3 * whole.particles().size();
  EXPECT_TRUE(std::equal(whole.particles().position(), whole.particles().position() + n, parts.particles().position()));
  EXPECT_TRUE(std::equal(whole.particles().velocity(), whole.particles().velocity() + n, parts.particles().velocity()));
}

TEST(Simulation, attributes_and_tags_stay_with_their_particles) {
  Simulation simulation(world(), make_case(case_text({32, 16, 8}, 0.02) + R"(
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [0.16, 0.2, 1]
tag = 7
)"));
  ParticleStore& particles = simulation.particles();
  const double zero[2] = {0.0, 0.0};
  particles.add_attribute("dye", AttributeType::float64, 2, zero);
  const auto dye = particles.attribute<double>("dye");
  for (ParticleIndex p = 0; p < particles.size(); ++p) {
    dye[2 * static_cast<std::size_t>(p)] = static_cast<double>(particles.id()[p]);
    dye[2 * static_cast<std::size_t>(p) + 1] = -0.5 * static_cast<double>(particles.id()[p]);
  }
  run_until(simulation, 0.3);
  const auto after = particles.attribute<double>("dye");
  for (ParticleIndex p = 0; p < particles.size(); ++p) {
    ASSERT_EQ(after[2 * static_cast<std::size_t>(p)], static_cast<double>(particles.id()[p]));
    ASSERT_EQ(after[2 * static_cast<std::size_t>(p) + 1], -0.5 * static_cast<double>(particles.id()[p]));
    ASSERT_EQ(particles.tag()[p], 7);
  }
}

/// Largest imbalance of the second half of a dam break that runs through the tank.
double imbalance_of_dam(const std::string& balance) {
  Simulation simulation(world(), make_case(with(case_text({96, 24, 48}, 0.02) + R"(
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [0.4, 0.4, 1]
[balance]
)",
                                                balance)));
  double largest = 1.0;
  while (simulation.time() < 0.5) {
    const StepReport report = simulation.advance(simulation.largest_dt());
    if (simulation.time() > 0.25) largest = std::max(largest, report.imbalance);
  }
  return largest;
}

TEST(Simulation, rebalancing_keeps_ranks_evenly_loaded_while_the_liquid_moves) {
  if (world().size() == 1) {
    EXPECT_EQ(imbalance_of_dam("enabled = true\n"), 1.0);
    return;
  }
  const double balanced = imbalance_of_dam("enabled = true\n");
  const double fixed = imbalance_of_dam("enabled = false\n");
  EXPECT_LT(balanced, 0.5 * (1.0 + fixed));
  // blocks are whole: with some 10 blocks a rank, half a one too many is a twentieth
  EXPECT_LT(balanced, 1.15);
}

TEST(Simulation, a_case_without_any_particle_is_an_input_error_on_every_rank) {
  const Parameters parameters = make_case(with(drop,
                                               "velocity = [0, 0, 0]\n[[solid]]\nshape = \"box\"\n"
                                               "lower = [-1, -1, -1]\nupper = [9, 9, 9]\n"));
  EXPECT_THROW(Simulation(world(), parameters), InputError);
}

TEST(Simulation, a_solver_that_may_not_iterate_fails_on_every_rank) {
  Simulation simulation(world(), make_case(case_text({16, 16, 16}, 0.05) + R"(
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [1, 0.4, 1]
[pressure]
max_iterations = 1
tolerance = 1e-12
)"));
  EXPECT_THROW(simulation.advance(0.01), RunError);
}

}  // namespace
}  // namespace freshet
