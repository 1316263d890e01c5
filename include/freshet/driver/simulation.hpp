// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/air/air_walls.hpp"
#include "freshet/bodies/free_bodies.hpp"
#include "freshet/config/parameters.hpp"
#include "freshet/core/timers.hpp"
#include "freshet/driver/band_phase.hpp"
#include "freshet/driver/body_forces.hpp"
#include "freshet/driver/flow_fields.hpp"
#include "freshet/driver/particle_care.hpp"
#include "freshet/driver/particle_grid.hpp"
#include "freshet/driver/particle_transfer.hpp"
#include "freshet/driver/pressure_phase.hpp"
#include "freshet/driver/run_numbers.hpp"
#include "freshet/driver/scene.hpp"
#include "freshet/driver/step_length.hpp"
#include "freshet/driver/step_record.hpp"
#include "freshet/driver/step_trials.hpp"
#include "freshet/driver/time_splitting.hpp"
#include "freshet/driver/velocity_extension.hpp"
#include "freshet/driver/viscous_phase.hpp"
#include "freshet/free_surface/free_surface.hpp"
#include "freshet/gauges/gauge.hpp"
#include "freshet/io/checkpoint.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/parallel/reduction.hpp"
#include "freshet/particles/seeding.hpp"
#include "freshet/turbulence/turbulence.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace freshet {

/// State and time step of a liquid. advance() takes one PIC/FLIP step; its sub-steps can be called alone.
///
/// Between calls particles are in the sorted state of layout(). Every public method that is not const is collective.
class Simulation {
 public:
  /// Seeds the liquids of the case. Errors: InputError if that makes no particle and there is no source
  Simulation(const Communicator& comm, const Parameters& parameters);
  /// Goes on from the state of a checkpoint.
  Simulation(const Communicator& comm, const Parameters& parameters, RestoredState restored);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Largest dt up to max_dt with (u_max + a dt) dt <= CFL dx, where a is the largest body acceleration [s]. In the
  /// first step a is at least RunNumbers::start_acceleration: where a dam breaks, pressure speeds liquid up by more
  /// than gravity. So it is in the second where velocities lag behind. Surface tension and the motions of bodies, tank
  /// and sources may shorten dt; see seen_step().
  ///
  /// Bridson (2008, section 3.2) divides by u_max + sqrt(g dx), which at CFL C > 1 lets liquid at rest fall C^2 cells.
  double largest_dt() const { return step_length_.largest_dt(record_.report.sums.max_speed); }
  /// Largest displacement for which a trial of a step is accepted at once. [cells]
  double displacement_limit() const { return step_length_.displacement_limit(held_displacement()); }
  bool is_prescribed() const { return parameters_.motion.is_prescribed(); }
  /// Take one step of dt [s], or of less if dt proves too long; see StepTrials. The report holds the dt taken.
  ///
  /// \param[in] rider  adds numbers of its own to the step's last reduction; they are reduced over the ranks when
  /// advance() returns
  /// Errors: RunError with a diagnosis if no dt helps, and as check_step() says
  StepReport advance(double dt, const std::function<void(Reduction&)>& rider = {});

  // The sub-steps of advance(), in their order. A step begins with begin_step() and ends with end_step().
  void begin_step();  ///< begin an empty report with the number of the step
  /// Give up the present step: time and particles are as before begin_step(). Possible until blend(). \return whether
  /// no step is under way any more. Local
  bool cancel_step();
  bool is_between_steps() const { return record_.stage == StepRecord::Stage::between_steps; }
  void deposit_velocity();       ///< set u^n on faces from particles
  void label();                  ///< label cells as liquid, air or solid
  void apply_forces(double dt);  ///< u* = u^n + dt a; set the velocities of solids in the step
  /// u^{n+1} = u* - dt/rho grad p; for viscous liquid before and after the viscous solve. \return why it failed; empty
  /// if it did not
  std::string project(double dt);
  /// Extrapolate u^{n+1} into the air as far as particles may move. \return the largest displacement in dt [cells]
  double extrapolate(double dt);
  /// Trials of the sub-steps between label() and blend(), the first with dt. \param[in] speed  largest particle speed
  /// before the step [m/s]
  StepTrials trials(double dt, double speed) const;
  /// Judge a trial by the failure that project() returned, empty if none, and by the CFL number of its velocity.
  /// \return whether it must be repeated from apply_forces() on, with a smaller dt
  /// Errors: RunError with a diagnosis if nothing helps. Collective
  bool tries_again(StepTrials& trials, const std::string& failure, double cfl);
  double prescribe(double dt);  ///< instead of the five above: label cells; set u of motion.field at t^n + dt/2
  GhostRequest find_particle_cells();
  /// Set particle velocities from u^{n+1} and u^n; refresh the ghosts that move() reads. \param[in] cfl  see move()
  void blend(double dt, double cfl);
  void begin_gauges(double dt);  ///< choose the gauges that measure in this step and let them read the grid
  void resample();               ///< make and remove particles as [particles.reseeding] and particles.band say
  /// Move particles as [density] and [particles.distribution] say; with surface tension, also smooth the surface by
  /// moving the particles near it. \param[in] dt  0 before the first step: the surface is not smoothed
  void correct_positions(double dt);
  /// Refresh the ghosts that move() reads, if the velocity has changed since blend(). Collective
  void refresh_for_move(double cfl);
  void move(double dt, double cfl);    ///< move particles in sub-steps; they migrate to their new owners
  void redistribute();                 ///< send particles to the ranks that own their blocks, and sort them
  void exchange_particles(double dt);  ///< let sources make particles and sinks take them
  /// Reduce the sums over all particles, the ranks' costs, and the numbers of the report that wait for a reduction.
  void measure_particles(const std::function<void(Reduction&)>& rider = {});
  void balance();  ///< move blocks between ranks if their costs, as last measured, differ too much
  /// Set t^{n+1}, complete the report of the step and check it. \param[in] rider  see advance()
  void end_step(double dt, const std::function<void(Reduction&)>& rider = {});

  /// The contents of a checkpoint of the present state. Local
  CheckpointState checkpoint_state() const { return checkpoint_state(record_.numbers); }
  /// checkpoint_state() with the given numbers of the run in place of numbers().
  CheckpointState checkpoint_state(RunNumbers numbers) const;
  /// Bring the surface and velocity ghosts up to date for a snapshot.
  void refresh_for_output();
  /// The state that the restarting constructor takes, made in memory without a file. Local
  RestoredState restart_state() const;
  void add_force(std::unique_ptr<ForceTerm> force) { forces_.add(std::move(force)); }
  void add_source(Scene::OwnSource source);
  /// Add loads on bodies, which are asked for in each trial of a step; see FreeBodies::Loads.
  void add_body_loads(FreeBodies::Loads loads) { bodies_.add_loads(std::move(loads)); }
  /// Set where a body is and how it moves, between two steps; see FreeBodies::set_state(). \param[in] body  its number
  /// in free_bodies(). Parallel: local, the same on all ranks
  void set_body_state(int body, const BodyPlace& place, const Vec6& velocity);
  /// u_p = f(x_p) for every particle. [m], [m/s]
  template <class Function>
  void set_particle_velocity(Function&& f);

  const Communicator& comm() const { return layout().comm(); }
  const Parameters& parameters() const { return parameters_; }
  const Domain& domain() const { return scene_.domain(); }
  const BlockLayout& layout() const { return grid_.layout(); }
  const ParticleStore& particles() const { return particles_; }
  ParticleStore& particles() { return particles_; }
  const FaceField<double>& velocity() const { return flow_.velocity; }  ///< u^{n+1}, ghosts valid to width 1
  const CellField<double>& pressure() const { return flow_.pressure; }  ///< [Pa]
  const LabelField& labels() const { return surface_.labels(); }        ///< at the start of the last step
  FreeSurface& surface() { return surface_; }                           ///< surface at the start of the last step
  const TrappedAir& air() const { return air_; }                        ///< bubbles at the start of the last step
  const TimeSplitting& splitting() const { return splitting_; }
  const StepLength& step_length() const { return step_length_; }
  const SolidFields& solids() const { return flow_.solids; }
  FlowFields& fields() { return flow_; }  ///< contents depend on the last sub-step
  SeedingReport seeding() const {
    return {record_.numbers.seeded, record_.numbers.dropped_in_solid, record_.numbers.dropped_outside};
  }
  const Scene& scene() const { return scene_; }
  const FreeBodies& free_bodies() const { return bodies_; }    ///< bodies that the liquid moves
  const StepReport& report() const { return record_.report; }  ///< partly filled during a step
  /// Report of the last step that is complete.
  const StepReport& finished_report() const { return is_between_steps() ? record_.report : record_.last; }
  const Turbulence& turbulence() const { return viscosity_.turbulence(); }
  const Gauges& gauges() const { return gauges_; }  ///< hold the rows of the last step
  GlobalIndex initial_liquid_cells() const { return record_.numbers.initial_liquid_cells; }
  const RunNumbers& numbers() const { return record_.numbers; }  ///< totals since the run began, restarts included
  bool awaits_liquid() const { return !scene_.sources().is_over(record_.numbers.time); }  ///< sources will emit
  int particles_per_cell() const { return scene_.particles_per_cell(); }
  double particle_mass() const { return scene_.particle_mass(); }  ///< [kg]
  double time() const { return record_.numbers.time; }             ///< [s]
  void set_time(double time);                                      ///< for output times
  std::int64_t step() const { return record_.numbers.step; }
  Timers& timers() { return timers_; }  ///< the phases of steps and output; start_phase holds the time before

 private:
  /// Selects the constructor that makes neither liquid nor grid yet.
  struct Bare {
    std::shared_ptr<ScratchMemory> scratch = std::make_shared<ScratchMemory>();  ///< all deposits share it
  };
  Simulation(const Communicator& comm, const Parameters& parameters, const Bare& bare);
  double expected_volume() const;
  double held_displacement() const;
  double crossing_time() const { return step_length_.crossing_time(record_.report.sums.max_speed); }
  double largest_displacement(double dt);
  void extend(int layers, double dt, FaceField<double>& velocity);
  void fit_surface(const std::vector<std::shared_ptr<const Shape>>& shapes);
  void rub_bodies(double acting);
  double project_at_start();
  void find_first_pressure();
  void reseed();
  int move_substeps(double cfl) const;
  int reach_of_move(double cfl) const;
  void measure_flow(double dt);
  void measure_start();
  std::vector<BlockKey> further_blocks(const Splitters& splitters);

  Parameters parameters_;
  Timers timers_;
  StepRecord record_;
  Scene scene_;
  FreeBodies bodies_;
  BodyForces forces_;
  ParticleStore particles_;
  FlowFields flow_;
  AirWalls air_walls_;
  ParticleGrid grid_;
  FreeSurface surface_;
  TrappedAir air_;
  ParticleTransfer transfer_;
  TimeSplitting splitting_;
  VelocityExtension extension_;
  PressurePhase pressure_;
  ViscousPhase viscosity_;
  ParticleCare care_;
  BandPhase band_;
  Gauges gauges_;
  StepLength step_length_;
};

template <class Function>
void Simulation::set_particle_velocity(Function&& f) {
  for (LocalIndex b = 0; b < layout().n_owned(); ++b) {
    const Vec3 corner = domain().origin() + domain().dx() * layout().first_cell(b).cast<double>();
    for (ParticleIndex p = particles_.block_begin()[b]; p < particles_.block_begin()[b + 1]; ++p) {
      const ParticleReal* x = particles_.position() + 3 * p;
      const Vec3 u = f(Vec3(corner + domain().dx() * Vec3(x[0], x[1], x[2])));
      for (int d = 0; d < 3; ++d) particles_.velocity()[3 * p + d] = static_cast<ParticleReal>(u[d]);
    }
    if (band_.below_core() == nullptr) continue;
    const Vec3i width = domain().block_cells();
    for (int c = 0; c < layout().cells_per_block(); ++c) {
      const Vec3i cell(c % width.x(), c / width.x() % width.y(), c / (width.x() * width.y()));
      for (int d = 0; d < domain().dimension(); ++d) {
        Vec3 face = cell.cast<double>() + Vec3::Constant(0.5);
        face[d] -= 0.5;
        flow_.velocity[d].block(b)[c] = f(Vec3(corner + domain().dx() * face))[d];
      }
    }
  }
  measure_particles();
}

}  // namespace freshet
