// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/simulation.hpp"

#include "freshet/core/error.hpp"
#include "freshet/fluid/labels.hpp"
#include "freshet/fluid/motion.hpp"
#include "freshet/fluid/walls.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/face_maximum.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/regrid.hpp"
#include "freshet/particles/migration.hpp"
#include "freshet/transfer/interpolate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

constexpr int activation_margin = 2;        ///< cells built beyond the band, so that not every step rebuilds the grid
constexpr int steps_between_rebuilds = 32;  ///< blocks that dried up live at most this long
constexpr int steps_between_balances = 8;

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
    liquids.push_back({make_shape(liquid.shape), liquid.velocity, liquid.tag});
  return liquids;
}

void copy_faces(const FaceField<double>& from, FaceField<double>& to) {
  const BlockLayout& layout = from.layout();
  const LocalIndex n_owned = layout.n_owned();
  for (int d = 0; d < from.dimension(); ++d) {
#pragma omp parallel for schedule(static)
    for (LocalIndex b = 0; b < n_owned; ++b) std::copy_n(from[d].block(b), layout.cells_per_block(), to[d].block(b));
  }
}

void scale_cells(CellField<double>& field, double factor) {
  const LocalIndex n_blocks = field.layout().n_blocks();
  const int cells = field.layout().cells_per_block();
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_blocks; ++b)
    for (int c = 0; c < cells; ++c) field.block(b)[c] *= factor;
}

bool has_open_face(const Domain& domain) {
  for (int axis = 0; axis < domain.dimension(); ++axis)
    for (const int side : {0, 1})
      if (domain.condition(axis, side) == FaceCondition::open) return true;
  return false;
}

double rank_cost(const Parameters::Balance& balance, double n_particles, double n_cells) {
  return balance.particle_cost * n_particles + balance.cell_cost * n_cells;
}

}  // namespace

Simulation::Simulation(const Communicator& comm, const Parameters& parameters)
    : comm_(comm),
      parameters_(parameters),
      domain_(parameters.domain),
      bodies_(make_bodies(parameters)),
      projection_(std::make_unique<Projection>(comm, parameters.pressure)) {
  forces_.push_back(std::make_unique<Gravity>(parameters.fluid.gravity));
  Splitters splitters = uniform_splitters(domain_, comm.size());
  seeding_ =
      seed_particles(comm, domain_, parameters, make_liquids(parameters), shapes_of(bodies_), splitters, particles_);
  if (seeding_.seeded == 0)
    throw InputError(
        fmt::format("{}: the liquids hold no particle (they lie outside the domain, inside solids, or are "
                    "smaller than a cell). Check [[liquid]] against [domain] and [[solid]]",
                    parameters.source_file));
  rebuild_layout(splitters);
  if (rebalance_pays()) settle();
  measure_particles();
  label();
  initial_liquid_cells_ = report_.liquid_cells;
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
  const double u = report_.sums.max_speed;
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
  report_.step = ++step_;
  report_.dt = dt;
  deposit_velocity();  //                                     holds u^n
  label();
  apply_forces(dt);  //                                       holds u*
  project(dt);       //                                       holds u^{n+1} in the liquid
  extrapolate(dt);   //                                       holds u^{n+1} in the band too
  blend();           //                                       particles hold u^{n+1}
  move(dt);          //                                       particles hold x^{n+1}
  time_ += dt;
  report_.time = time_;
  measure_particles();
  check_health();
  return report_;
}

void Simulation::deposit_velocity() {
  const auto region = timers_.region("deposit");
  deposit_(particles_, *layout_, velocity_, weight_);
  copy_faces(velocity_, velocity_old_);
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
    report_.projection = (*projection_)(labels_, solids_, velocity_, pressure_);
  } catch (const RunError& error) {
    scale_cells(pressure_, 1.0 / to_scaled);  // for whoever looks at the failed step
    throw RunError(fmt::format("step {}: {}", step_, error.what()));
  }
  scale_cells(pressure_, 1.0 / to_scaled);
}

void Simulation::extrapolate(double dt) {
  const auto region = timers_.region("extrapolate");
  const double u_liquid = largest_face_velocity(velocity_);
  const int layers = std::min(static_cast<int>(std::ceil(u_liquid * dt / domain_.dx())) + 1, band());
  extrapolation_(labels_, layers, velocity_);
  enforce_walls(solids_, velocity_);
  mirror_no_slip(solids_, velocity_);
  max_face_velocity_ = largest_face_velocity(velocity_);
  report_.cfl = max_face_velocity_ * dt / domain_.dx();
}

void Simulation::blend() {
  const auto region = timers_.region("blend");
  layout_->halo().gather(velocity_, 1);
  blend_velocity(velocity_, velocity_old_, parameters_.transfer.flip_fraction, particles_);
}

void Simulation::move(double dt) {
  const int substeps = std::max(1, static_cast<int>(std::ceil(report_.cfl / max_displacement)));
  const int reach = static_cast<int>(std::ceil(report_.cfl / substeps)) + 1;
  report_.move_substeps = substeps;
  report_.pushed_out = report_.left_domain = report_.moved_rank = 0;
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
}

int Simulation::band() const {
  return std::min(static_cast<int>(std::ceil(parameters_.time.cfl)) + 2, block_width - 1);
}

bool Simulation::grid_is_too_small() const {
  for (const BlockKey key : blocks_near_particles(particles_, domain_, band()))
    if (layout_->find(key) == layout_->background()) return true;
  return false;
}

void Simulation::settle() {
  {
    const auto region = timers_.region("migrate");
    const MigrationReport report = migrate(particles_, *layout_, layout_->splitters());
    report_.moved_rank += report.moved_rank;
    report_.left_domain += report.left_domain;
    report_.particles = report.total;
  }
  const bool old_grid = ++steps_since_rebuild_ >= steps_between_rebuilds;
  if (comm_.any(grid_is_too_small()) || old_grid) {
    rebuild_layout(layout_->splitters());
  } else {
    const auto region = timers_.region("sort");
    sort_particles(particles_, *layout_, parameters_.run.reproducible ? CellOrder::by_id : CellOrder::arrival,
                   sort_workspace_);
  }
  if (rebalance_pays()) rebalance();
}

void Simulation::rebalance() {
  Splitters splitters;
  {
    const auto region = timers_.region("migrate");
    std::vector<double> costs(static_cast<std::size_t>(layout_->n_owned()));
    for (LocalIndex b = 0; b < layout_->n_owned(); ++b) {
      const auto count = static_cast<double>(particles_.block_begin()[b + 1] - particles_.block_begin()[b]);
      costs[b] = rank_cost(parameters_.balance, count, layout_->cells_per_block());
    }
    splitters = balanced_splitters(comm_, layout_->owned_keys(), costs);
    report_.moved_rank += migrate(particles_, *layout_, splitters).moved_rank;
  }
  rebuild_layout(splitters);
}

bool Simulation::rebalance_pays() {
  const double cells = static_cast<double>(layout_->n_owned()) * layout_->cells_per_block();
  const double cost = rank_cost(parameters_.balance, static_cast<double>(particles_.size()), cells);
  report_.imbalance = imbalance(comm_, cost);
  return parameters_.balance.enabled && comm_.size() > 1 && step_ % steps_between_balances == 0 &&
         report_.imbalance > parameters_.balance.threshold;
}

void Simulation::rebuild_layout(const Splitters& splitters) {
  const auto region = timers_.region("grid");
  const int wide_band = std::min(band() + activation_margin, block_width);
  auto layout =
      std::make_unique<BlockLayout>(comm_, domain_, splitters, blocks_near_particles(particles_, domain_, wide_band));
  if (layout_) {
    transfer_field(pressure_, *layout, 0.0);
    for (int d = 0; d < velocity_.dimension(); ++d) transfer_field(velocity_[d], *layout, 0.0);
  } else {
    pressure_.reset(*layout);
    pressure_.fill(0.0);
    velocity_.reset(*layout);
    velocity_.fill(0.0);
  }
  layout_ = std::move(layout);
  steps_since_rebuild_ = 0;
  bind_fields();
  sort_particles(particles_, *layout_, parameters_.run.reproducible ? CellOrder::by_id : CellOrder::arrival,
                 sort_workspace_);
}

void Simulation::bind_fields() {
  solids_.reset(*layout_, bodies_);
  labels_.reset(*layout_, Label::solid);
  velocity_old_.reset(*layout_);
  weight_.reset(*layout_);
  report_.blocks = layout_->n_global();
}

void Simulation::refresh_for_output() {
  label_cells(particles_, solids_, labels_);
  layout_->halo().gather(velocity_, 1);
}

void Simulation::measure_particles() {
  const auto region = timers_.region("statistics");
  report_.sums = sum_particles(particles_, *layout_, particle_mass(), parameters_.fluid.gravity);
  report_.particles = report_.sums.count;
}

void Simulation::check_health() const {
  if (!std::isfinite(report_.sums.kinetic_energy))
    throw RunError(fmt::format("a particle's velocity is not a number after step {}. Lower time.cfl", step_));
  if (report_.left_domain > 0 && !has_open_face(domain_))  // only a position that is not a number can do this
    throw RunError(
        fmt::format("{} particles left a closed domain in step {}: their positions are not numbers. Lower "
                    "time.cfl",
                    report_.left_domain, step_));
}

}  // namespace freshet
