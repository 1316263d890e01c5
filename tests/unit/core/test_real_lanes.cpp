// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/real_lanes.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

template <class Real>
Lanes<Real> ramp() {
  Lanes<Real> lanes{};
  for (int n = 0; n < n_lanes<Real>; ++n) lanes[n] = static_cast<Real>(0.1 + n);
  return lanes;
}

template <class Real>
void compare_lane_by_lane() {
  const Lanes<Real> lanes = ramp<Real>();
  for (int first = 0; first <= n_lanes<Real>; ++first) {
    const LaneMask<Real> above = lanes > static_cast<Real>(first);
    EXPECT_EQ(lane_bits<Real>(above), ((std::uint32_t{1} << n_lanes<Real>)-1) >> first << first);
  }
}

TEST(RealLanes, bits_of_a_comparison_stand_in_the_order_of_the_lanes) {
  compare_lane_by_lane<float>();
  compare_lane_by_lane<double>();
}

}  // namespace
}  // namespace freshet
