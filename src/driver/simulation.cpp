// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/simulation.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/error.hpp"
#include "freshet/core/memory.hpp"
#include "freshet/diagnostics/energy.hpp"
#include "freshet/diagnostics/extremes.hpp"
#include "freshet/diagnostics/liquid_volume.hpp"
#include "freshet/driver/step_checks.hpp"
#include "freshet/driver/step_numbers.hpp"
#include "freshet/driver/step_phases.hpp"
#include "freshet/fluid/inner_cells.hpp"
#include "freshet/fluid/motion.hpp"
#include "freshet/fluid/prescribed.hpp"
#include "freshet/grid/face_maximum.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/particles/edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <utility>

namespace freshet {

// One step of the incompressible Euler equations, split as Zhu & Bridson (2005) and Bridson (2008) do:
//   (1) u_f = sum_p w u_p / sum_p w                       (2) u* = u + dt a
//   (3) div (dt/rho grad p) = div u*,  u' = u* - dt/rho grad p,  p = 0 in air,  u' . n = u_s . n on solids
//   (4) u_p = f (u_p - u(x_p)) + u'(x_p)                  (5) dx_p/dt = u'(x_p)
// For viscous liquid, (2') stands between (2) and (3), with D = (grad u + grad u^T) / 2:
//   (2') u' as in (3), then u* <- u* + u** - u' with
//        u** - dt/rho (div (2 mu D(u**)) - grad q) = u',  div u** = div u',  (2 mu D(u**) - q) n = 0 at the surface
// so that liquid at rest stays at rest, and stress and pressure together leave the surface free (variational Stokes;
// Larionov, Batty & Bridson 2017). The pressure is p + q; liquid leaves a separating wall where p would be negative.
// With viscosity.coupling = split q is 0, and u** may change its volume. If dt mu / (rho dx^2) is below 1e-3, as for
// water, the stress of u^n is one of the forces of (2), and no system is solved for it. With APIC, (1) has u_p + c_p .
// (x_f - x_p) in place of u_p, and (4) is u_p = u'(x_p), c_p = (grad u')(x_p). With density correction, (5) starts from
// x_p + d(x_p), div d = n / n_full - 1.
//
// (2) and (3) change no particle. Failures that a smaller dt can cure appear after (3): a solver that does not
// converge, a velocity that is not a number, or one that moves particles farther than dt was chosen for. The velocity
// is judged before any particle changes; if it fails, (2) and (3) are repeated from u^n with a smaller dt.
//
// Each phase first refreshes the ghosts that it reads; (4) refreshes those of (5), too. (5) moves particles by at most
// longest_substep cells in a sub-step; after it they migrate to the ranks that own their blocks and are sorted.
//
// With time.splitting = strang the velocities u^n belong to the middle between x^{n-1} and x^n: dt in (2) and (3) is
// half of the last step and half of this one, and at the start half of the first (leapfrog; Hockney & Eastwood 1988,
// section 4.4). Forces and pressure then hold at the middle of the interval that they act over, and (5) moves particles
// with the velocity of the middle of the step: both are of second order where forces depend on positions alone.
//
// With time.splitting = reflection steps come in pairs (advection-reflection; Zehnder, Narain & Thomaszewski 2018). dt
// in (2) and (3) is as with strang, and so is the velocity that (5) moves particles with: that of the middle of the
// step. But in the first of a pair (4) gives particles a prediction of the velocity in the middle of the second step,
// as if the projection changed it by as much again: u^{n+1} + c, c = (u' - u*) + dt a. The second step begins with u^n
// - c, c on the faces where it was found, and goes on as with strang: pressure and forces are those of the liquid's new
// cells, and only what c has become by its motion stays. A projection removes energy in proportion to its change, and
// c has no divergence where it was found. Each step costs as much as with the other schemes.
//
// Apart from the solve the ranks communicate four times: the largest displacement, who sends particles to whom, missing
// blocks, and the sums that the next dt needs. Numbers that are only reported wait for one of these.
//
// phases_of_step() lists the phases.
StepReport Simulation::advance(double dt, const std::function<void(Reduction&)>& rider) {
  const StepPhases phases = phases_of_step(is_prescribed());
  StepState state{dt, 0.0, {}};
  const auto take = [&](std::span<const StepPhase> some) {
    for (const StepPhase& phase : some) phase.call(*this, state);
  };
  begin_step();
  take(phases.before);
  StepTrials trial = trials(dt, record_.report.sums.max_speed);
  do {
    state.dt = trial.dt();
    take(phases.trial);
  } while (!phases.trial.empty() && tries_again(trial, state.failure, state.cfl));
  take(phases.after);
  end_step(state.dt, rider);
  return record_.report;
}

void Simulation::add_source(Scene::OwnSource source) {
  band_.refuse_sources();
  scene_.add_source(std::move(source));
}

void Simulation::begin_step() {
  record_.begin();
  band_.begin_step();
  if (!air_walls_.take_expected()) return;
  open_for_edits(particles_, layout());
  grid_.update(particles_);
}

bool Simulation::cancel_step() {
  if (record_.stage == StepRecord::Stage::between_steps || record_.stage == StepRecord::Stage::particles)
    return is_between_steps();
  if (record_.stage == StepRecord::Stage::pressure)
    flow_.pressure.fill(0.0);  // the pressure of a failed solve is no initial guess
  surface_.cancel_find();
  bodies_.give_up();
  band_.return_velocity(flow_);
  record_.cancel();
  return true;
}

void Simulation::end_step(double dt, const std::function<void(Reduction&)>& rider) {
  splitting_.end_step(dt);
  band_.end_step(dt);
  bodies_.end_step(dt, record_.numbers.time + dt);
  record_.report.dt = record_.numbers.dt = dt;
  set_time(record_.numbers.time + dt);
  measure_particles(rider);
  balance();
  check_step(record_.report, record_.migration, record_.particles_before, particles_, layout());
  add_to_totals(record_.report, record_.numbers);
  record_.stage = StepRecord::Stage::between_steps;
}

void Simulation::deposit_velocity() {
  const GhostRequest cells = find_particle_cells();
  const auto region = timers_.region("deposit");
  const bool keeps_weights = surface_.reads_weights(flow_.solids) || forces_.reads_weights();
  record_.deposit_energy = transfer_.deposit(particles_, keeps_weights, cells, flow_);
}

/// Begin label(): its first exchange has room in the deposit's messages. Collective
GhostRequest Simulation::find_particle_cells() {
  const auto region = timers_.region("labels");
  if (flow_.solids.time() != time()) flow_.solids.move_to(time());
  return surface_.begin_find(particles_, flow_.solids, band_.below_core());
}

void Simulation::label() {
  const auto region = timers_.region("labels");
  if (flow_.solids.time() != time()) flow_.solids.move_to(time());
  record_.report.liquid_cells = surface_.find(particles_, flow_.solids, band_.below_core());
  band_.advect_bulk(surface_.labels(), particles_, flow_, record_);
  const auto near_liquid = [this] { return grid_.near_particles(particles_); };
  air_.find(surface_, flow_.solids, near_liquid);
  transfer_.correct_deposit(surface_, flow_);
  surface_.find_shape(flow_.solids, near_liquid);
  bodies_.set_line_tension(flow_.solids, surface_.find_contact_lines(flow_.solids), surface_.tension(), comm());
  record_.volume = liquid_volume_here(particles_, surface_.labels(), flow_.solids, surface_.inner_cells(),
                                      particles_per_cell(), band_.below_core());
  record_.pending.sum(record_.report.liquid_cells);
  record_.pending.sum(record_.volume);
}

void Simulation::apply_forces(double dt) {
  const auto region = timers_.region("forces");
  flow_.solids.set_velocity(dt, &flow_.velocity_old);
  forces_.refresh(flow_.velocity_old, surface_.labels(), flow_.weight);
  record_.report.boost_energy =
      record_.deposit_energy + splitting_.apply_forces(forces_, surface_.labels(), time(), dt, flow_);
  viscosity_.turbulence()(flow_.velocity_old, surface_.labels(), flow_.solids, splitting_.acting_time(dt),
                          flow_.velocity);
  rub_bodies(splitting_.acting_time(dt));
  bodies_.ask_for_loads(time(), dt);
}

/// Let bodies and liquid rub against each other over `acting` [s]. Collective
void Simulation::rub_bodies(double acting) {
  Turbulence& turbulence = viscosity_.turbulence();
  turbulence.give_way(bodies_.set_friction(flow_.solids, turbulence.forces({}), acting, comm()), acting,
                      flow_.velocity);
}

void Simulation::set_body_state(int body, const BodyPlace& place, const Vec6& velocity) {
  FRESHET_EXPECT(is_between_steps());
  bodies_.set_state(body, place, velocity);
  air_walls_.expect_lacking();
  flow_.solids.move_to(time());
}

std::string Simulation::project(double dt) {
  record_.stage = StepRecord::Stage::pressure;
  // first, as the stress reads the velocities of walls that sources set
  const CellField<double>* const inflow = scene_.inflow(surface_.labels(), time(), dt, flow_.solids);
  const double crossing = crossing_time();  // before the trial gives bodies other velocities
  const std::string failure = viscosity_({flow_, surface_, inflow, splitting_, dt, crossing, air_}, particles_,
                                         scene_.viscosities(), pressure_, extension_, record_.report);
  record_.report.contacts = pressure_.contacts();
  if (!failure.empty() || !splitting_.foresees()) return failure;
  const auto region = timers_.region("forces");
  splitting_.foresee(forces_, surface_.labels(), time(), dt, flow_);
  if (bodies_.empty()) return failure;
  splitting_.keep_pressure(flow_.pressure);
  bodies_.foresee();
  return failure;
}

/// Largest displacement along an axis by the velocity in dt [cells]; infinite if a velocity is not a number. Collective
double Simulation::largest_displacement(double dt) {
  double speed = largest_face_velocity_here(flow_.velocity);
  record_.pending.max(speed);
  record_.pending.reduce(comm());
  for (int n = 0; n < bodies_.count(); ++n)  // the same on all ranks
    if (!bodies_.velocity(n).allFinite()) return std::numeric_limits<double>::infinity();
  const double of_bodies = bodies_.empty() ? 0.0 : largest_way(flow_.solids.bodies(), domain(), time(), dt);
  return std::max(speed * dt, of_bodies) / domain().dx();
}

double Simulation::extrapolate(double dt) {
  const auto region = timers_.region("extrapolate");
  // Layer m ends at distance m from the liquid, and its outermost transverse faces lie at m - 1/2: interpolation at a
  // distance s reads layers up to s + 1/2, rounded up. With a level set, cells of air hold particles, too.
  const auto layers_for = [this](double displacement) {
    const double needed = std::ceil(surface_.farthest_particle() + displacement + care_.largest_correction() + 0.5);
    return needed < grid_.band() ? static_cast<int>(needed) : grid_.band();
  };
  const int expected = layers_for(step_length_.expected_displacement(record_.report.sums.max_speed, dt));
  extend(expected, dt, flow_.velocity);
  double cfl = largest_displacement(dt);
  const int layers = std::max(expected, layers_for(cfl));
  if (layers > expected) {
    extend(layers, dt, flow_.velocity);
    cfl = largest_displacement(dt);
  }
  splitting_.extend_foresight(layers, extension_, surface_, flow_.solids);
  return cfl;
}

void Simulation::extend(int layers, double dt, FaceField<double>& velocity) {
  extension_(layers, dt, surface_, flow_.solids, pressure_.projection(), velocity);
}

void Simulation::set_time(double time) {
  record_.report.time = record_.numbers.time = time;
  air_walls_.look_at(time);
  bodies_.set_time(time);
  record_.report.velocity_time = time + splitting_.velocity_lead(TimeSplitting::Holder::particles);
}

StepTrials Simulation::trials(double dt, double speed) const {
  return step_length_.trials(dt, speed, held_displacement());
}

/// Largest displacement that the band of air covers: interpolation reads one more layer. [cells]
double Simulation::held_displacement() const {
  return grid_.band() - 1 - care_.largest_correction();
}

bool Simulation::tries_again(StepTrials& trial, const std::string& failure, double cfl) {
  StepTrials::Verdict verdict = trial.judge(failure, cfl);
  const bool failed = verdict != StepTrials::Verdict::accepted;
  // a smaller dt does not mend positions or velocities that are not finite
  if (failed && !all_finite(particles_, layout())) verdict = StepTrials::Verdict::failed;
  if (verdict == StepTrials::Verdict::failed)
    throw RunError(fmt::format(
        "step {}, phase pressure: {}. Tried {} times, at last with dt = {:.3e} s. {} {} Lower time.cfl, or look at the "
        "state in failure/snapshots (inputs/troubleshooting.md#failed)",
        record_.report.step, trial.reason(), record_.report.retries + 1, trial.dt(),
        describe_fastest_face(flow_.velocity), describe_fastest_particle(particles_, layout())));
  record_.report.retries = trial.retries();
  record_.report.overlong = trial.is_overlong();
  if (verdict != StepTrials::Verdict::again) return false;
  flow_.pressure.fill(0.0);  // the pressure of another dt is no initial guess
  bodies_.give_up();         // every trial begins from the velocities of the last step
  return true;
}

double Simulation::prescribe(double dt) {
  label();
  const auto region = timers_.region("prescribe");
  set_prescribed_velocity(parameters_.motion.field, time() + 0.5 * dt, flow_.velocity);
  return largest_displacement(dt);
}

void Simulation::blend(double dt, double cfl) {
  const auto region = timers_.region("blend");
  record_.stage = StepRecord::Stage::particles;
  record_.report.dt = dt;
  air_.accept(dt, flow_.solids);
  record_.report.bubbles = static_cast<GlobalIndex>(air_.bubbles().size());
  record_.report.bubble_volume = air_.volume();
  record_.report.bubble_pressure = air_.largest_pressure();
  splitting_.finish_foresight(extension_, pressure_.projection(), flow_);
  FaceField<double>& held = splitting_.held(flow_);
  transfer_.blend({flow_, held, scene_.flip_fractions(), [this] { return crossing_time(); }, reach_of_move(cfl), dt},
                  forces_.shears_surface(), surface_, extension_, pressure_.projection(), particles_);
  surface_.relax(held, dt, domain().dx(), particles_);
}

void Simulation::resample() {
  if (care_.reseeds()) reseed();
  band_.fill(splitting_.held(flow_), record_, care_, grid_, particles_);
}

void Simulation::reseed() {
  const auto region = timers_.region("reseed");
  const ReseedingReport done =
      care_.resample(surface_, flow_.solids, splitting_.held(flow_), record_.report.step, record_.numbers.next_id,
                     record_.numbers.reseeded - record_.numbers.removed, particles_, band_.below_core());
  record_.report.reseeded = done.reseeded;
  record_.report.removed = done.removed;
  record_.numbers.next_id += done.reseeded;
  if (done.reseeded + done.removed > 0) grid_.sort(particles_);
}

void Simulation::correct_positions(double dt) {
  if (!care_.moves_particles(dt)) return;
  const auto region = timers_.region("density");
  const ParticleCare::Corrections done =
      care_.correct_positions(flow_, surface_, pressure_.projection(), {record_.report.step, dt}, particles_);
  record_.report.spread = done.spread;
  if (!done.density.is_new) return;
  record_.report.density = done.density;
  record_.report.density.add_to(record_.pending);
}

/// Number of sub-steps of the motion: in each a particle crosses at most longest_substep cells.
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
  record_.report.cfl = cfl;
  record_.report.move_substeps = substeps;
  air_walls_.look_at(time() + dt);
  for (int s = 0; s < substeps; ++s) {
    GlobalIndex pushed_out = 0;
    {
      const auto region = timers_.region("move");
      if (s > 0) layout().halo().gather(flow_.velocity, reach);  // blocks may have changed: refresh ghosts
      const MotionReport moved = move_particles(flow_.velocity, flow_.solids, dt / substeps, reach,
                                                parameters_.motion.scheme, particles_, time() + s * (dt / substeps));
      pushed_out = moved.pushed_out;
      record_.report.stuck = moved.stuck;  // the last sub-step's: others came free
    }
    record_.pending.sum(pushed_out);
    record_.pending.sum(record_.report.stuck);
    redistribute();
    record_.report.pushed_out += pushed_out;
  }
  if (record_.report.stuck == 0) return;
  const auto region = timers_.region("stuck");
  const StuckReport freed = care_.free_stuck(flow_, time() + dt, record_.report.step, particles_);
  record_.report.repositioned = freed.repositioned;
  record_.report.stuck = freed.left;
  if (freed.repositioned > 0) redistribute();
}

void Simulation::redistribute() {
  record_.count(grid_.redistribute(particles_, record_.pending));
}

void Simulation::exchange_particles(double dt) {
  if (!scene_.exchanges()) return;
  const auto region = timers_.region("sources");
  const Scene::Exchange done = scene_.exchange(layout(), time(), dt, record_.numbers.next_id, particles_);
  record_.report.emitted = done.emitted;
  record_.report.held_back = done.held_back;
  record_.report.absorbed = done.absorbed;
  record_.numbers.next_id += done.ids;
  grid_.update(particles_);
}

void Simulation::balance() {
  if (grid_.rebalance_is_due(record_.report.imbalance, record_.report.step)) {
    record_.count(grid_.rebalance(particles_, record_.report.imbalance));
  }
  record_.report.allocated_blocks = layout().n_global();
}

void Simulation::begin_gauges(double dt) {
  gauges_.begin_step(record_.report.step, time(), time() + dt);
  measure_flow(dt);
}

/// Let gauges read the grid. \pre ghosts of the velocity are valid to width 1
void Simulation::measure_flow(double dt) {
  if (gauges_.size() == 0) return;
  const auto region = timers_.region("gauges");
  gauges_.measure_flow({flow_.velocity, flow_.pressure, surface_.labels(), surface_.inner_cells(), flow_.solids,
                        particles_, viscosity_.forces(), surface_.place(), surface_.has_tension(), dt,
                        record_.report.viscosity.is_coupled ? &viscosity_.pressure() : nullptr,
                        viscosity_.turbulence().wall_stress(), viscosity_.turbulence().y_plus(),
                        viscosity_.turbulence().wall_part(), &air_, band_.below_core()});
}

void Simulation::measure_particles(const std::function<void(Reduction&)>& rider) {
  const auto region = timers_.region("statistics");
  ParticleMoments moments = sum_here(particles_, layout());
  RankCosts costs = grid_.costs(particles_);
  band_.add_to(flow_.velocity, particles_, moments, record_.pending);
  record_.report.memory = static_cast<GlobalIndex>(memory_in_use());
  const std::vector<ParticleIndex>& begin = particles_.block_begin();
  record_.report.blocks = 0;
  for (LocalIndex b = 0; b < layout().n_owned(); ++b) record_.report.blocks += begin[b] != begin[b + 1] ? 1 : 0;
  moments.add_to(record_.pending);
  costs.add_to(record_.pending);
  record_.pending.sum(record_.report.memory);
  record_.pending.sum(record_.report.blocks);
  gauges_.measure_liquid({layout(), particles_, scene_.bodies(), time(), band_.below_core(), &flow_.velocity});
  gauges_.add_to(record_.pending);
  viscosity_.turbulence().add_to(record_.pending);
  if (rider) rider(record_.pending);
  record_.pending.reduce(comm());

  gauges_.end_step();
  // a checkpoint of an earlier version lacks the volume at the start
  record_.finish_sums(record_.numbers.initial_volume > 0.0 ? expected_volume() : 0.0, domain().cell_volume());
  record_.report.imbalance = costs.imbalance(comm().size());
  record_.report.turbulent_loss = viscosity_.turbulence().energy_lost();
  record_.report.sums = scene_.sums_of(moments, time());
  record_.report.particles = record_.report.sums.count;
}

void Simulation::refresh_for_output() {
  flow_.solids.move_to(time());
  surface_.find(particles_, flow_.solids, band_.below_core());
  const auto near_liquid = [this] { return grid_.near_particles(particles_); };
  surface_.find_shape(flow_.solids, near_liquid);
  air_.find(surface_, flow_.solids, near_liquid);
  layout().halo().gather(flow_.velocity, 1);
  viscosity_.turbulence().measure(flow_.velocity, surface_.labels(), flow_.solids, record_.report.dt);
}

}  // namespace freshet
