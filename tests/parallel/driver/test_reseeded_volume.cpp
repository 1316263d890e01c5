// SPDX-License-Identifier: Apache-2.0
// nightly: 2 3 4 8
// timeout: 600
#include "support/case.hpp"
#include "support/case_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
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

/// In 2-D four particles fill a cell: cells of three are no lack, and to fill them up would stir the liquid.
TEST(Reseeding, flat_liquid_keeps_its_volume_for_20_seconds) {
  Simulation simulation(world(), make_case(case_text({40, 32}, 0.025) + R"(
[particles.reseeding]
enabled = true
[density]
correction = "implicit"
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [0.3, 0.6]
)"));
  const double volume = simulation.report().volume;
  GlobalIndex reseeded = 0;
  double sum = 0.0;
  int n = 0;
  while (simulation.time() < 20.0) {
    const StepReport report = simulation.advance(simulation.largest_dt());
    reseeded += report.reseeded;
    if (simulation.time() < 15.0) continue;
    sum += report.volume;
    ++n;
  }
  test::report("flat dam with reseeding: volume of the last 5 s over that at the start, particles reseeded",
               {sum / n / volume, static_cast<double>(reseeded)});
  EXPECT_GT(reseeded, 100);
  EXPECT_NEAR(sum / n / volume, 1.0, 0.005);
}

}  // namespace
}  // namespace freshet
