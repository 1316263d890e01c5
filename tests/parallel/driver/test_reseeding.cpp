// SPDX-License-Identifier: Apache-2.0
// timeout: 600
#include "support/case.hpp"
#include "support/case_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::reproducible;
using test::world;

/// What fills up dips must be taken elsewhere, or each dip makes the liquid grow.
TEST(Reseeding, liquid_neither_grows_nor_shrinks_with_the_density_correction) {
  for (const std::string& domain : {case_text({64, 52}, 0.03125), case_text({24, 20, 12}, 0.05)}) {
    Simulation simulation(world(), make_case(domain + R"(
[particles.reseeding]
enabled = true
[density]
correction = "implicit"
[[liquid]]
shape = "box"
lower = [0.0, 0.0, -1.0]
upper = [0.4, 0.8, 1.0]
)"));
    const auto seeded = static_cast<double>(simulation.report().particles);
    double volume = 0.0;
    GlobalIndex reseeded = 0;
    for (int step = 0; step < 400; ++step) {
      const StepReport report = simulation.advance(simulation.largest_dt());
      reseeded += report.reseeded;
      if (step == 0) volume = report.volume;
    }
    const double particles = static_cast<double>(simulation.report().particles) / seeded;
    test::report("dam with reseeding and density correction: particles and volume, of those at the start; time",
                 {particles, simulation.report().volume / volume, simulation.time()});
    EXPECT_GT(reseeded, 20);
    EXPECT_GE(particles, 1.0);
    EXPECT_LT(particles, 1.015);                                  // 0 to 0.9 %
    EXPECT_NEAR(simulation.report().volume / volume, 1.0, 0.02);  // 0.4 to 1.3 %, as the ranks are
  }
}

/// Positions and ids of all particles after some steps, in order of id.
std::vector<std::array<double, 4>> outcome(const Communicator& comm, const Parameters& parameters, int n_steps,
                                           GlobalIndex& reseeded, GlobalIndex& removed) {
  Simulation simulation(comm, parameters);
  for (int n = 0; n < n_steps; ++n) simulation.advance(simulation.largest_dt());
  const RunNumbers& numbers = simulation.numbers();
  reseeded = numbers.reseeded;
  removed = numbers.removed;
  EXPECT_EQ(numbers.next_id, numbers.seeded + numbers.reseeded);
  EXPECT_EQ(simulation.report().particles, numbers.seeded + numbers.reseeded - numbers.removed);
  std::vector<double> all(4 * static_cast<std::size_t>(numbers.next_id), 0.0);
  test::for_each_particle(simulation, [&](const Vec3& x, const Vec3&, ParticleId id) {
    for (std::size_t d = 0; d < 3; ++d) all[4 * id + d] = x[static_cast<int>(d)];
    all[4 * id + 3] += 1.0;
  });
  comm.sum_in_place(all);
  std::vector<std::array<double, 4>> result;
  for (std::size_t n = 0; n < all.size(); n += 4) result.push_back({all[n], all[n + 1], all[n + 2], all[n + 3]});
  return result;
}

void expect_the_same_on_any_number_of_ranks(const std::string& text, int n_steps) {
  const Parameters parameters = make_case(text + R"(
[particles.reseeding]
enabled = true
cells = "liquid"
min = 5
max = 10
[balance]
threshold = 1.02
)");
  const Communicator alone(MPI_COMM_SELF);
  GlobalIndex made[2], gone[2];
  const auto expected = outcome(alone, parameters, n_steps, made[0], gone[0]);
  const auto found = outcome(world(), parameters, n_steps, made[1], gone[1]);
  test::report("reseeded, removed", {static_cast<double>(made[0]), static_cast<double>(gone[0])});
  EXPECT_GT(made[0], 100);
  EXPECT_GT(gone[0], 100);
  EXPECT_EQ(made[0], made[1]);
  EXPECT_EQ(gone[0], gone[1]);
  EXPECT_EQ(expected, found);  // bit by bit; an id that occurred twice would count twice
}

TEST(Reseeding, gives_the_same_particles_on_any_number_of_ranks) {
  expect_the_same_on_any_number_of_ranks(case_text({32, 20, 12}, 0.02, reproducible) + R"(
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [0.2, 0.3, 1]
velocity = [1, 0, 0]
[[solid]]
shape = "sphere"
center = [0.4, 0.03, 0.12]
radius = 0.06
)",
                                         20);
}

TEST(Reseeding, gives_the_same_particles_on_any_number_of_ranks_in_2d) {
  expect_the_same_on_any_number_of_ranks(case_text({64, 40}, 0.01, reproducible) + R"(
[[liquid]]
shape = "box"
lower = [0, 0]
upper = [0.2, 0.3]
velocity = [1, 0]
[[solid]]
shape = "sphere"
center = [0.4, 0.03]
radius = 0.06
[particles]
per_axis = 3
)",
                                         120);
}

}  // namespace
}  // namespace freshet
