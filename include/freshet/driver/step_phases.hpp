// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace freshet {

class Simulation;

/// What the phases of a step hand on to each other.
struct StepState {
  double dt = 0.0;      ///< length of the step [s]
  double cfl = 0.0;     ///< largest displacement that the velocity gives in dt [cells]
  std::string failure;  ///< reason why the projection failed; empty: it did not
};

/// A phase of a step. The program and Python take the same ones.
struct StepPhase {
  const char* name;                                        ///< also of its method in Python
  const char* text;                                        ///< description for Python's help()
  void (*call)(Simulation& simulation, StepState& state);  ///< collective
};

/// The phases of a step in their order.
struct StepPhases {
  std::span<const StepPhase> before;  ///< once a step
  std::span<const StepPhase> trial;   ///< again with a smaller dt as long as Simulation::tries_again() says so; or none
  std::span<const StepPhase> after;   ///< once a step, with the dt of the last trial
};
/// \param[in] is_prescribed  whether the case prescribes the flow, so that no pressure is solved for
StepPhases phases_of_step(bool is_prescribed);

}  // namespace freshet
