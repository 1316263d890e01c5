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

template <class Real>
void widen_and_narrow() {
  const Lanes<Real> lanes = ramp<Real>();
  const WideLanes<Real> wide = widen<Real>(lanes);
  const Lanes<Real> back = narrow<Real>(wide);
  for (int n = 0; n < n_lanes<Real>; ++n) {
    EXPECT_EQ(wide.part[n / n_lanes<double>][n % n_lanes<double>], static_cast<double>(lanes[n]));
    EXPECT_EQ(back[n], lanes[n]);
  }
}

TEST(RealLanes, doubles_keep_the_numbers_and_their_order) {
  widen_and_narrow<float>();
  widen_and_narrow<double>();
}

}  // namespace
}  // namespace freshet
