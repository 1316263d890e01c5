// SPDX-License-Identifier: Apache-2.0
// Simulation: its start with the scene's liquid or from a checkpoint, and queries.
#include "freshet/core/error.hpp"
#include "freshet/driver/body_links.hpp"
#include "freshet/driver/phase_table.hpp"
#include "freshet/driver/simulation.hpp"
#include "freshet/fluid/motion.hpp"
#include "freshet/fluid/narrow_band.hpp"
#include "freshet/fluid/prescribed.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/partition.hpp"
#include "freshet/grid/regrid.hpp"
#include "freshet/parallel/agree.hpp"
#include "freshet/particles/edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace freshet {
namespace {

ParticleGrid::Options grid_options(const Parameters& parameters) {
  // the curvature kernel reads cells far from the liquid; solids part air on their two sides in cells that exist
  const bool is_wide = parameters.fluid.surface_tension > 0.0 || parameters.air.bubbles != BubbleModel::off;
  const int band = is_wide ? block_width : static_cast<int>(std::ceil(parameters.time.cfl)) + 2;
  return {std::min(band, block_width - 1), parameters.balance,
          parameters.run.reproducible ? CellOrder::by_id : CellOrder::arrival};
}

NarrowBand::Options band_options(const Parameters& parameters, int per_cell) {
  const int tag = parameters.liquids.empty() ? 0 : parameters.liquids.front().tag;
  return {
      parameters.particles.narrow_band.width,         parameters.particles.per_axis, per_cell, tag, parameters.time.cfl,
      static_cast<std::uint64_t>(parameters.run.seed)};
}

}  // namespace

Simulation::Simulation(const Communicator& comm, const Parameters& parameters, const Bare& bare)
    : parameters_(parameters),
      scene_(comm, parameters_),
      bodies_(domain(), parameters.fluid.density, parameters.fluid.gravity, scene_.free_bodies(),
              make_links(parameters, scene_.free_bodies())),
      forces_(make_forces(domain(), parameters.fluid, parameters.forces, scene_.frame()), particles_per_cell(),
              particle_mass()),
      air_walls_(comm.rank(), domain(), scene_.bodies(), parameters.air.bubbles != BubbleModel::off),
      grid_(
          comm, domain(), grid_options(parameters), timers_,
          [this](const BlockLayout& next) {
            flow_.carry_to(next, scene_.bodies(), time());
            surface_.reset(next);
            air_.carry_to(next);
            splitting_.carry_to(next);
            band_.carry_to(next);
          },
          [this](const Splitters& splitters) { return further_blocks(splitters); },
          [this](const BlockLayout& layout) { return air_walls_.lacks_blocks(layout); }),
      surface_({parameters.labels, parameters.fluid, parameters.particles.per_axis, particles_per_cell(),
                ParticleTransfer::is_at_faces(parameters.transfer)},
               bare.scratch),
      air_(domain(), parameters.air, parameters.fluid, scene_.shapes_of_sinks()),
      transfer_(parameters, particles_per_cell(), particle_mass(), timers_, bare.scratch),
      splitting_(parameters.time.splitting, is_prescribed(), record_.numbers),
      extension_(parameters.extrapolation.method, parameters.time.cfl),
      pressure_(comm, parameters, timers_, bodies_, scene_.take_contact_surfaces()),
      viscosity_(comm, parameters, timers_),
      care_(comm,
            {parameters.particles, parameters.particles.reseeding, parameters.particles.distribution,
             parameters.density, static_cast<std::uint64_t>(parameters.run.seed), particles_per_cell(),
             parameters.motion.is_prescribed() ? 0.0 : surface_.longest_smoothing()},
            bare.scratch),
      band_(band_options(parameters, particles_per_cell()), timers_),
      gauges_(parameters.gauges, {domain(), particles_per_cell(), particle_mass(), parameters.fluid.gravity}),
      step_length_({parameters_, domain(), scene_, forces_, transfer_, splitting_, surface_, flow_.solids, bodies_,
                    record_.numbers}) {
  transfer_.prepare(particles_);
  if (gauges_.need_viscous_forces()) viscosity_.keep_forces();
  if (!bodies_.empty()) viscosity_.turbulence().keep_forces();
}

Simulation::Simulation(const Communicator& comm, const Parameters& parameters) : Simulation(comm, parameters, Bare{}) {
  Splitters splitters = uniform_splitters(domain(), comm.size());
  const bool leaves_out_bulk = band_.leaves_out_bulk(parameters.particles.narrow_band.is_filled_at_start);
  std::vector<BlockKey> deep_blocks;
  const SeedingReport seeding =
      scene_.seed(splitters, particles_, record_.numbers.next_id, leaves_out_bulk ? &deep_blocks : nullptr);
  if (seeding.left_out > 0) band_.begin(domain(), deep_blocks);
  grid_.build(splitters, particles_);
  record_.numbers.seeded = seeding.seeded + seeding.left_out;
  record_.numbers.band_removed = seeding.left_out;
  if (seeding.left_out > 0) band_.set_velocity(parameters.liquids.front().velocity, flow_, care_);  // all have one
  const std::vector<std::shared_ptr<const Shape>> filled = scene_.take_filled_shapes();
  if (surface_.can_fit() && !is_prescribed() && parameters.particles.jitter > 0.0 && !filled.empty())
    fit_surface(filled);
  measure_particles();
  balance();
  const GlobalIndex kept = record_.report.particles - record_.numbers.band_seeded + record_.numbers.band_removed;
  record_.numbers.dropped_in_solid = seeding.dropped_in_solid;
  record_.numbers.dropped_outside = seeding.dropped_outside + record_.numbers.seeded - kept;  // the fit moved some out
  record_.numbers.seeded = kept;
  if (!is_prescribed()) find_first_pressure();
  measure_start();
  record_.numbers.initial_liquid_cells = record_.report.liquid_cells;
  record_.numbers.initial_volume = record_.report.volume;
}

Simulation::Simulation(const Communicator& comm, const Parameters& parameters, RestoredState restored)
    : Simulation(comm, parameters, Bare{}) {
  record_.numbers = run_numbers(restored.numbers, restored.n_particles);
  gauges_.go_on(restored.numbers);
  const auto number = [&](const std::string& name) -> const double* {
    const auto found = std::ranges::find(restored.numbers, name, &NamedNumber::name);
    return found != restored.numbers.end() ? std::get_if<double>(&found->value) : nullptr;
  };
  bodies_.go_on(restored.bodies.empty() ? bodies_.kept_as_numbers(number) : restored.bodies, record_.numbers.time);
  if (restored.is_restart) ++record_.numbers.restarts;
  record_.report.step = record_.numbers.step;
  record_.report.dt = record_.numbers.dt;
  splitting_.restore_lead();
  set_time(record_.numbers.time);
  particles_ = std::move(restored.particles);
  transfer_.prepare_restored(particles_);
  scene_.complete_restored(particles_);
  grid_.restore(restored.splitters, restored.keys, record_.numbers.steps_since_rebuild, record_.numbers.uneven);
  std::copy(restored.pressure.begin(), restored.pressure.end(), flow_.pressure.data());
  agree(comm, [&] {
    air_.restore(restored.bubbles, restored.air, layout());
    splitting_.restore_change(restored.predicted_change, layout());
    if (!bodies_.empty() && splitting_.predicted_change() != nullptr) splitting_.keep_pressure(flow_.pressure);
    band_.restore(restored, record_.numbers.dt, flow_);
  });
  grid_.sort_restored(particles_);
  record_.report.allocated_blocks = layout().n_global();
  measure_start();
}

Simulation::~Simulation() = default;

/// The blocks that a narrow band's bulk and the walls of trapped air need.
std::vector<BlockKey> Simulation::further_blocks(const Splitters& splitters) {
  std::vector<BlockKey> keys = band_.blocks();
  const std::vector<BlockKey> of_walls = air_walls_.blocks(splitters);
  keys.insert(keys.end(), of_walls.begin(), of_walls.end());
  return keys;
}

/// Move the seeded particles until their surface coincides with that of the liquids' shapes.
///
/// A displacement moves long waves of the surface fully and waves of two cells by a small part only. Gains that take
/// turns reduce the errors of all wavelengths. If each step corrects positions, each round does, too: otherwise the
/// first steps would even out the random density and roughen the surface again.
void Simulation::fit_surface(const std::vector<std::shared_ptr<const Shape>>& shapes) {
  const auto region = timers_.region("labels");
  constexpr int n_rounds = 15;
  constexpr double gains[] = {0.8, 1.5, 3.0};
  double longest = 0.5;  // [cells]
  FaceField<double>& displacement = flow_.displacement();
  flow_.solids.move_to(time());
  for (int round = 0; round < n_rounds; ++round) {
    if (care_.corrects_positions()) {
      project_at_start();
      band_.fill_at_start(flow_, record_, care_, grid_, particles_);
      correct_positions(0.0);
      redistribute();
    }
    surface_.find(particles_, flow_.solids, band_.below_core());
    surface_.fit_to(shapes, flow_.solids, gains[round % 3], displacement);
    displace_particles(displacement, flow_.solids, longest, particles_);
    longest *= 0.85;
    redistribute();
  }
}

/// Project the velocity of the particles at their present positions. \return dt of the projection [s]
double Simulation::project_at_start() {
  deposit_velocity();
  label();
  const double dt = largest_dt();
  apply_forces(dt);
  if (!project(dt).empty()) flow_.pressure.fill(0.0);  // the first step tries again and reports a failure
  record_.stage = StepRecord::Stage::between_steps;
  bodies_.give_up();
  return dt;
}

/// Find the pressure and start_acceleration before the first step, for gauges and snapshots; velocity returns to u^n.
void Simulation::find_first_pressure() {
  const double dt = project_at_start();
  const double gained =
      extrapolate(dt) * domain().dx() / dt - step_length_.initial_speed(record_.report.sums.max_speed);
  if (std::isfinite(gained)) record_.numbers.start_acceleration = std::max(0.0, gained / dt);
  copy_owned(flow_.velocity_old, flow_.velocity);
  extend(1, dt, flow_.velocity);
}

/// Measure the state before the first step.
void Simulation::measure_start() {
  label();
  if (record_.numbers.restarts == 0) gauges_.begin_run();
  layout().halo().gather(flow_.velocity, 1);  // gauges read it
  measure_flow(0.0);
  measure_particles();
  pressure_.projection().try_options(surface_.labels(), flow_.solids);
  timers_.close_as(start_phase);
}

/// Volume that the liquid should have: the initial one plus that of sources less that lost to sinks and sides. [m^3]
double Simulation::expected_volume() const {
  const GlobalIndex net = record_.numbers.emitted - record_.numbers.absorbed - record_.numbers.left_domain;
  return record_.numbers.initial_volume + domain().cell_volume() * static_cast<double>(net) / particles_per_cell();
}

RestoredState Simulation::restart_state() const {
  RunNumbers numbers = record_.numbers;
  numbers.steps_since_rebuild = grid_.steps_since_build();
  numbers.uneven = grid_.uneven();
  RestoredState state;
  state.is_restart = false;
  state.numbers = named(numbers);
  state.bodies = bodies_.kept();
  state.n_particles = record_.report.sums.count;
  state.splitters = layout().splitters();
  state.keys.assign(layout().owned_keys().begin(), layout().owned_keys().end());
  state.particles = particles_;
  open_for_edits(state.particles, layout());
  const auto n_cells =
      static_cast<std::size_t>(layout().n_owned()) * static_cast<std::size_t>(layout().cells_per_block());
  state.pressure.assign(flow_.pressure.data(), flow_.pressure.data() + n_cells);
  state.bubbles = air_.kept();
  if (const FaceField<double>* change = splitting_.predicted_change())
    for (int d = 0; d < domain().dimension(); ++d)
      state.predicted_change.emplace_back((*change)[d].data(), (*change)[d].data() + n_cells);
  if (const CellField<std::uint8_t>* zones = band_.below_core()) {
    state.zones.assign(zones->data(), zones->data() + n_cells);
    for (int d = 0; d < domain().dimension(); ++d)
      state.velocity.emplace_back(flow_.velocity[d].data(), flow_.velocity[d].data() + n_cells);
  }
  if (const CellField<double>* cells = air_.kept_cells()) state.air.assign(cells->data(), cells->data() + n_cells);
  return state;
}

CheckpointState Simulation::checkpoint_state(RunNumbers numbers) const {
  numbers.steps_since_rebuild = grid_.steps_since_build();
  numbers.uneven = grid_.uneven();
  std::vector<NamedNumber> all = named(numbers);
  const std::vector<NamedNumber> of_gauges = gauges_.kept();
  all.insert(all.end(), of_gauges.begin(), of_gauges.end());
  return {numbers.step,       std::move(all),    &layout(),     &particles_,
          &flow_.pressure,    air_.kept_cells(), air_.kept(),   splitting_.predicted_change(),
          band_.below_core(), &flow_.velocity,   bodies_.kept()};
}

}  // namespace freshet
