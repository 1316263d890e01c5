// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/simulation.hpp"

#include "freshet/core/error.hpp"
#include "freshet/fluid/labels.hpp"
#include "freshet/fluid/motion.hpp"
#include "freshet/fluid/walls.hpp"
#include "freshet/grid/face_maximum.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/regrid.hpp"
#include "freshet/transfer/interpolate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

std::vector<SolidBody> make_bodies(const Parameters& parameters) {
  std::vector<SolidBody> bodies;
  for (const SolidParameters& solid : parameters.solids)
    bodies.push_back({make_shape(solid.shape), solid.slip, choose(solid.wall, parameters.pressure.walls.condition)});
  return bodies;
}

std::vector<std::shared_ptr<const Shape>> shapes_of(const std::vector<SolidBody>& bodies) {
  std::vector<std::shared_ptr<const Shape>> shapes;
  for (const SolidBody& body : bodies) shapes.push_back(body.shape);
  return shapes;
}

std::vector<LiquidBody> make_liquids(const Parameters& parameters) {
  std::vector<LiquidBody> liquids;
  for (const LiquidParameters& liquid : parameters.liquids)
    if (liquid.shape.kind != ShapeKind::particles)
      liquids.push_back({make_shape(liquid.shape), liquid.velocity, liquid.tag, liquid.color});
  return liquids;
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
      bodies_(make_bodies(parameters)),
      sources_(domain_, parameters_, shapes_of(bodies_)),
      sinks_(domain_, parameters_),
      attributes_(parameters_),
      projection_(std::make_unique<Projection>(comm, parameters.pressure)) {
  forces_.push_back(std::make_unique<Gravity>(parameters.fluid.gravity));
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
  seeding_ =
      seed_particles(comm_, domain_, parameters_, make_liquids(parameters_), shapes_of(bodies_), splitters, particles_);
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
  particles_ = std::move(restored.particles);
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

double Simulation::particle_mass() const {
  const double per_cell = std::pow(parameters_.particles.per_axis, domain_.dimension());
  return parameters_.fluid.density * domain_.cell_volume() / per_cell;
}

double Simulation::largest_dt() const {
  double a = 0.0;
  for (const auto& force : forces_) a += force->largest_acceleration();
  const double u = std::max(report_.sums.max_speed, sources_.largest_speed(time_));
  const double way = parameters_.time.cfl * domain_.dx();
  const double max_dt = parameters_.time.max_dt > 0.0 ? parameters_.time.max_dt : parameters_.run.end_time;
  const double speed = u + std::sqrt(u * u + 4.0 * a * way);  // (u + a dt) dt = way, free of cancellation
  return speed > 0.0 ? std::min(max_dt, 2.0 * way / speed) : max_dt;
}

// One step of the incompressible Euler equations, split as Zhu & Bridson (2005) and Bridson (2008) do:
//   (1) u_f = sum_p w u_p / sum_p w                       (2) u* = u + dt g
//   (3) div (dt/rho grad p) = div u*,  u' = u* - dt/rho grad p,  p = 0 in air,  u' . n = u_s . n on solids
//   (4) u_p = f (u_p - u(x_p)) + u'(x_p)                  (5) dx_p/dt = u'(x_p)
StepReport Simulation::advance(double dt) {
  const GlobalIndex particles_before = report_.particles;
  report_.emitted = report_.absorbed = report_.reseeded = report_.removed = 0;
  report_.step = numbers_.step = ++step_;
  deposit_velocity();  //                                 holds u^n
  label();
  dt = find_velocity(dt);  //                                 holds u^{n+1} in the liquid and the band
  blend();                 //                                 particles hold u^{n+1}
  move(dt);                //                                 particles hold x^{n+1}
  come_and_go(dt);         //                                 and those of sources join them
  set_time(time_ + dt);
  report_.dt = numbers_.dt = dt;
  measure_particles();
  check_health(particles_before);
  count_edits();
  return report_;
}

void Simulation::deposit_velocity() {
  const auto region = timers_.region("deposit");
  deposit_(particles_, *layout_, velocity_, weight_);
  copy_owned(velocity_, velocity_old_);
  layout_->halo().gather(velocity_old_, 1);
}

void Simulation::label() {
  const auto region = timers_.region("labels");
  report_.liquid_cells = comm_.sum(label_cells(particles_, solids_, labels_));
}

void Simulation::apply_forces(double dt) {
  const auto region = timers_.region("forces");
  for (const auto& force : forces_) force->apply(velocity_, time_, dt);
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
  const int layers = way < band() ? static_cast<int>(way) + 1 : band();
  extrapolation_(labels_, layers, velocity_);
  enforce_walls(solids_, velocity_);
  mirror_no_slip(solids_, velocity_);
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
  blend_velocity(velocity_, velocity_old_, parameters_.transfer.flip_fraction, particles_);
}

void Simulation::move(double dt) {
  const int substeps = std::max(1, static_cast<int>(std::ceil(report_.cfl / max_displacement)));
  const int reach = static_cast<int>(std::ceil(report_.cfl / substeps)) + 1;
  report_.move_substeps = substeps;
  report_.pushed_out = report_.left_domain = report_.moved_rank = 0;
  lost_ = 0;
  lost_here_.clear();
  for (int s = 0; s < substeps; ++s) {
    {
      const auto region = timers_.region("move");
      layout_->halo().gather(velocity_, reach);
      const MotionReport moved =
          move_particles(velocity_, solids_, dt / substeps, reach, parameters_.motion.scheme, particles_);
      report_.pushed_out += comm_.sum(static_cast<GlobalIndex>(moved.pushed_out));
    }
    settle();
  }
  numbers_.pushed_out += report_.pushed_out;
  numbers_.left_domain += report_.left_domain;
}

void Simulation::refresh_for_output() {
  label_cells(particles_, solids_, labels_);
  layout_->halo().gather(velocity_, 1);
}

void Simulation::count_edits() {
  numbers_.emitted += report_.emitted;
  numbers_.absorbed += report_.absorbed;
  numbers_.reseeded += report_.reseeded;
  numbers_.removed += report_.removed;
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
