// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/simulation.hpp"

#include "freshet/core/error.hpp"
#include "freshet/diagnostics/liquid_volume.hpp"
#include "freshet/fluid/inner_cells.hpp"
#include "freshet/fluid/labels.hpp"
#include "freshet/fluid/motion.hpp"
#include "freshet/fluid/prescribed.hpp"
#include "freshet/fluid/reseeding.hpp"
#include "freshet/fluid/vortex.hpp"
#include "freshet/fluid/walls.hpp"
#include "freshet/grid/face_maximum.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/regrid.hpp"
#include "freshet/transfer/affine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace freshet {
namespace {

std::vector<SolidBody> make_bodies(const Communicator& comm, const Parameters& parameters, ShapeMaker& make_shape) {
  std::vector<SolidBody> bodies;
  for (const SolidParameters& solid : parameters.solids) {
    const WallCondition wall = choose(solid.wall, parameters.pressure.walls.condition);
    const bool whole_cells = solid.surface == SolidSurface::voxels ||
                             (solid.surface == SolidSurface::automatic && wall == WallCondition::separating);
    bodies.push_back({make_shape(solid.shape), solid.slip, wall, whole_cells ? Surface::voxels : Surface::fractions,
                      make_motion(comm, solid.motion, parameters.source_file, parameters.domain.dimension)});
  }
  return bodies;
}

std::vector<std::shared_ptr<const Shape>> shapes_of(const std::vector<SolidBody>& bodies) {
  std::vector<std::shared_ptr<const Shape>> shapes;
  for (const SolidBody& body : bodies) shapes.push_back(body.shape_at(0.0));
  return shapes;
}

std::vector<LiquidBody> make_liquids(const Parameters& parameters, ShapeMaker& make_shape) {
  std::vector<LiquidBody> liquids;
  for (const LiquidParameters& liquid : parameters.liquids)
    if (liquid.shape.kind != ShapeKind::particles)
      liquids.push_back({make_shape(liquid.shape), liquid.velocity, liquid.tag, liquid.color});
  return liquids;
}

FlipFractions make_flip_fractions(const Parameters& parameters) {
  FlipFractions fractions(parameters.transfer.flip_fraction);
  for (const LiquidParameters& liquid : parameters.liquids)
    fractions.set(liquid.tag, flip_fraction_of(liquid, parameters.transfer));
  return fractions;
}

void scale_cells(CellField<double>& field, double factor) {
  const LocalIndex n_blocks = field.layout().n_blocks();
  const int cells = field.layout().cells_per_block();
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_blocks; ++b)
    for (int c = 0; c < cells; ++c) field.block(b)[c] *= factor;
}

}  // namespace

Simulation::Simulation(const Communicator& comm, const Parameters& parameters, Bare)
    : comm_(comm),
      parameters_(parameters),
      domain_(parameters.domain),
      shape_maker_(std::make_unique<ShapeMaker>(comm, parameters)),
      bodies_(make_bodies(comm, parameters, *shape_maker_)),
      sources_(domain_, parameters_, *shape_maker_, bodies_),
      sinks_(domain_, parameters_, *shape_maker_),
      attributes_(parameters_, *shape_maker_),
      flip_fractions_(make_flip_fractions(parameters)),
      extrapolation_(parameters.extrapolation.method),
      projection_(std::make_unique<Projection>(comm, parameters.pressure)),
      density_correction_(parameters.density, particles_per_cell()),
      distribution_correction_(parameters.particles) {
  if (auto motion = make_motion(comm, parameters.frame, parameters.source_file, parameters.domain.dimension)) {
    forces_.push_back(std::make_unique<MovingFrame>(domain_, parameters.fluid.gravity, std::move(motion)));
  } else {
    forces_.push_back(std::make_unique<Gravity>(parameters.fluid.gravity));
  }
}

Simulation::Simulation(const Communicator& comm, const Parameters& parameters) : Simulation(comm, parameters, Bare{}) {
  seed();
  if (rebalance_pays()) settle();
  measure_particles();
  label();
  numbers_.seeded = seeding_.seeded;
  numbers_.dropped_in_solid = seeding_.dropped_in_solid;
  numbers_.initial_liquid_cells = report_.liquid_cells;
  projection_->try_options(labels_, solids_);
}

/// The liquids' particles and the grid around them.
void Simulation::seed() {
  Splitters splitters = uniform_splitters(domain_, comm_.size());
  attributes_.add_to(particles_);
  if (is_apic()) add_affine(particles_);
  seeding_ = seed_particles(comm_, domain_, parameters_, make_liquids(parameters_, *shape_maker_), shapes_of(bodies_),
                            splitters, particles_);
  finish_shapes();
  numbers_.next_id = seeding_.seeded;
  for (const LiquidParameters& liquid : parameters_.liquids)
    if (liquid.shape.kind == ShapeKind::particles) load_particles(liquid, shapes_of(bodies_), splitters);
  if (seeding_.seeded == 0 && sources_.empty())
    throw InputError(
        fmt::format("{}: the liquids hold no particle (they lie outside the domain, inside solids, or are "
                    "smaller than a cell). Check [[liquid]] against [domain] and [[solid]]",
                    parameters_.source_file));
  attributes_.set_by_region(domain_, 0, particles_.size(), particles_);
  rebuild_layout(splitters);
}

Simulation::Simulation(const Communicator& comm, const Parameters& parameters, RestoredState restored)
    : Simulation(comm, parameters, Bare{}) {
  numbers_ = restored.numbers;
  ++numbers_.restarts;
  seeding_ = {numbers_.seeded, numbers_.dropped_in_solid};
  report_.step = step_ = numbers_.step;
  report_.time = time_ = numbers_.time;
  report_.dt = numbers_.dt;
  finish_shapes();
  particles_ = std::move(restored.particles);
  if (is_apic() && !has_affine(particles_))
    throw FileError(
        fmt::format("the checkpoint has no particles/{} of {} numbers, which transfer.method = \"apic\" needs",
                    affine_attribute, affine_width));
  attributes_.add_to(particles_);
  adopt(std::make_unique<BlockLayout>(comm, domain_, restored.splitters, restored.keys));
  std::copy(restored.pressure.begin(), restored.pressure.end(), pressure_.data());
  sort();
  steps_since_rebuild_ = numbers_.steps_since_rebuild;
  measure_particles();
  label();
  projection_->try_options(labels_, solids_);
}

Simulation::~Simulation() = default;

/// The meshes as they were read are not needed any more.
void Simulation::finish_shapes() {
  shape_remarks_ = shape_maker_->remarks();
  shape_maker_.reset();
}

int Simulation::particles_per_cell() const {
  const int n = parameters_.particles.per_axis;
  return domain_.dimension() == 3 ? n * n * n : n * n;
}

double Simulation::particle_mass() const {
  return parameters_.fluid.density * domain_.cell_volume() / particles_per_cell();
}

double Simulation::volume_drift() const {
  const GlobalIndex came = numbers_.emitted - report_.emitted;  // before the step
  const GlobalIndex went = numbers_.absorbed - report_.absorbed + numbers_.left_domain - report_.left_domain;
  const double expected =
      static_cast<double>(numbers_.initial_liquid_cells) + static_cast<double>(came - went) / particles_per_cell();
  return expected > 0.0 ? static_cast<double>(report_.liquid_cells) / expected - 1.0 : 0.0;
}

double Simulation::largest_dt() const {
  const double max_dt = parameters_.time.max_dt > 0.0 ? parameters_.time.max_dt : parameters_.run.end_time;
  const double way = parameters_.time.cfl * domain_.dx();
  if (is_prescribed()) return std::min(max_dt, way / enright_speed);
  double a = 0.0;
  for (const auto& force : forces_) a += force->largest_acceleration(time_);
  double of_particles = std::max(report_.sums.max_speed, sources_.largest_speed(time_));
  if (boosts_by(VortexMethod::confinement)) a += confinement_bound(parameters_.vortex.boost, of_particles);
  if (boosts_by(VortexMethod::weights))
    of_particles *= 1.0 + vortex_weight_factor * vortex_weight_bound * parameters_.vortex.boost;
  const auto limit = [&](double u) {
    const double speed = u + std::sqrt(u * u + 4.0 * a * way);  // (u + a dt) dt = way, free of cancellation
    return speed > 0.0 ? std::min(max_dt, 2.0 * way / speed) : max_dt;
  };
  double dt = limit(of_particles);
  // A body may speed up within the step: as often as its mean speed in dt asks for less.
  for (int round = 0; solids_.any_moving() && round < 8; ++round) {
    const double of_bodies = limit(std::max(of_particles, solid_speed(dt)));
    if (of_bodies >= dt) break;
    dt = of_bodies;
  }
  return dt;
}

double Simulation::solid_speed(double dt) const {
  return largest_speed(bodies_, domain_, time_, dt);
}

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

void Simulation::blend() {
  const auto region = timers_.region("blend");
  layout_->halo().gather(velocity_, 1);
  if (domain_.stores_walls()) {  // else both velocities are 0 there
    hold_sticky_walls(solids_, velocity_old_);
    layout_->halo().gather(velocity_old_, 1);
  }
  if (is_prescribed()) {
    blend_velocity(velocity_, velocity_, 0.0, particles_);
  } else if (is_apic()) {
    blend_affine(velocity_, particles_);
  } else {
    blend_velocity(velocity_, velocity_old_, flip_fractions_, particles_);
  }
}

void Simulation::reseed() {
  if (!parameters_.particles.reseeding.enabled) return;
  const auto region = timers_.region("reseed");
  const ReseedingSource source{static_cast<std::uint64_t>(parameters_.run.seed), step_,
                               static_cast<ParticleId>(numbers_.next_id), numbers_.reseeded - numbers_.removed};
  const ReseedingReport done =
      freshet::reseed(labels_, inner_cells_, solids_, velocity_, parameters_.particles, source, particles_);
  report_.reseeded = done.reseeded;
  report_.removed = done.removed;
  numbers_.next_id += done.reseeded;
  if (done.reseeded + done.removed > 0) sort();
}

/// Both corrections are found for the particles where they stand; so the second one is not disturbed by the first.
void Simulation::correct_positions() {
  if (!corrects_positions()) return;
  const auto region = timers_.region("density");
  const bool spreads = parameters_.particles.distribution.enabled;
  if (spreads && is_apic()) layout_->halo().gather(velocity_, 2);
  if (spreads) distribution_correction_.find(particles_, labels_, inner_cells_, is_apic() ? &velocity_ : nullptr);
  if (corrects_density()) {
    report_.density = density_correction_(particles_, labels_, solids_, inner_cells_, *projection_, displacement_);
    displace_particles(displacement_, solids_, parameters_.density.max_displacement, particles_);
  }
  if (spreads)
    report_.spread = comm_.sum(static_cast<GlobalIndex>(distribution_correction_.apply(solids_, particles_)));
}

void Simulation::move(double dt) {
  const int substeps = std::max(1, static_cast<int>(std::ceil(report_.cfl / max_displacement)));
  const double beyond = corrects_positions() ? 1.0 : 0.0;  // particles start as far as this outside their block [cells]
  const int reach = static_cast<int>(std::ceil(report_.cfl / substeps + beyond)) + 1;
  report_.move_substeps = substeps;
  report_.pushed_out = report_.left_domain = report_.moved_rank = report_.repositioned = report_.stuck = 0;
  lost_ = 0;
  lost_here_.clear();
  for (int s = 0; s < substeps; ++s) {
    {
      const auto region = timers_.region("move");
      layout_->halo().gather(velocity_, reach);
      const MotionReport moved = move_particles(velocity_, solids_, dt / substeps, reach, parameters_.motion.scheme,
                                                particles_, time_ + s * (dt / substeps));
      std::array<GlobalIndex, 2> counts{moved.pushed_out, moved.stuck};
      comm_.sum_in_place(counts);
      report_.pushed_out += counts[0];
      report_.stuck = counts[1];  // the last motion's: one before may have come free since
    }
    settle();
  }
  if (report_.stuck > 0) free_stuck(time_ + dt);
  numbers_.pushed_out += report_.pushed_out;
  numbers_.left_domain += report_.left_domain;
}

void Simulation::refresh_for_output() {
  solids_.move_to(time_);
  find_labels();
  layout_->halo().gather(velocity_, 1);
}

void Simulation::count_edits() {
  numbers_.emitted += report_.emitted;
  numbers_.absorbed += report_.absorbed;
  numbers_.reseeded += report_.reseeded;
  numbers_.removed += report_.removed;
  numbers_.held_back += report_.held_back;
  numbers_.spread += report_.spread;
  numbers_.boost_energy += report_.boost_energy;
}

void Simulation::measure_particles() {
  const auto region = timers_.region("statistics");
  report_.sums = sum_particles(particles_, *layout_, particle_mass(), parameters_.fluid.gravity);
  report_.particles = report_.sums.count;
}

CheckpointState Simulation::checkpoint_state() const {
  CheckpointState state{numbers_, layout_.get(), &particles_, &pressure_};
  state.numbers.steps_since_rebuild = steps_since_rebuild_;
  return state;
}

}  // namespace freshet
