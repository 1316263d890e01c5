// SPDX-License-Identifier: Apache-2.0
// How a simulation begins: with the scene's liquid, or from a checkpoint.
#include "freshet/core/error.hpp"
#include "freshet/driver/simulation.hpp"
#include "freshet/grid/partition.hpp"
#include "freshet/transfer/affine.hpp"

#include <fmt/format.h>

#include <algorithm>

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
  for (const SourceParameters& source : parameters.sources)
    if (const std::optional<double> own = own_flip_fraction(source)) fractions.set(source.tag, *own);
  return fractions;
}

}  // namespace

Simulation::Simulation(const Communicator& comm, const Parameters& parameters, Bare)
    : comm_(comm),
      parameters_(parameters),
      domain_(parameters.domain),
      shape_maker_(std::make_unique<ShapeMaker>(comm, parameters.source_file, shape_lattice(parameters.domain))),
      bodies_(make_bodies(comm, parameters, *shape_maker_)),
      sources_(domain_, source_options(parameters), parameters.sources, *shape_maker_, bodies_),
      sinks_(domain_, parameters.particles.per_axis, parameters.sinks, *shape_maker_),
      attributes_(parameters.attributes, has_color(parameters), *shape_maker_),
      flip_fractions_(make_flip_fractions(parameters)),
      extrapolation_(parameters.extrapolation.method),
      projection_(std::make_unique<Projection>(comm, parameters.pressure)),
      density_correction_(parameters.density, particles_per_cell()),
      distribution_correction_(parameters.particles, parameters.particles.distribution) {
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
  numbers_.dropped_outside = seeding_.dropped_outside;
  numbers_.initial_liquid_cells = report_.liquid_cells;
  projection_->try_options(labels_, solids_);
}

/// The liquids' particles and the grid around them.
void Simulation::seed() {
  Splitters splitters = uniform_splitters(domain_, comm_.size());
  attributes_.add_to(particles_);
  if (is_apic()) add_affine(particles_);
  seeding_ = seed_particles(comm_, domain_, seeding_options(parameters_), make_liquids(parameters_, *shape_maker_),
                            shapes_of(bodies_), splitters, particles_);
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
  numbers_ = run_numbers(restored.numbers, restored.n_particles);
  ++numbers_.restarts;
  seeding_ = {numbers_.seeded, numbers_.dropped_in_solid, numbers_.dropped_outside};
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
  steps_since_rebuild_ = numbers_.steps_since_rebuild;
  if (comm_.any(grid_is_too_small())) {  // time.cfl has been raised since
    rebuild_layout(layout_->splitters());
  } else {
    sort();
  }
  measure_particles();
  label();
  projection_->try_options(labels_, solids_);
}

Simulation::~Simulation() = default;

/// The meshes as they were read are not needed any more.
void Simulation::finish_shapes() {
  shape_remarks_ = shape_maker_->remarks();
  shape_warnings_ = shape_maker_->warnings();
  shape_maker_.reset();
}

CheckpointState Simulation::checkpoint_state() const {
  return checkpoint_state(numbers_);
}

CheckpointState Simulation::checkpoint_state(RunNumbers numbers) const {
  numbers.steps_since_rebuild = steps_since_rebuild_;
  return {step_, named(numbers), layout_.get(), &particles_, &pressure_};
}

}  // namespace freshet
