// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/step_phases.hpp"

#include "freshet/driver/simulation.hpp"

namespace freshet {
namespace {

// Numbers are those of the equations above Simulation::advance(), in simulation.cpp.
const StepPhase before_trials[] = {
    // (1) the grid holds u^n
    {"deposit", "u^n on faces from the particles", [](Simulation& s, StepState&) { s.deposit_velocity(); }},
    {"label", "which cells are liquid, air, solid", [](Simulation& s, StepState&) { s.label(); }},
};
const StepPhase of_trial[] = {
    // (2) the grid holds u*
    {"forces", "u* = u^n + dt a", [](Simulation& s, StepState& state) { s.apply_forces(state.dt); }},
    // (3) the grid holds u^{n+1} in the liquid, and then in the band of air around it
    {"project", "u^{n+1} = u* - dt/rho grad p, without divergence in the liquid",
     [](Simulation& s, StepState& state) { state.failure = s.project(state.dt); }},
    {"extrapolate", "u^{n+1} into the air around the liquid",
     [](Simulation& s, StepState& state) { state.cfl = s.extrapolate(state.dt); }},
};
const StepPhase after_trials[] = {
    // (4) particles hold u^{n+1}, and gauges read it
    {"blend", "particles take u^{n+1}",
     [](Simulation& s, StepState& state) {
       s.blend(state.dt, state.cfl);
       s.begin_gauges(state.dt);
     }},
    {"resample", "few or crowded particles come and go, where the case asks for it",
     [](Simulation& s, StepState&) { s.resample(); }},
    // particles hold x^n at their density
    {"correct", "positions are corrected to the liquid's density, where the case asks for it",
     [](Simulation& s, StepState& state) { s.correct_positions(state.dt); }},
    // (5) particles hold x^{n+1}, on their new owners, sorted
    {"move", "particles move through u^{n+1} and go to the ranks that own their blocks",
     [](Simulation& s, StepState& state) { s.move(state.dt, state.cfl); }},
    {"exchange", "particles of sources come, those in sinks go",
     [](Simulation& s, StepState& state) { s.exchange_particles(state.dt); }},
};
const StepPhase prescribed[] = {
    // the grid holds u^{n+1/2} everywhere
    {"prescribe", "labels, and the prescribed velocity on faces",
     [](Simulation& s, StepState& state) { state.cfl = s.prescribe(state.dt); }},
};

}  // namespace

StepPhases phases_of_step(bool is_prescribed) {
  if (is_prescribed) return {prescribed, {}, after_trials};
  return {before_trials, of_trial, after_trials};
}

}  // namespace freshet
