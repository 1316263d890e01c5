// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

enum class MotionScheme { rk1, rk2, rk3, rk4 };
enum class MotionField { solve, enright, zalesak };
enum class ExtrapolationMethod { layers, distance };

/// How particles move.
struct MotionOptions {
  MotionScheme scheme = MotionScheme::rk3;
  MotionField field = MotionField::solve;
};

/// How velocities are extrapolated from the liquid to the cells around it.
struct ExtrapolationOptions {
  ExtrapolationMethod method = ExtrapolationMethod::layers;
};

}  // namespace freshet
