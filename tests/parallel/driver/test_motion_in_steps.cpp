// SPDX-License-Identifier: Apache-2.0
// Prescribed motions that come back within the time that a step could have: the liquid must feel them.
// nightly: 2 3 4 8
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::run_until;
using test::world;

constexpr double end = 0.4;  ///< [s]

const std::string floating = "[fluid]\ngravity = [0, 0]\n";

/// Twenty periods of 50 Hz: 1 cm to and fro, four rows a period.
std::string shaker() {
  std::string rows = "keyframes = [";
  for (int n = 0; n <= 80; ++n)
    rows += fmt::format("{}[{}, {}, 0, 0]", n > 0 ? ", " : "", n / 200.0, 0.01 * std::sin(0.5 * n * M_PI));
  return rows + "]\n";
}

const std::string blow =
    "keyframes = [[0.2, 0, 0, 0], [0.21, 0.2, 0, 0], [0.22, 0, 0, 0]]\ninterpolation = \"linear\"\n";
const std::string gentle_blow = "keyframes = [[0.2, 0, 0, 0], [0.21, 0.1, 0, 0], [0.22, 0, 0, 0]]\n";
const std::string far_and_back = "keyframes = [[0, 0, 0, 0], [0.2, 0.3, 0, 0], [0.4, 0, 0, 0]]\n";

struct Way {
  double error = 0.0;     ///< largest distance of the liquid's centre from where it must be [m]
  double farthest = 0.0;  ///< largest displacement that it must have [m]
};

/// Steps up to 0.4 s; where the centre must be displaced by sign times the motion's displacement. Collective
Way follow(Simulation& simulation, const RigidMotion& motion, double sign) {
  const double start = simulation.report().sums.center_of_mass.x();
  Way way;
  while (simulation.time() < end) {
    simulation.advance(Cadence::cut(simulation.largest_dt(), simulation.time(), end));
    const double wanted = sign * motion.at(simulation.time()).translation.x();
    way.error = std::max(way.error, std::abs(simulation.report().sums.center_of_mass.x() - start - wanted));
    way.farthest = std::max(way.farthest, std::abs(wanted));
  }
  return way;
}

/// Liquid at rest in space, seen from a tank that moves: it is displaced as the tank is, the other way. Collective
Way float_in_tank(const std::string& motion, const std::string& keys) {
  Simulation simulation(world(), make_case(case_text({48, 32}, 0.04) + test::uncorrected + keys + R"(
[[liquid]]
shape = "box"
lower = [0.6, 0.9]
upper = [1.0, 1.2]
[frame]
)" + motion));
  const Way way = follow(simulation, *simulation.scene().frame(), -1.0);
  test::report("floating liquid: displacement of the tank, error [m]", {way.farthest, way.error});
  EXPECT_GT(way.farthest, 0.009) << motion << keys;
  return way;
}

TEST(MotionInSteps, of_a_tank_is_seen_by_liquid_that_floats) {
  // A step of first order moves liquid with the velocity that the tank has at its end: half of the change within a step
  // is off. Steps end where that of linear blows jumps; a smooth swing has eight steps at least.
  const std::string first_order = "[time]\nsplitting = \"first_order\"\n";
  EXPECT_LT(float_in_tank(blow, floating + first_order).error, 1e-4);
  EXPECT_LT(float_in_tank(blow, first_order).error, 1e-4) << "it falls by 0.78 m";
  for (const std::string& motion : {gentle_blow, far_and_back}) {
    const Way way = float_in_tank(motion, floating + first_order);
    EXPECT_LT(way.error, 0.25 * way.farthest) << motion;
  }
}

TEST(MotionInSteps, of_a_tank_displaces_liquid_that_floats_in_each_step_of_strang_by_as_much) {
  const std::string strang = "[time]\nsplitting = \"strang\"\n";
  // positions are numbers of single precision in blocks 0.32 m wide, and move in some 200 steps
  for (const std::string& motion : {blow, gentle_blow, far_and_back, shaker()})
    EXPECT_LT(float_in_tank(motion, floating + strang).error, 1e-5) << motion;
  EXPECT_LT(float_in_tank(shaker(), strang).error, 1e-5) << "it falls by 0.78 m";
}

/// Liquid at rest in space, 0.6 m from the pivot of a tank that turns. \param[in] until  [s]
Way float_in_turning_tank(const std::string& motion, const std::string& keys, double until) {
  Simulation simulation(world(), make_case(case_text({48, 48}, 0.04) + test::uncorrected + floating + keys + R"(
[[liquid]]
shape = "box"
lower = [0.5, 1.3]
upper = [0.8, 1.6]
[frame]
pivot = [0.96, 0.96, 0.0]
)" + motion));
  const Vec3 start = simulation.report().sums.center_of_mass;
  Way way;
  while (simulation.time() < until) {
    simulation.advance(Cadence::cut(simulation.largest_dt(), simulation.time(), until));
    const Vec3 wanted = simulation.scene().frame()->pose(simulation.time()).to_body(start);
    way.error = std::max(way.error, (simulation.report().sums.center_of_mass - wanted).norm());
    way.farthest = std::max(way.farthest, (wanted - start).norm());
  }
  test::report("floating liquid in a tank that turns: largest displacement, error [m]", {way.farthest, way.error});
  return way;
}

TEST(MotionInSteps, of_a_tank_that_turns_there_and_back_is_seen_by_liquid_that_floats) {
  const std::string swing = "keyframes = [[0, 0, 0, 0, 0, 0, 0], [0.2, 0, 0, 0, 0, 0, 40], [0.4, 0, 0, 0, 0, 0, 0]]\n";
  const std::string jerk =
      "keyframes = [[0.2, 0, 0, 0, 0, 0, 0], [0.21, 0, 0, 0, 0, 0, 10], [0.22, 0, 0, 0, 0, 0, 0]]\n";
  // The forces of inertia are of first order in the angle of a step, some degrees; with first_order half of the change
  // within a step is off, as above. Without the motion all of the way is.
  for (const auto& [splitting, bound] : {std::pair{"first_order", 0.3}, std::pair{"strang", 0.1}})
    for (const auto& [motion, until] : {std::pair{swing, 0.4}, std::pair{jerk, 0.22}}) {
      const Way way = float_in_turning_tank(motion, fmt::format("[time]\nsplitting = \"{}\"\n", splitting), until);
      EXPECT_GT(way.farthest, 0.1) << motion;
      EXPECT_LT(way.error, bound * way.farthest) << motion << splitting;
    }
}

/// A piston and the plug of liquid before it, in a tube that it fills: both move as one.
TEST(MotionInSteps, of_a_piston_is_seen_by_the_plug_before_it) {
  for (const std::string& motion : {blow, gentle_blow, far_and_back, shaker()}) {
    Simulation simulation(world(),
                          make_case(case_text({40, 8}, 0.04) + test::uncorrected + test::sticky_walls + floating + R"(
[[liquid]]
shape = "box"
lower = [0.4, 0.0]
upper = [0.8, 0.32]
[[solid]]
shape = "box"
lower = [-1.0, -1.0]
upper = [0.4, 1.0]
wall = "sticky"
)" + motion));
    const Way way = follow(simulation, *simulation.scene().bodies().front().motion, 1.0);
    test::report("plug before a piston: displacement, error [m]", {way.farthest, way.error});
    EXPECT_GT(way.farthest, 0.009) << motion;
    EXPECT_LT(way.error, 0.1 * way.farthest) << motion;
  }
}

TEST(MotionInSteps, of_a_stirrer_that_makes_whole_turns_stirs) {
  const auto energy = [](const std::string& time) {
    Simulation simulation(
        world(), make_case("[run]\nend_time = 1\n[domain]\ndimension = 2\ncells = [32, 32]\ncell_size = 0.04\n" +
                           floating + time + R"(
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [1.28, 1.28]
[[solid]]
shape = "box"
lower = [0.4, 0.6]
upper = [0.88, 0.68]
angular_velocity = [0.0, 0.0, 360.0]
pivot = [0.64, 0.64, 0.0]
)"));
    run_until(simulation, 1.0);
    return simulation.report().sums.kinetic_energy;
  };
  const double whole = energy(""), fine = energy("[time]\nmax_dt = 0.005\n");
  test::report("a turn of a stirrer: kinetic energy, the same in steps of 5 ms [J]", {whole, fine});
  EXPECT_NEAR(whole / fine, 1.0, 0.2);  // steps of a cell
}

}  // namespace
}  // namespace freshet
