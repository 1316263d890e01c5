// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/core/timers.hpp"
#include "freshet/diagnostics/particle_sums.hpp"
#include "freshet/driver/run_numbers.hpp"
#include "freshet/fluid/distribution.hpp"
#include "freshet/fluid/extrapolate.hpp"
#include "freshet/fluid/forces.hpp"
#include "freshet/fluid/sinks.hpp"
#include "freshet/fluid/solids.hpp"
#include "freshet/fluid/sources.hpp"
#include "freshet/fluid/walls.hpp"
#include "freshet/geometry/shape_maker.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/io/checkpoint.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/particles/migration.hpp"
#include "freshet/particles/named_attributes.hpp"
#include "freshet/particles/neighbours.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/particles/seeding.hpp"
#include "freshet/particles/sort.hpp"
#include "freshet/pressure/density_correction.hpp"
#include "freshet/pressure/projection.hpp"
#include "freshet/transfer/deposit.hpp"
#include "freshet/transfer/interpolate.hpp"

#include <memory>
#include <string>
#include <vector>

namespace freshet {

/// Numbers of one step, the same on all ranks.
struct StepReport {
  std::int64_t step = 0;
  double time = 0.0;  ///< at the end of the step [s]
  double dt = 0.0;    ///< [s]
  double cfl = 0.0;   ///< largest displacement of the step along an axis [cells]
  int retries = 0;    ///< how often the step was begun again with half of dt
  int move_substeps = 1;
  GlobalIndex particles = 0;
  GlobalIndex left_domain = 0;   ///< particles dropped beyond open faces in this step
  GlobalIndex pushed_out = 0;    ///< particles moved out of solids or walls in this step
  GlobalIndex repositioned = 0;  ///< particles that no push got out of a solid, put into the liquid in this step
  GlobalIndex stuck = 0;         ///< particles still in solids: there is no liquid to put them into
  GlobalIndex emitted = 0;       ///< particles that sources made in this step
  GlobalIndex held_back = 0;     ///< particles that sources did not make, as solids cover their inlets
  GlobalIndex absorbed = 0;      ///< particles that sinks took in this step
  GlobalIndex reseeded = 0;      ///< particles made in this step where too few were
  GlobalIndex removed = 0;       ///< particles taken in this step where too many were
  GlobalIndex spread = 0;        ///< particles moved by the distribution correction in this step
  GlobalIndex moved_rank = 0;
  GlobalIndex liquid_cells = 0;
  double boost_energy = 0.0;  ///< kinetic energy that the vortex boost gave to the grid [J]
  ProjectionReport projection;
  double volume = 0.0;     ///< of the liquid at the start of the step, see liquid_volume() [m^3]
  DensityReport density;   ///< of the particles at the start of the step
  ParticleSums sums;       ///< energies and centre of mass after the step
  double imbalance = 1.0;  ///< largest cost of a rank / mean
  GlobalIndex blocks = 0;
};

/// State and time step of a liquid: one PIC/FLIP step is one call of advance(), and its sub-steps can be called alone.
///
/// Between calls particles are in the sorted state of layout(). Every public method is collective.
class Simulation {
 public:
  /// Seeds the liquids of the case. Errors: InputError if no particle comes of it
  Simulation(const Communicator& comm, const Parameters& parameters);
  /// Goes on where a checkpoint was written.
  Simulation(const Communicator& comm, const Parameters& parameters, RestoredState restored);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Largest dt with (u_max + a dt) dt <= CFL dx, a the largest body acceleration, and max_dt; [s].
  ///
  /// Bridson (2008, section 3.2) divides by u_max + sqrt(g dx), which at CFL C > 1 lets liquid at rest fall C^2 cells.
  double largest_dt() const;
  /// One step of dt [s], or of dt/2, dt/4, ... if that fails: see find_velocity(). The report says what it became.
  ///
  /// Errors: RunError with a diagnosis if no dt helps, and for particles that are lost: those now and those that left
  /// through open faces must be those before
  StepReport advance(double dt);

  // The sub-steps of advance(), in its order.
  void deposit_velocity();          ///< u^n, u_old on faces from particles
  void label();                     ///< liquid, air, solid
  double find_velocity(double dt);  ///< the three below, with a dt that they succeed with: the dt returned
  void apply_forces(double dt);     ///< u* = u^n + dt a
  void project(double dt);          ///< u^{n+1} = u* - dt/rho grad p
  void prescribe(double dt);        ///< in place of all above: labels, and u of motion.field in the middle of the step
  void extrapolate(double dt);      ///< u^{n+1} into the air as far as particles may go
  void blend();                     ///< particle velocities from u^{n+1} and u_old
  void reseed();                    ///< particles come and go where [particles.reseeding] asks for it
  void correct_positions();         ///< at the start of the step, where [density], [particles.distribution] ask for it
  void move(double dt);             ///< particle positions
  void come_and_go(double dt);      ///< particles of sources and sinks
  void settle();                    ///< migrate, activate blocks, rebalance, sort

  /// What a checkpoint of the present state holds; what only the driver knows is left open. Local
  CheckpointState checkpoint_state() const;
  /// The same with these totals of the run in place of numbers().
  CheckpointState checkpoint_state(RunNumbers numbers) const;
  /// Bring labels and velocity ghosts up to date for a snapshot.
  void refresh_for_output();
  void add_force(std::unique_ptr<ForceTerm> force) { forces_.push_back(std::move(force)); }
  /// u_p = f(x_p) for every particle. [m], [m/s]
  template <class Function>
  void set_particle_velocity(Function&& f);

  const Communicator& comm() const { return comm_; }
  const Parameters& parameters() const { return parameters_; }
  const Domain& domain() const { return domain_; }
  const BlockLayout& layout() const { return *layout_; }
  const ParticleStore& particles() const { return particles_; }
  ParticleStore& particles() { return particles_; }
  const FaceField<double>& velocity() const { return velocity_; }  ///< u^{n+1}, ghosts valid to width 1 after a step
  const CellField<double>& pressure() const { return pressure_; }  ///< [Pa]
  const LabelField& labels() const { return labels_; }             ///< of the last step's start
  const SolidFields& solids() const { return solids_; }
  const SeedingReport& seeding() const { return seeding_; }
  const std::vector<std::string>& shape_remarks() const { return shape_remarks_; }    ///< what the meshes' files held
  const std::vector<std::string>& shape_warnings() const { return shape_warnings_; }  ///< of what may not be meant
  const StepReport& report() const { return report_; }
  GlobalIndex initial_liquid_cells() const { return numbers_.initial_liquid_cells; }
  const RunNumbers& numbers() const { return numbers_; }           ///< totals since the run began, restarts included
  bool awaits_liquid() const { return !sources_.is_over(time_); }  ///< from sources
  int particles_per_cell() const;                                  ///< of a full cell
  double particle_mass() const;                                    ///< [kg]
  /// Volume of the liquid cells at the start of the last step relative to what was there when the run began and has
  /// come and gone since, less 1; 0 if nothing should be there.
  double volume_drift() const;
  double time() const { return time_; }
  void set_time(double time) { report_.time = time_ = numbers_.time = time; }  ///< [s]; output times are hit exactly
  std::int64_t step() const { return step_; }
  Timers& timers() { return timers_; }

 private:
  struct Bare {};  ///< without liquid and grid yet
  Simulation(const Communicator& comm, const Parameters& parameters, Bare);
  /// What keeps a step of dt from going on.
  struct Failure {
    std::string phase;
    std::string reason;  ///< empty: nothing
  };
  bool is_prescribed() const { return parameters_.motion.field != MotionField::solve; }
  bool is_apic() const { return parameters_.transfer.method == TransferMethod::apic; }
  bool boosts_by(VortexMethod method) const;
  void boost_deposit();
  void confine(double dt);
  Failure try_velocity(double dt);
  [[noreturn]] void give_up(const Failure& failure, double dt) const;
  double solid_speed(double dt) const;  ///< upper bound of the bodies' speeds in a step of dt [m/s]
  bool corrects_density() const { return parameters_.density.correction != DensityMethod::off; }
  bool corrects_positions() const { return corrects_density() || parameters_.particles.distribution.enabled; }
  bool labels_by_density() const { return parameters_.labels.method == LabelMethod::density; }
  GlobalIndex find_labels();
  int band() const;  ///< air cells around liquid that must exist
  bool grid_is_too_small() const;
  bool rebalance_pays();
  void rebalance();
  void rebuild_layout(const Splitters& splitters);
  void finish_shapes();
  void adopt(std::unique_ptr<BlockLayout> layout);
  void bind_fields();
  void sort();
  void resettle();
  void seed();
  void load_particles(const LiquidParameters& liquid, const std::vector<std::shared_ptr<const Shape>>& solids,
                      const Splitters& splitters);
  const CellField<double>* prescribe_inflow(double dt);
  void free_stuck(double time);
  void measure_particles();
  void count_edits();
  void count_migration(const MigrationReport& report);
  void check_health(GlobalIndex particles_before);

  const Communicator& comm_;
  Parameters parameters_;
  Domain domain_;
  Timers timers_;
  std::unique_ptr<ShapeMaker> shape_maker_;  ///< until all shapes are made
  std::vector<std::string> shape_remarks_;
  std::vector<std::string> shape_warnings_;
  std::vector<SolidBody> bodies_;
  Sources sources_;
  Sinks sinks_;
  NamedAttributes attributes_;
  FlipFractions flip_fractions_;
  ForceTerms forces_;
  std::unique_ptr<BlockLayout> layout_;
  ParticleStore particles_;
  SortWorkspace sort_workspace_;
  SolidFields solids_;
  LabelField labels_;
  CellField<std::uint8_t> inner_cells_;  ///< of labels_
  LabelField occupied_;                  ///< liquid where particles are, if labels_ are not that already
  ParticleNeighbours neighbours_;        ///< for labels by density
  FaceField<double> velocity_;
  FaceField<double> velocity_old_;  ///< u_old: what the deposit gave
  FaceField<double> weight_;
  FaceField<double> vortex_velocity_;  ///< with the boost by weights only
  FaceField<double> vortex_weight_;
  CellField<double> inflow_;    ///< of sources and sinks, for the projection [m/s]
  CellField<double> pressure_;  ///< [Pa]; carried to the next step and grid as warm start
  Deposit deposit_;
  Extrapolation extrapolation_;
  CoveredFaces covered_faces_;
  std::unique_ptr<Projection> projection_;
  DensityCorrection density_correction_;
  DistributionCorrection distribution_correction_;
  FaceField<double> displacement_;  ///< of the density correction [cells]
  SeedingReport seeding_;
  StepReport report_;
  RunNumbers numbers_;
  double max_face_velocity_ = 0.0;  ///< of any component, after extrapolation [m/s]
  GlobalIndex lost_ = 0;            ///< particles of this step
  std::vector<ParticleId> lost_here_;
  double time_ = 0.0;
  std::int64_t step_ = 0;
  std::int64_t steps_since_rebuild_ = 0;
};

template <class Function>
void Simulation::set_particle_velocity(Function&& f) {
  for (LocalIndex b = 0; b < layout_->n_owned(); ++b) {
    const Vec3 corner = domain_.origin() + domain_.dx() * layout_->first_cell(b).cast<double>();
    for (ParticleIndex p = particles_.block_begin()[b]; p < particles_.block_begin()[b + 1]; ++p) {
      const ParticleReal* x = particles_.position() + 3 * p;
      const Vec3 u = f(Vec3(corner + domain_.dx() * Vec3(x[0], x[1], x[2])));
      for (int d = 0; d < 3; ++d) particles_.velocity()[3 * p + d] = static_cast<ParticleReal>(u[d]);
    }
  }
  measure_particles();
}

}  // namespace freshet
