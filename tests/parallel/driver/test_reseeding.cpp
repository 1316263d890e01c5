// SPDX-License-Identifier: Apache-2.0
// nightly: 1 2 4 8
#include "support/alone.hpp"
#include "support/case.hpp"
#include "support/case_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::case_text;
using test::computed_alone;
using test::make_case;
using test::reproducible;
using test::world;

/// Position of every particle after some steps and how often its id occurs, in order of id; at last the numbers of
/// particles that were made and removed.
using Outcome = std::vector<std::array<double, 4>>;
Outcome outcome(const Communicator& comm, const Parameters& parameters, int n_steps) {
  Simulation simulation(comm, parameters);
  for (int n = 0; n < n_steps; ++n) simulation.advance(simulation.largest_dt());
  const RunNumbers& numbers = simulation.numbers();
  EXPECT_EQ(numbers.next_id, numbers.seeded + numbers.reseeded);
  EXPECT_EQ(simulation.report().particles, numbers.seeded + numbers.reseeded - numbers.removed);
  std::vector<double> all(4 * static_cast<std::size_t>(numbers.next_id), 0.0);
  test::for_each_particle(simulation, [&](const Vec3& x, const Vec3&, ParticleId id) {
    for (std::size_t d = 0; d < 3; ++d) all[4 * id + d] = x[static_cast<int>(d)];
    all[4 * id + 3] += 1.0;
  });
  comm.sum_in_place(all);
  Outcome result;
  for (std::size_t n = 0; n < all.size(); n += 4) result.push_back({all[n], all[n + 1], all[n + 2], all[n + 3]});
  result.push_back({static_cast<double>(numbers.reseeded), static_cast<double>(numbers.removed), 0.0, 0.0});
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
  const Outcome expected =
      computed_alone([&](const Communicator& alone) { return outcome(alone, parameters, n_steps); });
  const Outcome found = outcome(world(), parameters, n_steps);
  ASSERT_FALSE(expected.empty());
  test::report("reseeded, removed", {expected.back()[0], expected.back()[1]});
  EXPECT_GT(expected.back()[0], 100);
  EXPECT_GT(expected.back()[1], 100);
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
