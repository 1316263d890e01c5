// SPDX-License-Identifier: Apache-2.0
#include "freshet/diagnostics/energy.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

TEST(FaceEnergy, of_two_faces_by_hand) {
  const Domain domain = test::make_domain(3, {8, 8, 8});
  const BlockLayout layout(test::world(), domain, Splitters{}, test::all_blocks(domain));
  FaceField<double> before(layout), after(layout), weight(layout);
  before.fill(2.0);
  after.fill(2.0);
  weight.fill(0.5);
  EXPECT_EQ(kinetic_energy_gain(before, after, weight, 3.0), 0.0);
  after[0].block(0)[17] = 4.0;    // (16 - 4) 0.5 3 / 2 = 9
  after[2].block(0)[500] = -1.0;  // (1 - 4) 0.5 3 / 2 = -9/4
  EXPECT_EQ(kinetic_energy_gain(before, after, weight, 3.0), 6.75);
  weight.fill(0.0);
  EXPECT_EQ(kinetic_energy_gain(before, after, weight, 3.0), 0.0);
}

}  // namespace
}  // namespace freshet
