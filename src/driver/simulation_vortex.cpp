// SPDX-License-Identifier: Apache-2.0
// The vortex boost, and the energy that it brings in.
#include "freshet/diagnostics/face_energy.hpp"
#include "freshet/driver/simulation.hpp"
#include "freshet/fluid/vortex.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/regrid.hpp"

namespace freshet {

bool Simulation::boosts_by(VortexMethod method) const {
  return parameters_.vortex.boost > 0.0 && parameters_.vortex.method == method;
}

/// u^n grows by the vortex kernel; velocity_old_ serves as its copy from before.
void Simulation::boost_deposit() {
  const auto region = timers_.region("vortex");
  copy_owned(velocity_, velocity_old_);
  deposit_(particles_, *layout_, vortex_velocity_, vortex_weight_, DepositKernel::vortex);
  boost_by_weights(vortex_velocity_, parameters_.vortex.boost, velocity_);
  report_.boost_energy = kinetic_energy_gain(velocity_old_, velocity_, weight_, particle_mass());
}

/// u^n and what confinement does to it in dt.
void Simulation::confine(double dt) {
  const auto region = timers_.region("vortex");
  layout_->halo().gather(velocity_old_, confinement_reach);
  layout_->halo().gather(labels_, confinement_reach);
  confine_vorticity(labels_, velocity_old_, parameters_.vortex.boost, dt, velocity_);
  report_.boost_energy = kinetic_energy_gain(velocity_old_, velocity_, weight_, particle_mass());
}

}  // namespace freshet
