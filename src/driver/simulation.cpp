// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/simulation.hpp"

#include "freshet/core/error.hpp"
#include "freshet/diagnostics/liquid_volume.hpp"
#include "freshet/fluid/inner_cells.hpp"
#include "freshet/fluid/labels.hpp"
#include "freshet/fluid/prescribed.hpp"
#include "freshet/fluid/walls.hpp"
#include "freshet/grid/face_maximum.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/regrid.hpp"

#include <cmath>

namespace freshet {
namespace {

void scale_cells(CellField<double>& field, double factor) {
  const LocalIndex n_blocks = field.layout().n_blocks();
  const int cells = field.layout().cells_per_block();
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_blocks; ++b)
    for (int c = 0; c < cells; ++c) field.block(b)[c] *= factor;
}

}  // namespace

// One step of the incompressible Euler equations, split as Zhu & Bridson (2005) and Bridson (2008) do:
//   (1) u_f = sum_p w u_p / sum_p w                       (2) u* = u + dt g
//   (3) div (dt/rho grad p) = div u*,  u' = u* - dt/rho grad p,  p = 0 in air,  u' . n = u_s . n on solids
//   (4) u_p = f (u_p - u(x_p)) + u'(x_p)                  (5) dx_p/dt = u'(x_p)
// With APIC u_p + c_p . (x_f - x_p) stands in (1) for u_p, and (4) is u_p = u'(x_p), c_p = (grad u')(x_p). With density
// correction (5) starts from x_p + d(x_p), div d = n / n_full - 1.
StepReport Simulation::advance(double dt) {
  const GlobalIndex particles_before = report_.particles;
  report_.emitted = report_.held_back = report_.absorbed = report_.reseeded = report_.removed = 0;
  report_.step = numbers_.step = ++step_;
  if (is_prescribed()) {
    prescribe(dt);  //                                        holds u^{n+1/2} everywhere
  } else {
    deposit_velocity();  //                                   holds u^n
    label();
    dt = find_velocity(dt);  //                               holds u^{n+1} in the liquid and the band
  }
  blend();              //                                               particles hold u^{n+1}
  reseed();             //                                               new particles hold u^{n+1}
  correct_positions();  //                                    particles hold x^n at their density
  move(dt);             //                                               particles hold x^{n+1}
  come_and_go(dt);      //                                    and those of sources join them
  set_time(time_ + dt);
  report_.dt = numbers_.dt = dt;
  measure_particles();
  check_health(particles_before);
  count_edits();
  return report_;
}

void Simulation::deposit_velocity() {
  {
    const auto region = timers_.region("deposit");
    deposit_(particles_, *layout_, velocity_, weight_, is_apic() ? DepositKernel::affine : DepositKernel::trilinear);
  }
  if (boosts_by(VortexMethod::weights)) boost_deposit();
  const auto region = timers_.region("deposit");
  copy_owned(velocity_, velocity_old_);
  layout_->halo().gather(velocity_old_, 1);
}

/// Liquid cells on all ranks. Collective.
GlobalIndex Simulation::find_labels() {
  if (!labels_by_density()) return comm_.sum(label_cells(particles_, solids_, labels_));
  occupied_.reset(*layout_, Label::solid);
  label_cells(particles_, solids_, occupied_);
  neighbours_.gather(particles_, *layout_);
  return comm_.sum(label_cells_by_density(particles_, neighbours_, solids_, parameters_.labels.alpha,
                                          parameters_.particles.per_axis, labels_));
}

void Simulation::label() {
  const auto region = timers_.region("labels");
  if (solids_.time() != time_) solids_.move_to(time_);
  report_.liquid_cells = find_labels();
  find_inner_cells(labels_, inner_cells_);
  report_.volume = liquid_volume(particles_, labels_, solids_, inner_cells_, particles_per_cell());
}

void Simulation::apply_forces(double dt) {
  if (boosts_by(VortexMethod::confinement)) confine(dt);
  const auto region = timers_.region("forces");
  for (const auto& force : forces_) force->apply(velocity_, velocity_old_, time_, dt);
}

void Simulation::project(double dt) {
  const auto region = timers_.region("pressure");
  const double to_scaled = dt / (parameters_.fluid.density * domain_.dx());  // p~ = dt p / (rho dx)
  scale_cells(pressure_, parameters_.pressure.warm_start ? to_scaled : 0.0);
  try {
    report_.projection = (*projection_)(labels_, solids_, velocity_, pressure_, prescribe_inflow(dt));
  } catch (const RunError&) {
    scale_cells(pressure_, 1.0 / to_scaled);  // for whoever looks at the failed step
    throw;
  }
  scale_cells(pressure_, 1.0 / to_scaled);
}

void Simulation::extrapolate(double dt) {
  const auto region = timers_.region("extrapolate");
  const double way = std::ceil(largest_face_velocity(velocity_) * dt / domain_.dx());  // [cells]; it may be infinite
  const double beyond = corrects_positions() ? 1.0 : 0.0;  // the way before the move, at most [cells]
  const int layers = way + beyond < band() ? static_cast<int>(way + beyond) + 1 : band();
  extrapolation_(labels_by_density() ? occupied_ : labels_, solids_, layers,
                 velocity_);  // spray keeps its own velocity
  if (solids_.any_fractions()) layout_->halo().gather(velocity_, 1);
  covered_faces_(solids_, velocity_);
  enforce_walls(solids_, velocity_);
  mirror_no_slip(solids_, velocity_);
  max_face_velocity_ = largest_face_velocity(velocity_);
  report_.cfl = max_face_velocity_ * dt / domain_.dx();
}

void Simulation::prescribe(double dt) {
  label();
  const auto region = timers_.region("prescribe");
  set_enright_velocity(time_ + 0.5 * dt, velocity_);
  max_face_velocity_ = largest_face_velocity(velocity_);
  report_.cfl = max_face_velocity_ * dt / domain_.dx();
}

void Simulation::refresh_for_output() {
  solids_.move_to(time_);
  find_labels();
  layout_->halo().gather(velocity_, 1);
}

}  // namespace freshet
