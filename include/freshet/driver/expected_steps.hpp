// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/driver/simulation.hpp"

namespace freshet {

/// How many steps a run will take, estimated before its first step.
struct ExpectedSteps {
  double first = 0.0;   ///< length of the first step [s]
  double speed = 0.0;   ///< speed that the liquid may reach [m/s]
  double length = 0.0;  ///< mean length of the steps at that speed [s]
  double count = 0.0;   ///< number of steps to the end of the run
};

/// Estimate the steps of a run that has not begun.
///
/// Liquid that is out of balance gains the speed of a fall: u^2 = u_0^2 + 2 a h. The height h is that of its highest
/// point, or of a source, above the level at which all of it would stand at rest in the tank; a is gravity, or the
/// acceleration that the first projection leaves if that is less. Steps are as long as largest_dt() allows at that
/// speed, at times spread evenly over the run. Waves, viscosity and walls that stop liquid are not seen: runs took
/// from a third of the estimate to three times as many steps.
/// Parallel: collective
ExpectedSteps expect_steps(Simulation& simulation);

}  // namespace freshet
