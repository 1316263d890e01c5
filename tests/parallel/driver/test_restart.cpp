// SPDX-License-Identifier: Apache-2.0
// nightly: 1 2 4 8
#include "freshet/core/floating_point.hpp"
#include "freshet/io/checkpoint.hpp"
#include "support/alone.hpp"
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/snapshot_scene.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace freshet::test {
namespace {

/// A dam that meets a sphere, leaves by an open side, and lets go of its walls.
const std::string splash_3d = case_text({40, 24, 16}, 0.05) + R"(
[domain.boundary]
x_high = "open"
[pressure.walls]
condition = "separating"
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [0.7, 0.9, 1]
velocity = [1.5, 0, 0.2]
[[solid]]
shape = "sphere"
center = [1.2, 0.1, 0.4]
radius = 0.2
)";
const std::string dam_2d = case_text({96, 64}, 0.05) + R"(
[[liquid]]
shape = "box"
lower = [0, 0]
upper = [1.5, 2]
)";

/// A disc of trapped air below the surface.
const std::string bubble_2d = case_text({48, 40}, 0.05) + R"(
[air]
bubbles = "compressible"
pressure = 20000.0
[pressure.walls]
condition = "sticky"
[[liquid]]
shape = "difference"
parts = [{ shape = "box", lower = [0, 0], upper = [2.4, 1.4] }, { shape = "sphere", center = [1.1, 0.6], radius = 0.3 }]
)";

/// A slope, a ball that is driven through the liquid, and a tank that rolls.
const std::string stirred_3d = case_text({32, 24, 16}, 0.05) + R"(
[frame]
pivot = [0.8, 0.0, 0.4]
keyframes = [[0, 0, 0, 0, 0, 0, 0], [1, 0.1, 0, 0, 0, 0, 10], [2, 0, 0, 0, 0, 0, -10], [30, 0, 0, 0, 0, 0, 0]]
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [1.6, 0.5, 0.8]
[[solid]]
shape = "sphere"
center = [0.4, 0.4, 0.4]
radius = 0.15
velocity = [0.5, 0, 0]
[[solid]]
shape = "half_space"
point = [0.0, 0.1, 0.0]
normal = [-0.1, 1, 0.05]
)";
/// The 3-D case with APIC; and with everything that follows particles or the flow of the moment.
const std::string apic_3d = splash_3d + R"([transfer]
method = "apic"
[vortex]
boost = 2.0
)";
const std::string shares_2d = dam_2d + R"([[liquid]]
shape = "sphere"
center = [3, 2.5]
radius = 0.4
tag = 3
viscosity_coefficient = 0.4
[vortex]
boost = 0.1
method = "weights"
)";

void step(Simulation& simulation, int n) {
  for (int s = 0; s < n; ++s) simulation.advance(simulation.largest_dt());
}

class Restart : public ::testing::TestWithParam<std::string> {};

TEST_P(Restart, on_the_same_ranks_goes_on_bit_for_bit) {
  const SharedDirectory directory("restart");
  const Parameters parameters = make_case(GetParam());
  Simulation whole(world(), parameters);
  step(whole, 43);  // past a rebuild of the grid, and looks at the balance
  const CheckpointState state = whole.checkpoint_state();
  write_checkpoint(world(), directory.path() + "/a.h5", state, input_record(parameters));
  Simulation again(world(), parameters,
                   read_checkpoint(world(), directory.path() + "/a.h5", Domain(parameters.domain), parameters.balance,
                                   [](const std::string&) {}));
  EXPECT_EQ(again.numbers().step, 43);
  EXPECT_EQ(again.time(), whole.time());
  step(whole, 30);
  step(again, 30);
  EXPECT_EQ(again.time(), whole.time());
  EXPECT_TRUE(std::ranges::equal(again.layout().owned_keys(), whole.layout().owned_keys()));
  ASSERT_EQ(again.particles().size(), whole.particles().size());
  for (std::size_t a = 0; a < whole.particles().attributes().size(); ++a)
    EXPECT_TRUE(std::ranges::equal(again.particles().attributes()[a].values, whole.particles().attributes()[a].values));
  const auto cells = static_cast<std::int64_t>(whole.layout().n_owned()) * whole.layout().cells_per_block();
  EXPECT_TRUE(std::equal(whole.pressure().data(), whole.pressure().data() + cells, again.pressure().data()));
  EXPECT_EQ(again.numbers().left_domain, whole.numbers().left_domain);
  EXPECT_EQ(again.numbers().pushed_out, whole.numbers().pushed_out);
}

TEST_P(Restart, on_one_rank_goes_on_within_the_pressure_solver_s_tolerance) {
  const SharedDirectory directory("other_ranks");
  const Parameters parameters = make_case(GetParam());
  Simulation whole(world(), parameters);
  step(whole, 10);
  write_checkpoint(world(), directory.path() + "/a.h5", whole.checkpoint_state(), input_record(parameters));
  struct Place {
    std::array<double, 3> x;  // [m]
    ParticleId id;
  };
  const GlobalIndex n_particles = whole.report().particles;
  const std::vector<Place> resumed = computed_alone([&](const Communicator& alone) {
    Simulation again(alone, parameters,
                     read_checkpoint(alone, directory.path() + "/a.h5", Domain(parameters.domain), parameters.balance,
                                     [](const std::string&) {}));
    EXPECT_EQ(again.report().particles, n_particles);
    step(again, 5);
    std::vector<Place> found;
    for_each_particle(again, [&](const Vec3& x, const Vec3&, ParticleId id) {
      found.push_back({{x[0], x[1], x[2]}, id});
    });
    return found;
  });
  step(whole, 5);
  std::map<ParticleId, Vec3> places;
  for (const Place& place : resumed) places[place.id] = Vec3(place.x[0], place.x[1], place.x[2]);
  double largest = 0.0;
  for_each_particle(whole, [&](const Vec3& x, const Vec3&, ParticleId id) {
    largest = std::max(largest, (x - places.at(id)).cwiseAbs().maxCoeff());
  });
  report("largest difference [cells]", {world().max(largest) / parameters.domain.cell_size});
  // 5 steps of at most one cell, with pressures to 1e-5 that grow apart a little as the liquid splashes
  EXPECT_LT(largest, 1e-3 * parameters.domain.cell_size);
}

/// Surface tension, two viscosities, and walls that let go.
const std::string tension = R"(
[fluid]
surface_tension = 20.0
viscosity = 50.0
[labels]
surface = "level_set"
[pressure.walls]
condition = "separating"
[[liquid]]
shape = "sphere"
center = [3, 2.5]
radius = 0.4
tag = 2
viscosity = 5.0
)";

/// What changes cells at the surface, and a body that moves through it. The density is corrected in some steps only.
const std::string level_set = R"(
[density]
correction = "implicit"
every = 3
[labels]
surface = "level_set"
[pressure.walls]
condition = "separating"
[[solid]]
shape = "sphere"
center = [2, 0.8]
radius = 0.3
velocity = [-0.5, 0.5]
)";

/// Steps in pairs; the checkpoint lies within one.
const std::string in_pairs = R"(
[time]
splitting = "reflection"
[density]
correction = "implicit"
)";

/// All that moves particles or makes and removes them between steps.
const std::string particle_care = R"(
[density]
correction = "implicit"
[labels]
method = "density"
[particles.distribution]
enabled = true
[particles.reseeding]
enabled = true
cells = "liquid"
)";

/// A drop that flies, where nothing acts on it: with a larger time.cfl it needs a wider band of blocks around it.
TEST(RestartWithOtherKeys, a_larger_cfl_carries_particles_as_far_as_it_says) {
  const SharedDirectory directory("larger_cfl");
  const auto drop = [](double cfl) {
    return make_case(fmt::format(R"(
[run]
end_time = 10
[domain]
cells = [64, 24, 24]
cell_size = 0.05
[fluid]
gravity = [0, 0, 0]
[time]
cfl = {}
[[liquid]]
shape = "box"
lower = [0.05, 0.5, 0.5]
upper = [0.1, 0.6, 0.6]
velocity = [1, 0, 0]
)",
                                 cfl));
  };
  Simulation slow(world(), drop(0.1));
  for (int n = 1; n <= 24; ++n) {
    step(slow, 1);
    if (n < 16 || n % 2 != 0) continue;
    const std::string path = directory.path() + fmt::format("/{}.h5", n);
    write_checkpoint(world(), path, slow.checkpoint_state(), input_record(drop(0.1)));
    Simulation fast(
        world(), drop(5.0),
        read_checkpoint(world(), path, Domain(drop(5.0).domain), BalanceOptions(), [](const std::string&) {}));
    const double before = fast.report().sums.center_of_mass.x();
    const double dt = fast.advance(fast.largest_dt()).dt;
    EXPECT_NEAR(fast.report().sums.center_of_mass.x() - before, dt, 1e-5) << "from step " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Restart,
                         ::testing::Values(splash_3d + at_voxels, dam_2d + at_voxels, stirred_3d, apic_3d, shares_2d,
                                           dam_2d + particle_care, dam_2d + tension, dam_2d + level_set,
                                           dam_2d + in_pairs, bubble_2d));

/// Spoils the velocity of one cell, wherever it is, while `wrong(dt)` says so.
class Fault : public ForceTerm {
 public:
  Fault(double value, double only_above_dt) : value_(value), only_above_dt_(only_above_dt) {}
  void apply(const ForceInput&, double dt, FaceField<double>& velocity) const override {
    const LocalIndex block = velocity.layout().find_owned(morton_key(Vec3i::Zero()));
    if (dt > only_above_dt_ && block != velocity.layout().background()) velocity[0].block(block)[3] = value_;
  }
  double largest_acceleration(double, double) const override { return 0.0; }

 private:
  double value_;
  double only_above_dt_;
};

TEST(BlowUp, of_a_velocity_is_mended_by_a_smaller_dt) {
  const WithoutTraps suspended;
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), 1e6}) {
    // walls that let go begin with the faces that the refused trial found: their bits depend on it
    const std::string plain = dam_2d + test::uncorrected + test::sticky_walls;
    Simulation simulation(world(), make_case(plain));
    Simulation calm(world(), make_case(plain));
    const double dt = simulation.largest_dt();
    simulation.add_force(std::make_unique<Fault>(value, 0.3 * dt));
    const StepReport report = simulation.advance(dt);
    if (std::isnan(value)) {
      EXPECT_EQ(report.retries, 2);
      EXPECT_EQ(report.dt, 0.25 * dt) << "nothing to predict dt from";
    } else {
      EXPECT_EQ(report.retries, 1);
      EXPECT_LT(report.dt, 0.01 * dt) << "predicted from the speed";
    }
    EXPECT_EQ(simulation.numbers().retried_steps, 1);
    EXPECT_EQ(report.particles, simulation.seeding().seeded);
    calm.advance(report.dt);  // the step that was begun again is the step of that dt
    const auto n = 3 * calm.particles().size();
    ASSERT_EQ(simulation.particles().size(), calm.particles().size());
    EXPECT_TRUE(
        std::equal(calm.particles().position(), calm.particles().position() + n, simulation.particles().position()));
  }
}

/// A step that is begun again takes its bubbles from the step before, not from the trial that was refused: they are
/// those of a step of that dt to the pressure's tolerance, as the solve begins with the pressure of the refused trial.
TEST(BlowUp, is_mended_with_the_bubbles_of_the_step_before) {
  const std::string text = bubble_2d + test::uncorrected;
  Simulation simulation(world(), make_case(text));
  Simulation calm(world(), make_case(text));
  for (int n = 0; n < 3; ++n) {
    const double dt = simulation.largest_dt();
    simulation.advance(dt);
    calm.advance(dt);
  }
  const double dt = simulation.largest_dt();
  simulation.add_force(std::make_unique<Fault>(1e6, 0.3 * dt));
  const StepReport report = simulation.advance(dt);
  EXPECT_EQ(report.retries, 1);
  calm.advance(report.dt);
  ASSERT_EQ(simulation.air().bubbles().size(), 1U);
  ASSERT_EQ(calm.air().bubbles().size(), 1U);
  const TrappedBubble &here = simulation.air().bubbles()[0], &there = calm.air().bubbles()[0];
  EXPECT_EQ(here.id, there.id);
  EXPECT_NEAR(here.volume / there.volume, 1.0, 1e-6);
  EXPECT_NEAR(here.outflow / there.outflow, 1.0, 1e-5);
  EXPECT_NEAR(here.pressure / there.pressure, 1.0, 1e-5);
  EXPECT_GT(std::abs(here.outflow), 0.0);
}

std::string run_error(Simulation& simulation, double dt) {
  try {
    simulation.advance(dt);
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

TEST(BlowUp, that_no_dt_mends_names_phase_face_and_rank) {
  Simulation simulation(world(), make_case(dam_2d));
  simulation.add_force(std::make_unique<Fault>(1e9, 0.0));
  const std::string error = run_error(simulation, simulation.largest_dt());
  EXPECT_EQ(simulation.report().retries, 1) << "the next dt would be below time.min_dt";
  for (const char* part : {"step 1, phase pressure", "Tried 2 times", "Fastest face", "of cell (", "rank "})
    EXPECT_NE(error.find(part), std::string::npos) << error;
}

TEST(BlowUp, of_a_particle_that_is_no_number_is_not_tried_again_and_names_it) {
  const WithoutTraps suspended;
  Simulation simulation(world(), make_case(dam_2d));
  ParticleId id = 0;
  if (world().rank() + 1 == world().size()) {
    id = simulation.particles().id()[7];
    simulation.particles().velocity()[3 * 7 + 1] = std::numeric_limits<ParticleReal>::quiet_NaN();
  }
  id = static_cast<ParticleId>(world().max(static_cast<GlobalIndex>(id)));
  const std::string error = run_error(simulation, simulation.largest_dt());
  EXPECT_EQ(simulation.report().retries, 0);
  const std::string who = "id " + std::to_string(id) + " with velocity";
  EXPECT_NE(error.find(who), std::string::npos) << error;
  EXPECT_NE(error.find("rank " + std::to_string(world().size() - 1)), std::string::npos) << error;
}

}  // namespace
}  // namespace freshet::test
