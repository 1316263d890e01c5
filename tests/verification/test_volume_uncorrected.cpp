// SPDX-License-Identifier: Apache-2.0
// The reason for the density correction; if this fails, the default has become better.
// timeout: 900
#include "volume_cases.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace freshet::test {
namespace {

TEST(Volume, dam_loses_much_of_it_without_correction) {
  const Drift drift = drift_of(dam + uncorrected + sticky_walls + at_voxels);  // with a level set 5 to 8 %
  report("3-D dam, 20 s: drift of volume and height", {drift.volume, drift.height});
  EXPECT_LT(drift.height, -0.05);
}

TEST(Volume, flat_dam_loses_much_of_it_without_correction) {
  const Drift drift = drift_of(flat_dam + uncorrected + sticky_walls);
  report("2-D dam, 20 s: drift of volume and height", {drift.volume, drift.height});
  EXPECT_LT(drift.volume, -0.1);
}

}  // namespace
}  // namespace freshet::test
