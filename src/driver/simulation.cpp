// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/simulation.hpp"

#include "freshet/core/error.hpp"
#include "freshet/core/memory.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/diagnostics/energy.hpp"
#include "freshet/diagnostics/extremes.hpp"
#include "freshet/diagnostics/liquid_volume.hpp"
#include "freshet/driver/step_checks.hpp"
#include "freshet/driver/step_numbers.hpp"
#include "freshet/fluid/inner_cells.hpp"
#include "freshet/fluid/labels.hpp"
#include "freshet/fluid/motion.hpp"
#include "freshet/fluid/prescribed.hpp"
#include "freshet/fluid/surface_relaxation.hpp"
#include "freshet/fluid/surface_shear.hpp"
#include "freshet/grid/face_maximum.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/outer_faces.hpp"
#include "freshet/grid/regrid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace freshet {

namespace {

/// f(from, to) on every owned face of two fields.
template <class Function>
void for_each_face(const FaceField<double>& from, FaceField<double>& to, Function&& f) {
  const BlockLayout& layout = to.layout();
  for (int d = 0; d < to.dimension(); ++d)
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const double* a = from[d].block(b);
      double* u = to[d].block(b);
      for (int c = 0; c < layout.cells_per_block(); ++c) f(a[c], u[c]);
    });
}

void copy_owned_cells(const CellField<double>& from, CellField<double>& to) {
  const BlockLayout& layout = to.layout();
  parallel_for_blocks(layout.n_owned(),
                      [&](LocalIndex b) { std::copy_n(from.block(b), layout.cells_per_block(), to.block(b)); });
}

}  // namespace

// One step of the incompressible Euler equations, split as Zhu & Bridson (2005) and Bridson (2008) do:
//   (1) u_f = sum_p w u_p / sum_p w                       (2) u* = u + dt a
//   (3) div (dt/rho grad p) = div u*,  u' = u* - dt/rho grad p,  p = 0 in air,  u' . n = u_s . n on solids
//   (4) u_p = f (u_p - u(x_p)) + u'(x_p)                  (5) dx_p/dt = u'(x_p)
// Between (2) and (3) viscous liquid gets, with D = (grad u + grad u^T) / 2,
//   (2') u' as in (3), then u* <- u* + u** - u' with
//        u** - dt/rho (div (2 mu D(u**)) - grad q) = u',  div u** = div u',  (2 mu D(u**) - q) n = 0 at the surface
// so that liquid at rest stays at rest, and stress and pressure together leave the surface free (variational Stokes;
// Larionov, Batty & Bridson 2017). The pressure is p + q, and separating walls let go by p. With viscosity.coupling =
// split q is 0, and u** free to change its volume. Where dt mu / (rho dx^2) is below 1e-3, as that of water is, the
// stress of u^n is one of the forces of (2), and no system is solved for it.
// With APIC u_p + c_p . (x_f - x_p) stands in (1) for u_p, and (4) is u_p = u'(x_p), c_p = (grad u')(x_p). With density
// correction (5) starts from x_p + d(x_p), div d = n / n_full - 1.
//
// (2) and (3) change no particle. Failures that a smaller dt can cure appear after (3): a solver that does not
// converge, a velocity that is not a number, or one that moves particles farther than dt was chosen for. So the
// velocity is judged before any particle is changed; if a check fails, (2) and (3) are tried again from u^n with a
// smaller dt.
//
// Each phase first refreshes the ghosts that it reads; (4) does so for (5), too. (5) moves particles by at most
// longest_substep cells at once;
// after each sub-step they migrate to the ranks that own their blocks and are sorted, which the next one relies on.
//
// With time.splitting = strang the velocities u^n belong to the middle between x^{n-1} and x^n: dt in (2) and (3) is
// half of the last step and half of this one, and at the start half of the first (leapfrog; Hockney & Eastwood 1988,
// section 4.4). Forces and pressure then act at the middle of the time that they act for, and (5) moves particles with
// the velocity of the middle of the step: both errors are of second order, where they depend on positions alone.
//
// With time.splitting = reflection steps come in pairs (advection-reflection; Zehnder, Narain & Thomaszewski 2018). dt
// in (2) and (3) is as with strang, and so is the velocity that (5) moves particles with: that of the middle of the
// step. But in the first of a pair (4) gives particles what the velocity will be in the middle of the second step, if
// the projection changes it as much again: u' + (u' - u*) + dt a. The second one takes the first one's pressure back
// and projects again, where the liquid is now; forces make good for the difference between its dt and that of the
// first. A projection removes energy in proportion to what it changes, and that of the second one is small; first_order
// and strang project the whole change of a step. Both steps cost what others cost.
//
// The ranks agree four times, apart from the solve: on the farthest displacement, on who sends particles to whom, on
// missing blocks, and on the sums that the next dt needs. Numbers that are only reported wait for one of these.
StepReport Simulation::advance(double dt, const std::function<void(Reduction&)>& rider) {
  begin_step();
  double cfl = 0.0;  // largest displacement that the velocity gives in dt [cells]
  if (is_prescribed()) {
    cfl = prescribe(dt);  //                                  the grid holds u^{n+1/2} everywhere
  } else {
    deposit_velocity();  //                             (1)   the grid holds u^n
    label();
    StepTrials trial = trials(dt, report_.sums.max_speed);
    std::string failure;
    do {
      dt = trial.dt();
      apply_forces(dt);  //                             (2)   the grid holds u*
      //                                                (3)   the grid holds u^{n+1} in the liquid
      failure = project(dt);
      cfl = extrapolate(dt);  //                              and in the band of air around it
    } while (tries_again(trial, failure, cfl));
  }
  blend(dt, cfl);          //                           (4)   particles hold u^{n+1}
  begin_gauges(dt);        //                                 gauges read u^{n+1}
  resample();              //                                 new particles hold u^{n+1}
  correct_positions(dt);   //                                 particles hold x^n at their density
  move(dt, cfl);           //                           (5)   particles hold x^{n+1}, on their new owners, sorted
  exchange_particles(dt);  //                                 particles of sources join them, sorted
  end_step(dt, rider);
  return report_;
}

void Simulation::begin_step() {
  last_report_ = report_;
  particles_before_ = report_.sums.count;
  migration_ = {};
  report_ = {};
  report_.sums = last_report_.sums;
  report_.density.mean_error = numbers_.density_error;
  report_.density.largest_error = numbers_.largest_density_error;
  report_.density.overfull_cells = numbers_.overfull_cells;
  stage_ = Stage::grid;
  pending_.forget();
  report_.step = ++numbers_.step;
  if (place_in_pair() != PlaceInPair::second) return;
  foreseen_pressure_.reset(layout(), 0.0);
  copy_owned_cells(flow_.pressure, foreseen_pressure_);
}

bool Simulation::cancel_step() {
  if (stage_ == Stage::between_steps || stage_ == Stage::particles) return is_between_steps();
  pending_.forget();
  if (stage_ == Stage::pressure) {
    flow_.pressure.fill(0.0);  // that of a failed solve is no initial guess
    if (place_in_pair() == PlaceInPair::second) copy_owned_cells(foreseen_pressure_, flow_.pressure);
  }
  report_ = last_report_;
  --numbers_.step;
  stage_ = Stage::between_steps;
  return true;
}

void Simulation::end_step(double dt, const std::function<void(Reduction&)>& rider) {
  numbers_.velocity_lead = lead_after(dt);
  numbers_.foreseen = place_in_pair() == PlaceInPair::first ? dt : 0.0;
  report_.dt = numbers_.dt = dt;
  set_time(numbers_.time + dt);
  measure_particles(rider);
  balance();
  check_step(report_, migration_, particles_before_, particles_, layout());
  add_to_totals(report_, numbers_);
  stage_ = Stage::between_steps;
}

void Simulation::deposit_velocity() {
  const auto region = timers_.region("deposit");
  const DepositKernel kernel = is_apic() ? DepositKernel::affine : DepositKernel::trilinear;
  const WeightUse use = reads_weights() ? WeightUse::kept : WeightUse::scratch;
  deposit_(particles_, layout(), flow_.velocity_old, flow_.weight, kernel, use);
  if (use == WeightUse::kept) fill_outer_faces(flow_.weight, 0.0);
  if (vortex_boost_.is_on()) {
    const auto boost = timers_.region("vortex");
    copy_owned(flow_.velocity_old, flow_.velocity);  // before the boost
    vortex_boost_(particles_, deposit_, flow_.velocity_old);
    report_.boost_energy = kinetic_energy_gain(flow_.velocity, flow_.velocity_old, flow_.weight, particle_mass());
  }
  fill_outer_faces(flow_.velocity_old, 0.0);
}

/// Whether a later part of the step reads the deposit's weights: see label() and apply_forces().
bool Simulation::reads_weights() const {
  return has_level_set() || flow_.solids.any_fractions() || vortex_boost_.is_on() || shears_surface() ||
         std::any_of(forces_.begin(), forces_.end(), [](const auto& force) { return force->reports_energy(); });
}

/// Whether a force is a stress along the surface.
bool Simulation::shears_surface() const {
  return std::any_of(forces_.begin(), forces_.end(), [](const auto& force) { return force->shears_surface(); });
}

void Simulation::label() {
  const auto region = timers_.region("labels");
  if (flow_.solids.time() != time()) flow_.solids.move_to(time());
  report_.liquid_cells = find_labels();
  if (!is_prescribed() && (has_level_set() || flow_.solids.any_fractions())) {
    if (!has_level_set()) flow_.label_planes.find(flow_.labels);
    empty_faces_(flow_.label_planes, flow_.weight, flow_.velocity_old);
    if (has_level_set() && !is_apic())  // APIC has moved it along its gradient already
      one_sided_faces_(flow_.surface_distance, flow_.label_planes, flow_.solids, flow_.weight, flow_.velocity_old);
  }
  if (has_tension())
    surface_curvature_(flow_.surface_distance, flow_.solids, flow_.curvature, grid_.near_particles(particles_));
  find_inner_cells(flow_.labels, flow_.solids, flow_.inner_cells);
  volume_ = liquid_volume_here(particles_, flow_.labels, flow_.solids, flow_.inner_cells, particles_per_cell());
  pending_.sum(report_.liquid_cells);
  pending_.sum(volume_);
}

/// sqrt(rho dx^3 / sigma) [s]: in it the tension stops motion at the scale of a cell.
double Simulation::capillary_time() const {
  return std::sqrt(parameters_.fluid.density * domain_.cell_volume() / parameters_.fluid.surface_tension);
}

/// What follows from the sums of label(), once they have been reduced.
void Simulation::finish_labels() {
  report_.volume = domain_.cell_volume() * volume_.round();
  // a checkpoint of an earlier version has no volume at the start: there is nothing to compare with
  const double expected = numbers_.initial_volume > 0.0 ? expected_volume() : 0.0;
  report_.volume_drift = expected > 0.0 ? report_.volume / expected - 1.0 : 0.0;
}

/// Liquid cells of this rank; ghosts of the labels are valid to width 1. Collective.
GlobalIndex Simulation::find_labels() {
  if (labels_all_particles()) return label_cells(particles_, flow_.solids, flow_.labels);
  flow_.occupied.reset(layout(), Label::solid);
  flow_.occupied.fill(Label::solid);  // ghosts that no exchange reaches
  label_cells(particles_, flow_.solids, flow_.occupied);
  if (has_level_set()) {
    surface_distance_(particles_, flow_.solids, flow_.occupied, flow_.surface_distance);
    return label_cells_by_distance(flow_.surface_distance, flow_.solids, flow_.occupied, flow_.labels,
                                   flow_.label_planes);
  }
  neighbours_.gather(particles_, layout());
  return label_cells_by_density(particles_, neighbours_, flow_.solids, parameters_.labels.alpha,
                                parameters_.particles.per_axis, flow_.labels);
}

void Simulation::apply_forces(double dt) {
  const auto region = timers_.region("forces");
  flow_.solids.set_velocity(dt, &flow_.velocity_old);
  if (const int reach = reach_of(forces_); reach > 0)
    layout().halo().gather_together(reach, flow_.velocity_old, flow_.labels);
  copy_owned(flow_.velocity_old, flow_.velocity);
  if (shears_surface()) layout().halo().gather(flow_.weight, 1);
  ForceInput input = force_input(time(), flow_.velocity_old);
  switch (place_in_pair()) {
    case PlaceInPair::none:
      if (parameters_.time.splitting == Splitting::first_order) {
        input.time += numbers_.velocity_lead;
      } else {
        input.last_step = -2.0 * numbers_.velocity_lead;
        input.step = dt;
      }
      report_.boost_energy += add_forces(input, acting_time(dt), flow_.velocity);
      break;
    case PlaceInPair::first:
      input.time += numbers_.velocity_lead;
      report_.boost_energy += add_forces(input, acting_time(dt), flow_.velocity);
      acted_.reset(layout(), 0.0);
      copy_owned(flow_.velocity, acted_);
      break;
    case PlaceInPair::second:
      mend_foresight(dt);
      break;
  }
}

/// The first step of a pair foresaw a second one of its own length. This one is dt long: add what the forces do in the
/// time between the middles of the two, or take it back. [s]
void Simulation::mend_foresight(double dt) {
  const double longer = dt - numbers_.foreseen;
  if (longer == 0.0) return;
  const ForceInput input = force_input(time() + 0.5 * std::min(dt, numbers_.foreseen), flow_.velocity_old);
  const double energy = add_forces(input, 0.5 * std::abs(longer), flow_.velocity);
  report_.boost_energy += longer > 0.0 ? energy : -energy;
  if (longer < 0.0)
    for_each_face(flow_.velocity_old, flow_.velocity, [](double before, double& u) { u = 2.0 * before - u; });
}

/// What the forces see that act from a time on. [s] \param[in] flow  ghosts valid to their reach [m/s]
ForceInput Simulation::force_input(double from, const FaceField<double>& flow) const {
  return {.velocity = flow,
          .labels = flow_.labels,
          .time = from,
          .weight = &flow_.weight,
          .particles_per_cell = static_cast<double>(particles_per_cell())};
}

/// Add what the forces do in a time to a velocity, owned faces, which is input.velocity before. [s], [m/s]
/// \return the kinetic energy that the vortex boost adds [J]
double Simulation::add_forces(const ForceInput& input, double length, FaceField<double>& velocity) {
  double boost = 0.0;
  for (const auto& force : forces_) {
    force->apply(input, length, velocity);
    if (force->reports_energy())  // the first of the terms: the velocity was that of the flow before it
      boost = kinetic_energy_gain(input.velocity, velocity, flow_.weight, particle_mass());
  }
  return boost;
}

/// The liquid as a viscous step sees it. Collective
ViscousLiquid Simulation::viscous_liquid(const ViscosityRange& viscosity) {
  if (!viscosity.is_one_value()) {
    const auto region = timers_.region("viscosity");
    cell_viscosity_(particles_, layout(), scene_.viscosities(), viscosity_);
  }
  return {flow_.labels, flow_.solids, has_level_set() ? &flow_.surface_distance : nullptr, viscosity.largest,
          viscosity.is_one_value() ? nullptr : &viscosity_};
}

/// (2') with (1): the stress of u^n is one of the forces.
void Simulation::act_thinly(const ViscousLiquid& liquid, double dt) {
  const auto region = timers_.region("viscosity");
  viscous_step_.act_explicitly(liquid, acting_time(dt) / parameters_.fluid.density, flow_.velocity_old, flow_.velocity);
}

std::string Simulation::diffuse(const ViscousLiquid& liquid, double dt) {
  const auto region = timers_.region("viscosity");
  const ViscousPressure coupled{projection_.coefficients().unknown, viscous_pressure_};
  const bool is_split = parameters_.viscosity.coupling == ViscousCoupling::split;
  if (!is_split) viscous_pressure_.reset(layout(), 0.0);
  report_.viscosity =
      viscous_step_(liquid, acting_time(dt) / parameters_.fluid.density, flow_.velocity, is_split ? nullptr : &coupled);
  if (report_.viscosity.converged) return {};
  return fmt::format("the viscous solve left a residual of {:.2e} after {} iterations (viscosity.max_iterations = {})",
                     report_.viscosity.relative_residual, report_.viscosity.iterations,
                     parameters_.viscosity.max_iterations);
}

/// (2') and (3). The second projection solves for the whole of p: what walls ask of it, and the tension, hold for that.
/// The pressure is p + q.
std::string Simulation::project_viscous(const ViscousLiquid& liquid, double dt, const CellField<double>* inflow) {
  FaceField<double>& acted = acted_;  // what the first projection changes
  acted.reset(layout(), 0.0);
  copy_owned(flow_.velocity, acted);
  std::string failure = project_once(dt, inflow);
  if (!failure.empty()) return failure;
  const SolveReport first = report_.projection.solve;
  extrapolate_by(1, dt, flow_.velocity);
  for_each_face(flow_.velocity, acted, [](double u, double& change) { change = u - change; });
  failure = diffuse(liquid, dt);
  if (!failure.empty()) return failure;
  for_each_face(acted, flow_.velocity, [](double change, double& u) { u -= change; });
  failure = project_once(dt, inflow);
  if (report_.viscosity.is_coupled) {
    layout().halo().gather(viscous_pressure_, 1);
    scale_field(viscous_pressure_, 1.0 / scaled_pressure(dt));
    add_field(viscous_pressure_, flow_.pressure);
  }
  report_.projection.solve.iterations += first.iterations;
  report_.projection.solve.setup_seconds += first.setup_seconds;
  report_.projection.solve.solve_seconds += first.solve_seconds;
  return failure;
}

/// By how much the velocity will change until the middle of the second step of a pair, owned faces: by what the forces
/// do then, and by what the projection has done, for a time as long as that of the forces.
void Simulation::foresee(double dt) {
  const auto region = timers_.region("forces");
  if (const int reach = reach_of(forces_); reach > 0) layout().halo().gather(flow_.velocity, reach);
  foresight_.reset(layout(), 0.0);
  copy_owned(flow_.velocity, foresight_);
  report_.boost_energy += add_forces(force_input(time() + 0.5 * dt, flow_.velocity), dt, foresight_);
  for_each_face(flow_.velocity, foresight_, [](double u, double& next) { next -= u; });
  for_each_face(flow_.velocity, acted_, [](double u, double& before) { before = u - before; });
  for_each_face(acted_, foresight_,
                [factor = dt / acting_time(dt)](double projected, double& change) { change += factor * projected; });
}

std::string Simulation::project(double dt) {
  stage_ = Stage::pressure;
  // first: the walls that it moves hold for the stress, too
  const CellField<double>* const inflow = scene_.inflow(flow_.labels, time(), dt, flow_.solids);
  const ViscosityRange viscosity = viscosities_in_use(comm_, particles_, scene_.viscosities());
  if (viscosity.largest > 0.0) {
    const ViscousLiquid liquid = viscous_liquid(viscosity);
    if (!ViscousStep::is_thin(liquid, acting_time(dt) / parameters_.fluid.density))
      return project_viscous(liquid, dt, inflow);
    act_thinly(liquid, dt);
  }
  std::string failure = project_once(dt, inflow);
  if (failure.empty() && place_in_pair() == PlaceInPair::first) foresee(dt);
  return failure;
}

/// p~ / p = dt / (rho dx) [m/s / Pa]
double Simulation::scaled_pressure(double dt) const {
  return acting_time(dt) / (parameters_.fluid.density * domain_.dx());
}

std::string Simulation::project_once(double dt, const CellField<double>* inflow) {
  const auto region = timers_.region("pressure");
  const double to_scaled = scaled_pressure(dt);
  const bool has_acted = place_in_pair() == PlaceInPair::second;  // the pressure of the first step
  if (has_acted) copy_owned_cells(foreseen_pressure_, flow_.pressure);
  scale_field(flow_.pressure, has_acted || parameters_.pressure.warm_start ? to_scaled : 0.0);
  std::string failure;
  try {
    report_.projection = projection_(
        flow_.labels, flow_.solids, flow_.velocity, flow_.pressure, inflow,
        has_level_set() ? &flow_.surface_distance : nullptr,
        {has_tension() ? &flow_.curvature : nullptr, parameters_.fluid.surface_tension * to_scaled / domain_.dx()},
        numbers_.foreseen / acting_time(dt));
  } catch (const RunError& error) {  // on all ranks
    failure = error.what();
  }
  scale_field(flow_.pressure, 1.0 / to_scaled);
  return failure;
}

/// Largest displacement along an axis that the velocity gives in dt; infinite if it is not a number. [cells] Collective
double Simulation::largest_displacement(double dt) {
  double speed = largest_face_velocity_here(flow_.velocity);
  pending_.max(speed);
  pending_.reduce(comm_);
  return speed * dt / domain_.dx();
}

double Simulation::extrapolate(double dt) {
  const auto region = timers_.region("extrapolate");
  // Layer m ends at the distance m from the liquid, and its faces beside that end stand at m - 1/2: interpolation at a
  // distance reads the layers up to that distance + 1/2, rounded up. At a level set, particles begin in cells of air,
  // too.
  const double start = has_level_set() ? 1.0 : 0.0;
  const auto layers_for = [this, start](double displacement) {
    const double needed = std::ceil(start + displacement + care_.largest_correction() + 0.5);
    return needed < grid_.band() ? static_cast<int>(needed) : grid_.band();
  };
  // The projection seldom speeds the liquid up beyond what dt was chosen for.
  const int expected = layers_for(std::min(parameters_.time.cfl, expected_displacement(dt)));
  extrapolate_by(expected, dt, flow_.velocity);
  double cfl = largest_displacement(dt);
  const int layers = std::max(expected, layers_for(cfl));
  if (layers > expected) {
    extrapolate_by(layers, dt, flow_.velocity);
    cfl = largest_displacement(dt);
  }
  if (place_in_pair() == PlaceInPair::first) extrapolation_(known_labels(), flow_.solids, layers, foresight_);
  return cfl;
}

void Simulation::extrapolate_by(int layers, double dt, FaceField<double>& velocity) {
  // cells of air with particles of spray keep the velocity of these, so that spray is not slowed down
  extrapolation_(known_labels(), flow_.solids, layers, velocity);
  if (has_level_set() && layers > 0)
    surface_faces_(flow_.occupied, flow_.solids, parameters_.time.cfl * domain_.dx() / dt, velocity);
  continue_into_walls(velocity);
}

void Simulation::continue_into_walls(FaceField<double>& velocity) {
  if (flow_.solids.any_fractions()) layout().halo().gather(velocity, 1);
  covered_faces_(flow_.solids, velocity, projection_.released());
  enforce_walls(flow_.solids, velocity);
  mirror_no_slip(flow_.solids, velocity);
}

double Simulation::acting_time(double dt) const {
  const bool to_end = parameters_.time.splitting == Splitting::first_order && numbers_.foreseen == 0.0;
  return (to_end ? dt : 0.5 * dt) - numbers_.velocity_lead + numbers_.foreseen;
}

double Simulation::velocity_lead(Holder holder) const {
  if (holder == Holder::particles) return numbers_.velocity_lead;
  return numbers_.velocity_lead > 0.0 ? -numbers_.velocity_lead : numbers_.velocity_lead;
}

double Simulation::pressure_lead() const {
  return numbers_.velocity_lead == 0.0 || is_prescribed() ? 0.0 : -numbers_.dt;
}

/// By how much the velocities that a step of dt has left are of a later time than its end. [s]
double Simulation::lead_after(double dt) const {
  if (is_prescribed()) return -0.5 * dt;
  if (place_in_pair() == PlaceInPair::none && parameters_.time.splitting == Splitting::first_order) return 0.0;
  return place_in_pair() == PlaceInPair::first ? 0.5 * dt : -0.5 * dt;
}

void Simulation::set_time(double time) {
  report_.time = numbers_.time = time;
  report_.velocity_time = time + numbers_.velocity_lead;
}

Simulation::PlaceInPair Simulation::place_in_pair() const {
  if (report_.step == 0 || is_prescribed()) return PlaceInPair::none;
  if (numbers_.foreseen > 0.0) return PlaceInPair::second;  // also if a restart goes on with another splitting
  return parameters_.time.splitting == Splitting::reflection ? PlaceInPair::first : PlaceInPair::none;
}

/// 1.5 times time.cfl, but no more than the band of air covers.
double Simulation::displacement_limit() const {
  const double held = grid_.band() - 1 - care_.largest_correction();  // interpolation reads one more layer
  return std::min(tolerated_overshoot * parameters_.time.cfl, held);
}

StepTrials Simulation::trials(double dt, double speed) const {
  const auto& time = parameters_.time;
  return StepTrials({time.cfl, displacement_limit(), time.runaway_cfl, time.min_dt, time.max_retries}, dt,
                    speed / domain_.dx());
}

bool Simulation::tries_again(StepTrials& trial, const std::string& failure, double cfl) {
  StepTrials::Verdict verdict = trial.judge(failure, cfl);
  const bool failed = verdict != StepTrials::Verdict::accepted;
  // a smaller dt does not cure particles that are not finite
  if (failed && !all_finite(particles_, layout())) verdict = StepTrials::Verdict::failed;
  if (verdict == StepTrials::Verdict::failed)
    throw RunError(fmt::format(
        "step {}, phase pressure: {}. Tried {} times, at last with dt = {:.3e} s. {} {} Lower time.cfl, or look at the "
        "state in failure/snapshots (inputs/troubleshooting.md#failed)",
        report_.step, trial.reason(), report_.retries + 1, trial.dt(), describe_fastest_face(flow_.velocity),
        describe_fastest_particle(particles_, layout())));
  report_.retries = trial.retries();
  report_.overlong = trial.is_overlong();
  // the pressure of another dt is no initial guess
  if (verdict == StepTrials::Verdict::again) flow_.pressure.fill(0.0);
  return verdict == StepTrials::Verdict::again;
}

double Simulation::prescribe(double dt) {
  label();
  const auto region = timers_.region("prescribe");
  set_prescribed_velocity(parameters_.motion.field, time() + 0.5 * dt, flow_.velocity);
  return largest_displacement(dt);
}

void Simulation::blend(double dt, double cfl) {
  const auto region = timers_.region("blend");
  stage_ = Stage::particles;
  // A wind's current is sheared at the surface. Particles there take its whole change, if u^n is continued into the air
  // like u^{n+1}; from the deposit, with the velocity of the uppermost particles, they would be slowed to that below.
  if (shears_surface() && !is_apic()) {
    extrapolate_by(1, dt, flow_.velocity_old);
  }
  if (domain_.stores_walls()) hold_sticky_walls(flow_.solids, flow_.velocity_old);  // else both are 0 there
  const int reach = reach_of_move(cfl);
  FaceField<double>& held = held_velocity();
  if (&held != &flow_.velocity) layout().halo().gather(flow_.velocity, reach);  // for the motion
  if (is_prescribed()) {
    layout().halo().gather(flow_.velocity, reach);
    blend_velocity(flow_.velocity, flow_.velocity, 0.0, particles_);
  } else if (is_apic()) {
    layout().halo().gather(held, reach);
    blend_affine(affine_velocity(dt, held), particles_);
  } else {
    const TransferOptions& transfer = parameters_.transfer;
    const double tau =
        transfer.flip_time > 0.0 ? transfer.flip_time : longest_step(1.0, parameters_.run.end_time, pace());
    const double exponent = transfer.per == FlipPer::time ? dt / tau : 1.0;
    layout().halo().begin_gather(reach, held, flow_.velocity_old);
    const auto end_gather = [&] { layout().halo().end_gather(reach, held, flow_.velocity_old); };
    blend_velocity(held, flow_.velocity_old, scene_.flip_fractions().to_power(exponent), particles_,
                   std::cref(end_gather));
  }
  if (has_tension())  // three times as fast as a cell's own capillary motion: drops evaporate with less
    relax_at_surface(held, flow_.surface_distance, std::exp(-3.0 * dt / capillary_time()), particles_);
}

/// What particles take, and keep up to the next step: see advance().
FaceField<double>& Simulation::held_velocity() {
  if (place_in_pair() != PlaceInPair::first) return flow_.velocity;
  for_each_face(flow_.velocity, foresight_, [](double u, double& change) { change += u; });
  continue_into_walls(foresight_);
  return foresight_;
}

/// What particles of APIC take; u^n is continued into the air for it.
const FaceField<double>& Simulation::affine_velocity(double dt, const FaceField<double>& held) {
  if (!shears_surface()) return held;
  acted_.reset(layout(), 0.0);
  copy_owned(flow_.velocity_old, acted_);
  extrapolate_by(2, dt, flow_.velocity_old);  // as far as particles in cells of air next to the liquid read
  keep_surface_shear({.known = known_labels(),
                      .weight = flow_.weight,
                      .particles_per_cell = static_cast<double>(particles_per_cell()),
                      .continued = flow_.velocity_old,
                      .velocity = held},
                     acted_);
  layout().halo().gather(acted_, 1);
  return acted_;
}

void Simulation::resample() {
  if (!care_.reseeds()) return;
  const auto region = timers_.region("reseed");
  const ReseedingReport done =
      care_.resample(flow_, place_in_pair() == PlaceInPair::first ? foresight_ : flow_.velocity, report_.step,
                     numbers_.next_id, numbers_.reseeded - numbers_.removed, particles_);
  report_.reseeded = done.reseeded;
  report_.removed = done.removed;
  numbers_.next_id += done.reseeded;
  if (done.reseeded + done.removed > 0) grid_.sort(particles_);
}

void Simulation::correct_positions(double dt) {
  constexpr double smoothing_rate = 0.1;  // times that of a cell's own capillary motion; faster, chance stirs the drop
  const bool smooths = has_tension() && !is_prescribed() && dt > 0.0;
  if (!smooths && !care_.corrects_positions()) return;
  const auto region = timers_.region("density");
  const FaceField<double>* shifts = nullptr;
  if (smooths)
    shifts =
        &surface_smoothing_(flow_.surface_distance, flow_.labels, flow_.solids, surface_curvature_.smooth_surface(),
                            1.0 - std::exp(-smoothing_rate * dt / capillary_time()));
  const ParticleCare::Corrections done = care_.correct_positions(flow_, projection_, shifts, report_.step, particles_);
  report_.spread = done.spread;
  if (!done.density.is_new) return;
  report_.density = done.density;
  report_.density.add_to(pending_);
}

/// Sub-steps of the motion, in none of which a particle crosses more than longest_substep cells.
int Simulation::move_substeps(double cfl) const {
  return std::max(1, static_cast<int>(std::ceil(cfl / longest_substep)));
}

/// Width of the ghosts that a sub-step of the motion reads. [cells]
int Simulation::reach_of_move(double cfl) const {
  return static_cast<int>(std::ceil(cfl / move_substeps(cfl) + care_.largest_correction())) + 1;
}

void Simulation::refresh_for_move(double cfl) {
  layout().halo().gather(flow_.velocity, reach_of_move(cfl));
}

void Simulation::move(double dt, double cfl) {
  const int substeps = move_substeps(cfl);
  const int reach = reach_of_move(cfl);
  report_.cfl = cfl;
  report_.move_substeps = substeps;
  for (int s = 0; s < substeps; ++s) {
    GlobalIndex pushed_out = 0;
    {
      const auto region = timers_.region("move");
      if (s > 0) layout().halo().gather(flow_.velocity, reach);  // blocks may have changed
      const MotionReport moved = move_particles(flow_.velocity, flow_.solids, dt / substeps, reach,
                                                parameters_.motion.scheme, particles_, time() + s * (dt / substeps));
      pushed_out = moved.pushed_out;
      report_.stuck = moved.stuck;  // of the last sub-step: particles stuck before may have come free since
    }
    pending_.sum(pushed_out);
    pending_.sum(report_.stuck);
    redistribute();
    report_.pushed_out += pushed_out;
  }
  if (report_.stuck == 0) return;
  const auto region = timers_.region("stuck");
  const StuckReport freed = care_.free_stuck(flow_, time() + dt, report_.step, particles_);
  report_.repositioned = freed.repositioned;
  report_.stuck = freed.left;
  if (freed.repositioned > 0) redistribute();
}

void Simulation::redistribute() {
  count(grid_.redistribute(particles_, pending_));
}

void Simulation::exchange_particles(double dt) {
  if (!scene_.exchanges() && own_sources_.empty()) return;
  const auto region = timers_.region("sources");
  Scene::Exchange done = scene_.exchange(layout(), time(), dt, numbers_.next_id, particles_);
  GlobalIndex n_ids = done.emitted;  // that are used up
  for (const OwnSource& source : own_sources_) {
    const PlacementReport placed =
        scene_.place(layout(), time() + dt, source(time(), dt), numbers_.next_id + n_ids, particles_);
    done.emitted += placed.placed;
    n_ids += placed.placed + placed.outside_domain + placed.inside_solid;
  }
  report_.emitted = done.emitted;
  report_.held_back = done.held_back;
  report_.absorbed = done.absorbed;
  numbers_.next_id += n_ids;
  grid_.update(particles_);
}

void Simulation::balance() {
  if (grid_.rebalance_is_due(report_.imbalance, report_.step)) {
    count(grid_.rebalance(particles_, report_.imbalance));
  }
  report_.allocated_blocks = layout().n_global();
}

void Simulation::count(const MigrationReport& report) {
  migration_.moved_rank += report.moved_rank;
  migration_.left_domain += report.left_domain;
  migration_.lost += report.lost;
  migration_.lost_here.insert(migration_.lost_here.end(), report.lost_here.begin(), report.lost_here.end());
  report_.moved_rank = migration_.moved_rank;
  report_.left_domain = migration_.left_domain;
}

void Simulation::begin_gauges(double dt) {
  gauges_.begin_step(report_.step, time(), time() + dt);
  measure_flow(dt);
}

/// What gauges read of the grid; ghosts of the velocity are valid to width 1.
void Simulation::measure_flow(double dt) {
  if (gauges_.size() == 0) return;
  const auto region = timers_.region("gauges");
  gauges_.measure_flow({flow_.velocity, flow_.pressure, flow_.labels, flow_.inner_cells, flow_.solids, particles_,
                        viscous_step_.forces(), has_level_set() ? &flow_.surface_distance : nullptr, has_tension(), dt,
                        report_.viscosity.is_coupled ? &viscous_pressure_ : nullptr});
}

void Simulation::measure_particles(const std::function<void(Reduction&)>& rider) {
  const auto region = timers_.region("statistics");
  ParticleMoments moments = sum_here(particles_, layout());
  RankCosts costs = grid_.costs(particles_);
  report_.memory = static_cast<GlobalIndex>(memory_in_use());
  const std::vector<ParticleIndex>& begin = particles_.block_begin();
  report_.blocks = 0;
  for (LocalIndex b = 0; b < layout().n_owned(); ++b) report_.blocks += begin[b] != begin[b + 1] ? 1 : 0;
  moments.add_to(pending_);
  costs.add_to(pending_);
  pending_.sum(report_.memory);
  pending_.sum(report_.blocks);
  gauges_.measure_liquid({layout(), particles_, scene_.bodies(), time()});
  gauges_.add_to(pending_);
  if (rider) rider(pending_);
  pending_.reduce(comm_);

  gauges_.end_step();
  finish_labels();
  if (report_.density.is_new) {
    report_.density.finish();
    numbers_.density_error = report_.density.mean_error;
    numbers_.largest_density_error = report_.density.largest_error;
    numbers_.overfull_cells = report_.density.overfull_cells;
  }
  report_.imbalance = costs.imbalance(comm_.size());
  report_.sums = moments.physical(particle_mass(), parameters_.fluid.gravity);
  report_.particles = report_.sums.count;
  if (scene_.frame())  // particles are where the tank is: their height is the laboratory's
    report_.sums.potential_energy =
        -particle_mass() * static_cast<double>(report_.sums.count) *
        parameters_.fluid.gravity.dot(scene_.frame()->pose(time()).to_world(report_.sums.center_of_mass));
}

void Simulation::refresh_for_output() {
  flow_.solids.move_to(time());
  find_labels();
  layout().halo().gather(flow_.velocity, 1);
}

}  // namespace freshet
