// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/keys/declare.hpp"

namespace freshet {

enum class MotionScheme { rk1, rk2, rk3, rk4 };
enum class MotionField { solve, enright, zalesak };
enum class ExtrapolationMethod { layers, distance };

/// How particles move.
struct MotionOptions {
  MotionScheme scheme = MotionScheme::rk3;
  MotionField field = MotionField::solve;

  bool is_prescribed() const { return field != MotionField::solve; }  ///< no equation is solved for the velocity
};

/// How velocities are extrapolated from the liquid to the cells around it.
struct ExtrapolationOptions {
  ExtrapolationMethod method = ExtrapolationMethod::layers;
};

keys::Keys keys_of(MotionOptions& motion);
keys::Keys keys_of(ExtrapolationOptions& extrapolation);

}  // namespace freshet
