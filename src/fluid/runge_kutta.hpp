// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/motion_options.hpp"

namespace freshet {

/// An explicit Runge-Kutta scheme in which each stage needs the previous stage only:
///
///   k_1 = u(x),  k_s = u(x + a_s h k_{s-1}),  x <- x + h sum_s b_s k_s
struct Tableau {
  int n_stages;
  double a[4];
  double b[4];
};

/// Source: rk3 Ralston 1962, as in Bridson 2015, appendix A
constexpr Tableau tableau(MotionScheme scheme) {
  switch (scheme) {
    case MotionScheme::rk1:
      return {1, {0.0}, {1.0}};
    case MotionScheme::rk2:
      return {2, {0.0, 0.5}, {0.0, 1.0}};
    case MotionScheme::rk3:
      return {3, {0.0, 0.5, 0.75}, {2.0 / 9.0, 3.0 / 9.0, 4.0 / 9.0}};
    case MotionScheme::rk4:
      break;
  }
  return {4, {0.0, 0.5, 0.5, 1.0}, {1.0 / 6.0, 2.0 / 6.0, 2.0 / 6.0, 1.0 / 6.0}};
}

}  // namespace freshet
