// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/core/timers.hpp"
#include "freshet/driver/flow_fields.hpp"
#include "freshet/driver/particle_care.hpp"
#include "freshet/driver/particle_grid.hpp"
#include "freshet/driver/run_numbers.hpp"
#include "freshet/driver/scene.hpp"
#include "freshet/driver/step_report.hpp"
#include "freshet/driver/step_trials.hpp"
#include "freshet/fluid/empty_faces.hpp"
#include "freshet/fluid/extrapolate.hpp"
#include "freshet/fluid/forces.hpp"
#include "freshet/fluid/one_sided_faces.hpp"
#include "freshet/fluid/surface_curvature.hpp"
#include "freshet/fluid/surface_distance.hpp"
#include "freshet/fluid/surface_faces.hpp"
#include "freshet/fluid/surface_smoothing.hpp"
#include "freshet/fluid/vortex.hpp"
#include "freshet/fluid/walls.hpp"
#include "freshet/gauges/gauge.hpp"
#include "freshet/io/checkpoint.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/parallel/reduction.hpp"
#include "freshet/particles/neighbours.hpp"
#include "freshet/particles/seeding.hpp"
#include "freshet/pressure/projection.hpp"
#include "freshet/transfer/deposit.hpp"
#include "freshet/viscosity/cell_viscosity.hpp"
#include "freshet/viscosity/viscous_step.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace freshet {

/// State and time step of a liquid: one PIC/FLIP step is one call of advance(), and its sub-steps can be called alone.
///
/// Between calls particles are in the sorted state of layout(). Every public method that is not const is collective.
class Simulation {
 public:
  /// Seeds the liquids of the case. Errors: InputError if no particle comes of it
  Simulation(const Communicator& comm, const Parameters& parameters);
  /// Goes on where a checkpoint was written.
  Simulation(const Communicator& comm, const Parameters& parameters, RestoredState restored);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Largest dt with (u_max + a dt) dt <= CFL dx, a the largest body acceleration, and max_dt; [s]. In the first step
  /// a is that of the first solve, if it is larger: where a dam breaks, pressure speeds liquid up by more than gravity.
  /// No longer than what the motions of bodies, of the tank and of sources need: see seen_step().
  ///
  /// Bridson (2008, section 3.2) divides by u_max + sqrt(g dx), which at CFL C > 1 lets liquid at rest fall C^2 cells.
  double largest_dt() const;
  /// The part of largest_dt() that surface tension allows [s]; infinite without it. Local
  double capillary_limit() const;
  /// The part of time that the pressure of a step of dt acts for [s]: dt, or with splitting strang and reflection the
  /// half of it and of the step before. Then velocities are those of the middle between two positions.
  double acting_time(double dt) const;
  enum class Holder { particles, grid };
  /// By how much the velocities, and so the energies, are of a later time than the positions [s]; below 0 if they are
  /// of an earlier one. See time.splitting.
  double velocity_lead(Holder holder) const;
  /// The same for the pressure: with splitting strang and reflection it is that of the last step's start.
  double pressure_lead() const;
  /// Largest displacement of a step that is accepted at once. [cells]
  double displacement_limit() const;
  bool is_prescribed() const { return parameters_.motion.field != MotionField::solve; }
  /// One step of dt [s], or of less where dt proves too long: see StepTrials. The report says what it became.
  ///
  /// \param[in] rider  adds numbers of its own to the step's last reduction; they hold the sums and maxima over the
  /// ranks
  ///                   when advance() returns
  /// Errors: RunError with a diagnosis if no dt helps, and as check_step() says
  StepReport advance(double dt, const std::function<void(Reduction&)>& rider = {});

  // The sub-steps of advance(), in its order. A step begins with begin_step() and ends with end_step().
  void begin_step();  ///< an empty report with the number of the step
  /// Give up the step that is under way: time and particles are as before begin_step(). Possible until blend().
  /// \return whether no step is under way any more. Local
  bool cancel_step();
  bool is_between_steps() const { return stage_ == Stage::between_steps; }
  void deposit_velocity();       ///< u^n on faces from particles
  void label();                  ///< which cells are liquid, air, solid
  void apply_forces(double dt);  ///< u* = u^n + dt a; solids get the velocities that they have in dt
  /// u^{n+1} = u* - dt/rho grad p, before and after the viscous stress if liquid has one. \return why it failed; empty
  /// if it did not
  std::string project(double dt);
  /// u^{n+1} into the air as far as particles may go. \return its CFL number, the largest displacement in dt [cells]
  double extrapolate(double dt);
  /// Trials of what lies between label() and blend(), that begin with dt. \param[in] speed  largest one of a particle
  /// before the step [m/s]
  StepTrials trials(double dt, double speed) const;
  /// Judge a trial, whose projection failed with a text or whose velocity gives the CFL number.
  /// \return whether it must be taken again from the forces on, with a smaller dt
  /// Errors: RunError with a diagnosis if nothing helps. Collective
  bool tries_again(StepTrials& trials, const std::string& failure, double cfl);
  double prescribe(double dt);  ///< in place of the five above: labels, and u of motion.field at t^n + dt/2
  /// Particle velocities from u^{n+1} and u^n. \param[in] cfl  as for move(), for which it fetches ghosts, too
  void blend(double dt, double cfl);
  void begin_gauges(double dt);  ///< choose the gauges that measure in this step; they read the grid
  void resample();               ///< make and remove particles as [particles.reseeding] says
  /// Move particles as [density] and [particles.distribution] say, and with surface tension those at the surface to
  /// where it is smooth. \param[in] dt  0 if no time goes by: then the surface stays as it is
  void correct_positions(double dt);
  /// Ghosts that move() reads, if the velocity has changed since blend(). Collective
  void refresh_for_move(double cfl);
  void move(double dt, double cfl);    ///< particle positions, in sub-steps; particles migrate to their new owners
  void redistribute();                 ///< particles to the ranks that own their blocks, sorted
  void exchange_particles(double dt);  ///< sources make particles, and sinks take them
  /// Sums over all particles, the ranks' imbalance, and what else waits for a reduction
  void measure_particles(const std::function<void(Reduction&)>& rider = {});
  void balance();  ///< ownership of blocks moves if the ranks' costs, as measured, differ too much
  /// t^{n+1}, the report of the step, and its checks. \param[in] rider  see advance()
  void end_step(double dt, const std::function<void(Reduction&)>& rider = {});

  /// The contents of a checkpoint of the present state. Local
  CheckpointState checkpoint_state() const { return checkpoint_state(numbers_); }
  /// checkpoint_state() with the given totals of the run in place of numbers().
  CheckpointState checkpoint_state(RunNumbers numbers) const;
  /// Bring labels and velocity ghosts up to date for a snapshot.
  void refresh_for_output();
  /// What the constructor that goes on from a checkpoint takes, without a file. Local
  RestoredState restart_state() const;
  void add_force(std::unique_ptr<ForceTerm> force) { forces_.push_back(std::move(force)); }
  /// Particles that come in [time, time + dt], at the end of it, on top of those of the case's sources. Each rank gives
  /// any part of them, without ids; those outside the domain or inside solids are left out. [m], [m/s]
  using OwnSource = std::function<GivenParticles(double time, double dt)>;
  void add_source(OwnSource source) { own_sources_.push_back(std::move(source)); }
  /// u_p = f(x_p) for every particle. [m], [m/s]
  template <class Function>
  void set_particle_velocity(Function&& f);

  const Communicator& comm() const { return comm_; }
  const Parameters& parameters() const { return parameters_; }
  const Domain& domain() const { return domain_; }
  const BlockLayout& layout() const { return grid_.layout(); }
  const ParticleStore& particles() const { return particles_; }
  ParticleStore& particles() { return particles_; }
  const FaceField<double>& velocity() const { return flow_.velocity; }  ///< u^{n+1}, ghosts valid to width 1
  const CellField<double>& pressure() const { return flow_.pressure; }  ///< [Pa]
  const LabelField& labels() const { return flow_.labels; }             ///< of the last step's start
  const SolidFields& solids() const { return flow_.solids; }
  FlowFields& fields() { return flow_; }  ///< what they hold follows from the sub-step that was called last
  const SeedingReport& seeding() const { return seeding_; }
  const Scene& scene() const { return scene_; }
  const StepReport& report() const { return report_; }  ///< of a step that is under way as far as it has come
  /// Of the last step that has come to its end.
  const StepReport& finished_report() const { return is_between_steps() ? report_ : last_report_; }
  const Gauges& gauges() const { return gauges_; }  ///< with the rows of the last step
  GlobalIndex initial_liquid_cells() const { return numbers_.initial_liquid_cells; }
  const RunNumbers& numbers() const { return numbers_; }  ///< totals since the run began, restarts included
  bool awaits_liquid() const { return !scene_.sources().is_over(numbers_.time); }  ///< from sources
  int particles_per_cell() const;                                                  ///< of a full cell
  double particle_mass() const;                                                    ///< [kg]
  double time() const { return numbers_.time; }                                    ///< [s]
  void set_time(double time);                                                      ///< output times are hit exactly
  std::int64_t step() const { return numbers_.step; }
  Timers& timers() { return timers_; }  ///< of the steps and what is written; what came before is in start_phase

 private:
  /// What a step has changed so far: nothing; fields; the pressure, too; particles.
  enum class Stage { between_steps, grid, pressure, particles };
  struct Bare {};  ///< without liquid and grid yet
  Simulation(const Communicator& comm, const Parameters& parameters, Bare);
  bool is_apic() const { return parameters_.transfer.method == TransferMethod::apic; }
  bool labels_by_density() const { return parameters_.labels.method == LabelMethod::density; }
  bool has_level_set() const { return parameters_.labels.surface == LiquidSurface::level_set; }
  bool labels_all_particles() const { return !labels_by_density() && !has_level_set(); }
  bool reads_weights() const;
  GlobalIndex find_labels();
  void finish_labels();
  double expected_volume() const;
  bool has_tension() const { return parameters_.fluid.surface_tension > 0.0; }
  double capillary_time() const;
  double largest_displacement(double dt);
  double expected_displacement(double dt) const;
  /// Of the present step, with splitting reflection.
  enum class PlaceInPair { none, first, second };
  PlaceInPair place_in_pair() const;
  ForceInput force_input(double from, const FaceField<double>& flow) const;
  double add_forces(const ForceInput& input, double length, FaceField<double>& velocity);
  void mend_foresight(double dt);
  double lead_after(double dt) const;
  double scaled_pressure(double dt) const;
  void foresee(double dt);
  FaceField<double>& held_velocity();
  /// \param[in] inflow  of sources and sinks, from Scene::inflow(); null where nothing flows
  std::string project_once(double dt, const CellField<double>* inflow);
  ViscousLiquid viscous_liquid(const ViscosityRange& viscosity);
  void act_thinly(const ViscousLiquid& liquid, double dt);
  std::string project_viscous(const ViscousLiquid& liquid, double dt, const CellField<double>* inflow);
  /// The viscous stress of dt, into the velocity. \return why the solve failed; empty if it did not
  std::string diffuse(const ViscousLiquid& liquid, double dt);
  void fit_surface(const std::vector<std::shared_ptr<const Shape>>& shapes);
  double project_at_start();
  void find_first_pressure();
  struct Pace {
    double speed = 0.0;
    double acceleration = 0.0;
  };
  Pace pace() const;
  bool shears_surface() const;
  double seen_step(double dt, const Pace& pace) const;
  double longest_step(double cells, double max_dt, const Pace& pace) const;
  LabelField& known_labels() { return labels_all_particles() ? flow_.labels : flow_.occupied; }
  void extrapolate_by(int layers, double dt, FaceField<double>& velocity);
  void continue_into_walls(FaceField<double>& velocity);
  const FaceField<double>& affine_velocity(double dt, const FaceField<double>& held);
  int move_substeps(double cfl) const;
  int reach_of_move(double cfl) const;
  void measure_flow(double dt);
  void count(const MigrationReport& report);
  void measure_start();

  const Communicator& comm_;
  Parameters parameters_;
  Domain domain_;
  Timers timers_;
  Scene scene_;
  ForceTerms forces_;
  ParticleStore particles_;
  FlowFields flow_;
  ParticleGrid grid_;
  std::shared_ptr<ScratchMemory> scratch_ = std::make_shared<ScratchMemory>();  ///< of all deposits, in turn
  ParticleCare care_;
  ParticleNeighbours neighbours_;  ///< for labels by density
  SurfaceDistance surface_distance_;
  SurfaceCurvature surface_curvature_;
  SurfaceSmoothing surface_smoothing_;
  Deposit deposit_{scratch_};
  VortexBoost vortex_boost_;
  Extrapolation extrapolation_;
  SurfaceFaces surface_faces_;
  EmptyFaces empty_faces_;
  OneSidedFaces one_sided_faces_;
  CoveredFaces covered_faces_;
  CellViscosity cell_viscosity_;
  CellViscosities viscosity_;           ///< where liquids differ in it
  CellField<double> viscous_pressure_;  ///< pressure of the coupled viscous step [Pa]
  FaceField<double> acted_;  ///< velocity of project_viscous() and foresee() before the projection [m/s]; free after it
  FaceField<double> foresight_;          ///< change of velocity that splitting reflection foresees, then with it: see
                                         ///< foresee(), held_velocity() [m/s]
  CellField<double> foreseen_pressure_;  ///< pressure of the first step of a pair, for the second [Pa]
  ViscousStep viscous_step_;
  Projection projection_;
  SeedingReport seeding_;
  StepReport report_;       ///< of the last step, or of the present one while it is taken
  StepReport last_report_;  ///< of the step before the present one
  Stage stage_ = Stage::between_steps;
  Reduction pending_;  ///< numbers of report_ that are only reported and wait for the next reduction
  ExactSum volume_;    ///< of the liquid, in cells, while it waits
  Gauges gauges_;
  MigrationReport migration_;  ///< all migrations of that step together
  RunNumbers numbers_;
  std::vector<OwnSource> own_sources_;
  GlobalIndex particles_before_ = 0;  ///< the present step, on all ranks
};

template <class Function>
void Simulation::set_particle_velocity(Function&& f) {
  for (LocalIndex b = 0; b < layout().n_owned(); ++b) {
    const Vec3 corner = domain_.origin() + domain_.dx() * layout().first_cell(b).cast<double>();
    for (ParticleIndex p = particles_.block_begin()[b]; p < particles_.block_begin()[b + 1]; ++p) {
      const ParticleReal* x = particles_.position() + 3 * p;
      const Vec3 u = f(Vec3(corner + domain_.dx() * Vec3(x[0], x[1], x[2])));
      for (int d = 0; d < 3; ++d) particles_.velocity()[3 * p + d] = static_cast<ParticleReal>(u[d]);
    }
  }
  measure_particles();
}

}  // namespace freshet
