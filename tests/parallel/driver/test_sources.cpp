// SPDX-License-Identifier: Apache-2.0
// timeout: 600
#include "freshet/io/checkpoint.hpp"
#include "support/body_distance.hpp"
#include "support/case.hpp"
#include "support/snapshot_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace freshet::test {
namespace {

constexpr double dx = 0.05;

/// A closed box of 32 x 24 x 16 cells.
std::string tank(const std::string& more, const std::string& gravity = "[0, 0, 0]") {
  return "[run]\nend_time = 10\nreproducible = true\n[domain]\ncells = [32, 24, 16]\ncell_size = "
         "0.05\n[fluid]\ngravity "
         "= " +
         gravity + "\n" + more;
}

const std::string jet = R"(
[[source]]
shape = "box"
lower = [%LOW%, 0.5, 0.3]
upper = [0.3, 0.7, 0.5]
velocity = [2, 0, 0]
tag = 3
)";

std::string jet_from(const std::string& x) {
  std::string text = jet;
  return text.replace(text.find("%LOW%"), 5, x);
}

double particle_volume(const Simulation& simulation) {
  return std::pow(dx, 3) / std::pow(simulation.parameters().particles.per_axis, 3);
}

TEST(Sources, an_inflow_brings_its_volume_whatever_the_steps_and_ranks) {
  const double rate = 0.02;  // [m^3/s]
  const Parameters parameters = make_case(tank(R"(
[[source]]
shape = "cylinder"
start = [0.2, 0.6, 0.4]
end = [0.3, 0.6, 0.4]
radius = 0.15
rate = 0.02
direction = [1, 0, 0]
jitter = 0.5
)"));
  Simulation simulation(world(), parameters);
  EXPECT_EQ(simulation.report().particles, 0) << "a run may start without liquid";
  const double time = 0.31;
  run_until(simulation, time);
  const auto expected = static_cast<GlobalIndex>(rate * time / particle_volume(simulation));
  EXPECT_NEAR(static_cast<double>(simulation.report().particles), static_cast<double>(expected), 1.0);  // rounding of t
  EXPECT_EQ(simulation.numbers().emitted, simulation.report().particles);
  EXPECT_EQ(simulation.numbers().next_id, simulation.report().particles);
}

TEST(Sources, a_jet_without_gravity_keeps_its_velocity_and_density) {
  for (const char* low : {"0.2", "0.0"}) {  // in the air, and out of a wall
    Simulation simulation(world(), make_case(tank(jet_from(low))));
    run_until(simulation, 0.25);
    ASSERT_GT(simulation.report().particles, 1000);
    double slowest = 1e9;
    double fastest = 0.0;
    double aside = 0.0;
    std::map<std::array<int, 3>, int> n_in_cell;
    for_each_particle(simulation, [&](const Vec3& x, const Vec3& u, ParticleId) {
      slowest = std::min(slowest, u.x());
      fastest = std::max(fastest, u.x());
      aside = std::max(aside, std::max(std::abs(u.y()), std::abs(u.z())));
      const Vec3i cell = (x / dx).array().floor().cast<int>();
      ++n_in_cell[{cell.x(), cell.y(), cell.z()}];
    });
    double cells = 0.0;
    double particles = 0.0;
    for (const auto& [cell, n] : n_in_cell) {
      if (cell[0] < 7 || cell[0] > 10) continue;  // away from the ends, all of whose cells are full
      cells += 1.0;
      particles += n;
    }
    // The faces of a wall share the inflow as rays hit them: alike within 0.5 %.
    EXPECT_GT(world().min(slowest), 2.0 - 1e-2) << low;
    EXPECT_LT(world().max(fastest), 2.0 + 1e-2) << low;
    EXPECT_LT(world().max(aside), 1e-2) << low;
    const double density = world().sum(particles) / world().sum(cells);
    report("particles a cell, cells", {density, world().sum(cells)});
    EXPECT_GT(density, 7.0) << low;
    EXPECT_LT(density, 9.0) << low;
  }
}

/// Mean of what is below a pool, and of its square. [m], [m^2]
struct Bottom {
  double mean = 0.0;
  double squares = 0.0;
};

/// Height of a pool [m] from its centre of mass c, when it is at rest: c = <H^2 - b^2> / 2 <H - b>, b the bottom.
double height(const Simulation& simulation, const Bottom& bottom = {}) {
  const double c = simulation.report().sums.center_of_mass[1];
  return c + std::sqrt(c * c - 2.0 * c * bottom.mean + bottom.squares);
}

/// Raises a pool by a source below its surface. \return rise [m]
double rise_by(const std::string& source, const Bottom& bottom = {}) {
  const std::string text = tank(R"(
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [1.6, 0.5, 0.8]
[[source]]
shape = "box"
direction = [0, 1, 0]
rate = 0.16
)" + source,
                                "[0, -9.81, 0]");
  Simulation simulation(world(), make_case(text));
  const double before = height(simulation, bottom);
  const double n_before = static_cast<double>(simulation.report().particles);
  run_until(simulation, 0.5);
  EXPECT_NEAR(static_cast<double>(simulation.report().particles) - n_before, 0.08 / particle_volume(simulation), 2.0);
  report("rise [m], drift of the volume", {height(simulation, bottom) - before, simulation.volume_drift()});
  // 12.5 % if what came did not count; cells at a surface with waves are partly full
  EXPECT_LT(std::abs(simulation.volume_drift()), 0.07);
  return height(simulation, bottom) - before;
}

// The column stands up to waves: without the volume in the projection the surface would not rise at all.
TEST(Sources, what_enters_a_pool_below_its_surface_raises_it) {
  for (const char* source :
       {"lower = [0.4, 0.1, 0.3]\nupper = [0.8, 0.2, 0.5]", "lower = [0.4, 0, 0.3]\nupper = [0.8, 0.1, 0.5]"}) {
    const double rise = rise_by(source);
    EXPECT_NEAR(rise, 0.0625, 0.1 * 0.0625);
  }
}

TEST(Sources, what_enters_a_pool_through_a_slope_raises_it) {
  const Bottom slope{0.16, 0.16 * 0.16 * (1.0 + 1.0 / 12.0)};  // 0.08 + 0.1 x, x from 0 to 1.6
  for (const char* surface : {"fractions", "voxels"}) {
    const double rise = rise_by(std::string("lower = [0.4, 0, 0.3]\nupper = [0.8, 0.3, 0.5]\n[[solid]]\nshape = "
                                            "\"half_space\"\npoint = [0, 0.08, 0]\nnormal = [-0.1, 1, 0]\nsurface = "
                                            "\"") +
                                    surface + "\"\n",
                                slope);
    EXPECT_NEAR(rise, 0.0625, 0.1 * 0.0625) << surface;
  }
}

/// What the faces of a piston of whole cells give more than by its own velocity, 0.4 m/s. [m^3/s]
double flow_beside_piston(const Simulation& simulation) {
  double sum = 0.0;
  double faces = 0.0;
  for (LocalIndex b = 0; b < simulation.layout().n_owned(); ++b)
    for (int c = 0; c < simulation.layout().cells_per_block(); ++c)
      if (simulation.layout().first_cell(b).x() + c % 8 == 8 &&
          is_wall_face(simulation.solids().wall()[0].block(b)[c])) {
        sum += (simulation.solids().velocity()[0].block(b)[c] - 0.4) * std::pow(simulation.domain().dx(), 2);
        faces += 1.0;
      }
  EXPECT_GE(world().sum(faces), 20.0);  // those of the liquid
  return world().sum(sum);
}

TEST(Sources, beside_a_piston_leave_it_its_velocity) {
  for (const bool on : {false, true}) {
    const std::string text = std::string(R"(
[run]
end_time = 1.0
[domain]
dimension = 2
cells = [48, 40]
cell_size = 0.025
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [1.2, 0.5]
[[solid]]
shape = "box"
lower = [-1.0, -1.0]
upper = [0.21, 2.0]
velocity = [0.4, 0.0]
surface = "voxels"
[[source]]
shape = "box"
lower = [0.213, 0.2]
upper = [0.3, 0.3]
direction = [1, 0]
rate = 0.001
)") + (on ? "" : "start_time = 0.5\n");
    Simulation simulation(world(), make_case(text));
    simulation.deposit_velocity();
    simulation.label();
    simulation.find_velocity(0.01);
    EXPECT_NEAR(flow_beside_piston(simulation), on ? 0.001 : 0.0, 1e-8) << on;  // velocities in single precision
  }
}

TEST(Sources, on_a_solid_that_moves_are_refused_where_they_are_given) {
  const std::string text = tank(
      "[[source]]\nshape = \"box\"\nlower = [0.4, 0.1, 0.3]\nupper = [0.8, 0.4, 0.5]\n"
      "direction = [0, 1, 0]\nrate = 0.1\n[[solid]]\nshape = \"sphere\"\ncenter = [0.6, 0.2, "
      "0.4]\nradius = 0.1\n");
  EXPECT_NO_THROW(Simulation(world(), make_case(text)));
  try {
    const Simulation simulation(world(), make_case(text + "velocity = [0, 1, 0]\n"));
    FAIL() << "it was taken";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("test case:10: a source lies on solid 0, which moves"), std::string::npos)
        << error.what();
  }
}

TEST(Sources, without_a_cross_section_are_refused_where_they_are_given) {
  const std::string inlet =
      "[[source]]\nshape = \"box\"\nlower = [0.4, 0.1, 0.3]\nupper = [0.8, 0.4, 0.5]\n"
      "direction = [0, 1, 0]\nrate = 0.1\n";
  const auto problem_of = [&](const std::string& more) -> std::string {
    try {
      const Simulation simulation(world(), make_case(tank(inlet + more)));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem_of(""), "");
  const std::string away =
      "[[source]]\nshape = \"sphere\"\ncenter = [90, 0, 0]\nradius = 1\ndirection = [1, 0, 0]\nrate = 1\n";
  EXPECT_EQ(problem_of(away), "test case:16: source 1: its shape lies outside the domain. Move it into it");
  const std::string covered = "[[solid]]\nshape = \"sphere\"\ncenter = [0.6, 0.2, 0.4]\nradius = 5\n";
  EXPECT_EQ(problem_of(covered).rfind("test case:10: source 0: it has no cross-section", 0), 0u) << problem_of(covered);
}

/// A block that moves over the inlet stops what comes, and the sum of what came and what did not is what should have.
TEST(Sources, that_a_solid_covers_are_held_back) {
  Simulation simulation(world(), make_case(tank(R"(
[[source]]
shape = "box"
lower = [0.4, 0.5, 0.3]
upper = [0.5, 0.6, 0.4]
direction = [1, 0, 0]
rate = 0.02
[[solid]]
shape = "box"
lower = [0.3, 0.75, 0.2]
upper = [0.7, 1.0, 0.5]
keyframes = [[0, 0, 0, 0], [0.2, 0, -0.4, 0]]
)")));
  const GlobalIndex liquid = simulation.report().particles;
  GlobalIndex emitted = 0;
  GlobalIndex held_back = 0;
  double time_covered = 0.0;
  while (simulation.time() < 0.4) {
    const StepReport report = simulation.advance(std::min(simulation.largest_dt(), 0.01));
    emitted += report.emitted;
    held_back += report.held_back;
    if (report.held_back == 0) time_covered = report.time;
    EXPECT_GT(test::smallest_distance(simulation), -test::position_rounding) << report.time;
    EXPECT_EQ(report.stuck, 0);
  }
  EXPECT_GT(held_back, 0);
  EXPECT_EQ(simulation.report().particles + simulation.numbers().left_domain, liquid + emitted);
  EXPECT_NEAR(static_cast<double>(emitted + held_back), 0.02 * simulation.time() / particle_volume(simulation), 1.0);
  EXPECT_GT(time_covered, 0.05);
  EXPECT_LT(time_covered, 0.25);
}

/// Neither does the grid get what does not come: the liquid around moves as if there were no source.
TEST(Sources, that_a_solid_covers_do_not_push_the_liquid_around) {
  const std::string pool = tank(R"(
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [1.6, 0.5, 0.8]
[[solid]]
shape = "box"
lower = [0.65, 0.05, 0.15]
upper = [0.75, 0.4, 0.55]
keyframes = [[0, 0, 0, 0], [0.2, -0.3, 0, 0]]
)");
  const std::string source = R"(
[[source]]
shape = "box"
lower = [0.4, 0.2, 0.3]
upper = [0.5, 0.3, 0.4]
direction = [1, 0, 0]
rate = 0.02
start_time = 0.25
)";
  Vec3 center[2];
  GlobalIndex held_back = 0;
  for (const int with_source : {0, 1}) {
    Simulation simulation(world(), make_case(with_source ? pool + source : pool));
    for (int step = 0; step < 40; ++step) held_back += simulation.advance(0.01).held_back;
    center[with_source] = simulation.report().sums.center_of_mass;
  }
  EXPECT_GT(held_back, 0);
  EXPECT_LT((center[0] - center[1]).norm(), 1e-5);  // the pressure is solved to 1e-5; 8e-4 m if the grid got it
}

/// Nothing that should come is lost where there is no free place for it.
TEST(Sources, that_blow_against_a_wall_bring_all_that_they_should) {
  Simulation simulation(world(), make_case(tank(R"(
[[source]]
shape = "box"
lower = [1.59999, 0.5, 0.3]
upper = [1.6, 0.7, 0.5]
velocity = [2, 0, 0]
jitter = 1
)")));
  run_until(simulation, 0.1);
  EXPECT_NEAR(static_cast<double>(simulation.report().particles), 2.0 * 0.04 * 0.1 / particle_volume(simulation), 1.0);
}

TEST(Sources, that_fill_the_same_place_fill_it_once) {
  const std::string region =
      "[[source]]\nmode = \"fill\"\nshape = \"box\"\nlower = [0.4, 0.8, 0.2]\nupper = [0.8, 1.0, 0.6]\n";
  const std::string wider =
      "[[source]]\nmode = \"fill\"\nshape = \"box\"\nlower = [0.4, 0.8, 0.2]\nupper = [0.8, 1.1, 0.6]\n";
  Simulation simulation(world(), make_case(tank(region + region + wider)));
  simulation.advance(1e-3);
  EXPECT_EQ(simulation.report().particles, 8 * 6 * 8 * 8);
}

TEST(Sources, a_schedule_turns_it_on_and_off) {
  const std::string text = tank(jet_from("0.2") + "schedule = [[0.05, 0.1], [0.15, 0.2]]\n");
  Simulation simulation(world(), make_case(text));
  run_until(simulation, 0.04);
  EXPECT_EQ(simulation.report().particles, 0);
  EXPECT_TRUE(simulation.awaits_liquid());
  run_until(simulation, 0.1);
  const double once = static_cast<double>(simulation.report().particles);
  run_until(simulation, 0.14);
  EXPECT_EQ(static_cast<double>(simulation.report().particles), once);
  run_until(simulation, 0.25);
  EXPECT_FALSE(simulation.awaits_liquid());
  const double rate = 2.0 * 0.2 * 0.2;
  EXPECT_NEAR(once, rate * 0.05 / particle_volume(simulation), 1.0);
  EXPECT_NEAR(static_cast<double>(simulation.report().particles), rate * 0.1 / particle_volume(simulation), 1.0);
}

TEST(Sources, a_pressure_gives_the_speed_of_bernoulli) {
  const std::string text = tank(R"(
[[source]]
shape = "box"
lower = [0.2, 0.5, 0.3]
upper = [0.3, 0.7, 0.5]
pressure = 2000
direction = [3, 0, 0]
)");
  Simulation simulation(world(), make_case(text));
  run_until(simulation, 0.1);
  EXPECT_NEAR(simulation.report().sums.max_speed, 2.0, 1e-3);
  EXPECT_NEAR(static_cast<double>(simulation.report().particles), 2.0 * 0.04 * 0.1 / particle_volume(simulation), 1.0);
}

TEST(Sources, a_fill_keeps_its_shape_full) {
  const std::string text = tank(R"(
[[source]]
shape = "box"
mode = "fill"
lower = [0.4, 0.8, 0.2]
upper = [0.8, 1.0, 0.6]
velocity = [0, -1, 0]
)");
  Simulation simulation(world(), make_case(text));
  simulation.advance(1e-3);
  EXPECT_EQ(simulation.report().particles, 8 * 4 * 8 * 8);
  run_until(simulation, 0.2);
  // As much again and again as has left: velocity x area x time, and at most one layer of sub-cells in all.
  const double expected = 8 * 4 * 8 * 8 + 1.0 * 0.2 * 0.16 / particle_volume(simulation);
  EXPECT_NEAR(static_cast<double>(simulation.report().particles), expected, 0.1 * expected);
}

TEST(Sinks, take_what_comes_to_them_and_the_ledger_adds_up) {
  const std::string text = tank(R"(
[[liquid]]
shape = "box"
lower = [0.1, 0.1, 0.1]
upper = [0.5, 0.5, 0.5]
velocity = [1, 0, 0]
[[sink]]
shape = "box"
lower = [0.8, 0, 0]
upper = [0.9, 1.2, 0.8]
)");
  Simulation simulation(world(), make_case(text));
  const GlobalIndex seeded = simulation.report().particles;
  run_until(simulation, 1.0);
  EXPECT_EQ(simulation.numbers().absorbed, seeded);
  EXPECT_EQ(simulation.report().particles, 0);
  for (int s = 0; s < 3; ++s) simulation.advance(0.01);  // without a particle
  EXPECT_EQ(simulation.report().particles, 0);
}

TEST(Sinks, with_a_rate_lower_a_pool) {
  const std::string text = tank(R"(
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [1.6, 0.6, 0.8]
[[sink]]
shape = "box"
rate = 0.16
lower = [0.4, 0.05, 0.2]
upper = [1.2, 0.25, 0.6]
)",
                                "[0, -9.81, 0]");
  Simulation simulation(world(), make_case(text));
  const double before = height(simulation);
  run_until(simulation, 0.5);
  report("fall [m]", {before - height(simulation), 0.16 * 0.5 / 1.28});
  EXPECT_NEAR(before - height(simulation), 0.0625, 0.1 * 0.0625);
  EXPECT_GT(simulation.numbers().absorbed, 0);
}

const std::string busy = jet_from("0.2") + R"(color = [1, 0, 0]
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
  write_checkpoint(world(), directory.path() + "/a.h5", whole.checkpoint_state(), parameters);
  Simulation again(world(), parameters,
                   read_checkpoint(world(), directory.path() + "/a.h5", parameters, [](const std::string&) {}));
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
  Simulation simulation(world(), make_case(tank(busy)));
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
