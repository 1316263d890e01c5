// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/scene.hpp"

#include "freshet/core/error.hpp"
#include "freshet/driver/body_links.hpp"
#include "freshet/fluid/narrow_band.hpp"
#include "freshet/formats/point_file.hpp"
#include "freshet/geometry/input_files.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/particles/edit.hpp"
#include "freshet/pressure/solver.hpp"
#include "freshet/solids/nearest_body.hpp"
#include "freshet/solids/periodic_copies.hpp"
#include "place_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

std::vector<LiquidBody> make_liquids(const Parameters& parameters, ShapeMaker& make_shape) {
  std::vector<LiquidBody> liquids;
  for (const LiquidParameters& liquid : parameters.liquids)
    if (liquid.shape.kind != ShapeKind::particles)
      liquids.push_back({make_shape(liquid.shape), liquid.velocity, liquid.tag, liquid.color});
  return liquids;
}

std::vector<Box> bounds_of(const std::vector<LiquidBody>& liquids) {
  std::vector<Box> bounds;
  for (const LiquidBody& liquid : liquids) bounds.push_back(liquid.shape->bounds());
  return bounds;
}

/// Append warnings to others, each with the entry of the troubleshooting page that says what to do.
void add_warnings(std::vector<std::string>& warnings, const char* entry, const std::vector<std::string>& found) {
  for (const std::string& warning : found)
    warnings.push_back(fmt::format("{} (inputs/troubleshooting.md#{})", warning, entry));
}

/// Depth of the liquid in front of a paddle, in the direction of its waves, sampled four times a cell. [m]
double depth_at_paddle(const Domain& domain, const Vec3& direction, const Vec3& up,
                       const std::vector<std::shared_ptr<const Shape>>& liquids,
                       const std::vector<std::shared_ptr<const Shape>>& solids, const Shape& paddle) {
  const Vec3& begin = domain.origin();
  const Vec3 end = begin + domain.dx() * domain.cells().cast<double>();
  const auto in_domain = [&](const Vec3& x) { return (x.array() >= begin.array() && x.array() <= end.array()).all(); };
  const Box box = paddle.bounds();
  Vec3 front = 0.5 * (box.lower.cwiseMax(begin).cwiseMin(end) + box.upper.cwiseMax(begin).cwiseMin(end));
  while (in_domain(front) && paddle.signed_distance(front) < domain.dx()) front += domain.dx() * direction;
  const double step = 0.25 * domain.dx();
  const auto reach = static_cast<int>((end - begin).norm() / step);
  int n_wet = 0;
  for (int i = -reach; i <= reach; ++i) {
    const Vec3 x = front + (i + 0.5) * step * up;
    if (in_domain(x) && is_in_any(liquids, x) && !is_in_any(solids, x)) ++n_wet;
  }
  return n_wet * step;
}

/// Warn of contact angles at which liquid ends in a wedge too thin to be resolved over several cells.
std::vector<std::string> warnings_of_contact(const FluidOptions& fluid, const std::vector<SolidBody>& bodies) {
  constexpr double least = 45.0;  // [degrees]
  const double wedge = std::min(fluid.contact_angle, 180.0 - fluid.contact_angle);
  if (fluid.surface_tension == 0.0 || wedge >= least) return {};
  std::string text = fmt::format(
      "fluid.contact_angle = {:g}: below {:g} and above {:g} degrees drops on walls come to angles some 10 "
      "degrees nearer to 90, on any grid",
      fluid.contact_angle, least, 180.0 - least);
  const auto is_cut = [](const SolidBody& body) { return body.surface == Surface::fractions; };
  if (fluid.contact_angle < least && std::ranges::any_of(bodies, is_cut))
    text += "; on curved solids of cut cells they shed particles (surface = \"voxels\" holds them)";
  return {text};
}

/// Warn of sources, sinks and snapshots that begin after the end of the run, one line for each.
std::vector<std::string> warnings_of_times(const Parameters& parameters) {
  std::vector<std::string> warnings;
  const double end = parameters.run.end_time;
  const auto look = [&](const char* table, const auto& entries) {
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (!(Schedule(entries[i].schedule).time_on(end) > 0.0))
        warnings.push_back(
            fmt::format("{}.{} is never switched on: its start_time or schedule comes after run.end_time, "
                        "{:g} s",
                        table, i, end));
  };
  look("source", parameters.sources);
  look("sink", parameters.sinks);
  const OutputOptions& output = parameters.output;
  if (output.interval > 0.0 && output.start_time > end)
    warnings.push_back(
        fmt::format("output.start_time, {:g} s, comes after run.end_time, {:g} s: the only snapshot is that of the end",
                    output.start_time, end));
  return warnings;
}

/// Warn of wave makers in steps of first order whose length varies with the waves, one line for each.
std::vector<std::string> warnings_of_wave_steps(const Parameters& parameters) {
  if (parameters.time.splitting != Splitting::first_order || parameters.time.max_dt > 0.0) return {};
  std::vector<std::string> warnings;
  const auto is_paddle = [](const SolidParameters& solid) { return solid.motion.wave.type != WaveType::none; };
  const auto paddle = std::ranges::find_if(parameters.solids, is_paddle);
  if (paddle != parameters.solids.end())
    warnings.push_back(
        fmt::format("solid.{} makes waves, and time.splitting is \"first_order\": steps that grow and shrink with the "
                    "waves make them up to 10 % too high, and send waves back. Leave the key out, or choose \"strang\"",
                    paddle - parameters.solids.begin()));
  if (parameters.frame.moves())
    warnings.emplace_back(
        "frame: the tank moves, and time.splitting is \"first_order\": near resonance, steps that grow and shrink with "
        "the sloshing make it up to a fifth too low. Leave the key out, or choose \"strang\"");
  return warnings;
}

/// Warn of paddles whose water depth differs by more than a cell from that of their waves, one line for each.
std::vector<std::string> warnings_of_waves(const Domain& domain, const Parameters& parameters,
                                           const std::vector<LiquidBody>& liquids,
                                           const std::vector<std::shared_ptr<const Shape>>& solids) {
  std::vector<std::string> warnings;
  if (liquids.empty() || liquids.size() != parameters.liquids.size()) return warnings;  // files: extent unknown
  std::vector<std::shared_ptr<const Shape>> shapes;
  for (const LiquidBody& liquid : liquids) shapes.push_back(liquid.shape);
  for (std::size_t i = 0; i < parameters.solids.size(); ++i) {  // bodies of periodic copies come after these
    const WaveParameters& wave = parameters.solids[i].motion.wave;
    if (wave.type == WaveType::none) continue;
    const double depth = depth_at_paddle(domain, wave.direction.normalized(), -parameters.fluid.gravity.normalized(),
                                         shapes, solids, *solids[i]);
    if (std::abs(depth - wave.depth) > domain.dx())
      warnings.push_back(
          fmt::format("solid.{}: wave.depth is {:.3g} m, but the water at its paddle is {:.3g} m deep: "
                      "the waves will not have their height",
                      i, wave.depth, depth));
  }
  return warnings;
}

FlipFractions make_flip_fractions(const Parameters& parameters) {
  FlipFractions fractions(parameters.transfer.flip_fraction);
  for (const LiquidParameters& liquid : parameters.liquids)
    fractions.set(liquid.tag, flip_fraction_of(liquid, parameters.transfer));
  for (const SourceParameters& source : parameters.sources)
    if (const std::optional<double> own = own_flip_fraction(source)) fractions.set(source.tag, *own);
  return fractions;
}

TagViscosities make_viscosities(const Parameters& parameters) {
  TagViscosities viscosities(parameters.fluid.viscosity);
  for (const LiquidParameters& liquid : parameters.liquids)
    if (liquid.viscosity) viscosities.set(liquid.tag, *liquid.viscosity);
  for (const SourceParameters& source : parameters.sources)
    if (source.viscosity) viscosities.set(source.tag, *source.viscosity);
  return viscosities;
}

/// What a body that the liquid moves weighs, as a line for the log. In 2-D for one metre of thickness.
std::string remark_on(const FreeBody& body, const Domain& domain) {
  const bool is_flat = domain.dimension() == 2;
  const double thickness = domain.thickness();
  const Vec3& x = body.mass.center;
  const Vec3 moments = body.mass.inertia.diagonal() / thickness;
  return fmt::format(
      "solid.{}: a body of {:.6g} kg{} that the liquid moves; centre of mass {}, moments of inertia {} kg m^2",
      body.solid, body.mass.mass / thickness, is_flat ? " a metre" : "",
      is_flat ? fmt::format("({:.6g}, {:.6g}) m", x.x(), x.y())
              : fmt::format("({:.6g}, {:.6g}, {:.6g}) m", x.x(), x.y(), x.z()),
      is_flat ? fmt::format("{:.6g}", moments.z())
              : fmt::format("({:.6g}, {:.6g}, {:.6g})", moments.x(), moments.y(), moments.z()));
}

/// Make the free body of solid n from its keys, with mass and inertia of its shape. Collective
FreeBody make_free_body(const Parameters& parameters, std::size_t n, ShapeMaker& make_shape) {
  const SolidParameters& solid = parameters.solids[n];
  const double thickness = parameters.domain.thickness();
  const std::string name = (solid.shape.where.empty() ? "" : solid.shape.where + ": ") + fmt::format("solid.{}", n);
  const BodyMass mass = body_mass(solid.body, make_shape.moments(solid.shape), parameters.fluid.density, thickness,
                                  parameters.domain.dimension, name);
  FreeBody body = free_body(solid.body, mass, thickness);
  body.solid = static_cast<int>(n);
  body.path = std::make_shared<FreePath>();
  body.path->pivot = mass.center;
  return body;
}

/// Refuse a body that the liquid may move along a periodic axis which it just fills: a gap would open behind it.
/// \param[in] solid  as it stands at the start \param[in] where  its place in the case file. Errors: InputError
void expect_no_gap(const Domain& domain, const SolidBody& solid, const FreeBody& body, const std::string& where) {
  const Box box = solid.shape->bounds();
  for (int axis = 0; axis < domain.dimension(); ++axis) {
    if (!domain.periodic(axis) || (body.fixed >> static_cast<unsigned>(axis) & 1U) != 0) continue;
    const double low = domain.origin()[axis], length = domain.dx() * domain.cells()[axis];
    if (box.upper[axis] - box.lower[axis] < length) continue;
    const double beyond = 0.5 * domain.dx();  // less than this ends at a side
    if (box.lower[axis] < low - beyond && box.upper[axis] > low + length + beyond) continue;
    throw InputError(fmt::format(
        "{0}solid.{1} is as long as the domain along {2}, which is periodic, and ends at its sides (where the liquid "
        "moves it, a gap opens behind it). Make it shorter, or longer at both ends by as far as it may move, or hold "
        "it with "
        "body.fixed = [\"{2}\"]",
        where.empty() ? "" : where + ": ", body.solid, "xyz"[axis]));
  }
}

/// What the solids are to bodies that touch them; none if the liquid moves no body. Collective
std::vector<ContactSurface> make_contact_surfaces(const Parameters& parameters, ShapeMaker& make_shape) {
  const auto is_free = [](const SolidParameters& solid) { return solid.body.is_free(); };
  std::vector<ContactSurface> surfaces;
  if (std::ranges::none_of(parameters.solids, is_free)) return surfaces;
  for (const SolidParameters& solid : parameters.solids) {
    const BodyParameters& body = solid.body;
    SurfaceFeatures features;
    if (body.contact) features = make_shape.features(solid.shape);
    surfaces.push_back({std::move(features), body.restitution, body.friction, body.contact, {}});
  }
  for (const JointParameters& joint : parameters.joints)  // joined bodies may overlap at their joint
    if (joint.kind != JointKind::spring && joint.solids.size() == 2)
      for (const std::size_t end : {0, 1})
        surfaces[static_cast<std::size_t>(joint.solids[end])].passes.push_back(static_cast<int>(joint.solids[1 - end]));
  return surfaces;
}

}  // namespace

std::vector<SolidBody> make_bodies(const Communicator& comm, const Parameters& parameters, ShapeMaker& make_shape,
                                   std::vector<FreeBody>* free) {
  std::vector<SolidBody> bodies;
  std::vector<std::string> where;
  for (const SolidParameters& solid : parameters.solids) {
    where.push_back(solid.shape.where);
    const bool is_free = solid.body.is_free();
    const WallCondition wall = choose(solid.wall, parameters.pressure.walls.condition);
    const Surface surface = solid.surface == SolidSurface::voxels ? Surface::voxels : Surface::fractions;
    bodies.push_back({make_shape(solid.shape), solid.slip, wall, surface,
                      make_motion(comm, solid.motion, parameters.source_file, parameters.domain.dimension,
                                  parameters.fluid.gravity)});
    bodies.back().roughness = solid.roughness.sand_grains();
    if (!is_free) continue;
    FreeBody body = make_free_body(parameters, bodies.size() - 1, make_shape);
    expect_no_gap(Domain(parameters.domain), bodies.back(), body, solid.shape.where);
    bodies.back().motion = std::make_shared<RigidMotion>(body.mass.center, body.path);
    if (free != nullptr) free->push_back(std::move(body));
  }
  return with_periodic_copies(Domain(parameters.domain), std::move(bodies), parameters.run.end_time, where);
}

Scene::Scene(const Communicator& comm, const Parameters& parameters)
    : comm_(comm),
      domain_(parameters.domain),
      parameters_(parameters),
      shape_maker_(std::make_unique<ShapeMaker>(comm, parameters.source_file, shape_lattice(parameters.domain))),
      bodies_(make_bodies(comm, parameters, *shape_maker_, &free_bodies_)),
      contact_surfaces_(make_contact_surfaces(parameters, *shape_maker_)),
      frame_(make_motion(comm, parameters.frame, parameters.source_file, parameters.domain.dimension)),
      sources_(domain_, source_options(parameters), parameters.sources, *shape_maker_, bodies_),
      sinks_(domain_, parameters.particles.per_axis, parameters.sinks, *shape_maker_),
      attributes_(parameters.attributes, has_color(parameters), *shape_maker_),
      flip_fractions_(make_flip_fractions(parameters)),
      viscosities_(make_viscosities(parameters)) {}

Scene::~Scene() = default;

std::vector<std::shared_ptr<const Shape>> Scene::shapes_at(double time) const {
  std::vector<std::shared_ptr<const Shape>> shapes;
  for (const SolidBody& body : bodies_) shapes.push_back(body.shape_at(time));
  return shapes;
}

void Scene::finish_shapes() {
  remarks_ = shape_maker_->remarks();
  for (const FreeBody& body : free_bodies_) remarks_.push_back(remark_on(body, domain_));
  for (std::string& remark : remarks_on_links(parameters_)) remarks_.push_back(std::move(remark));
  add_warnings(warnings_, "leaks", shape_maker_->warnings());
  add_warnings(warnings_, "place", warnings_of_gauges(domain_, parameters_.gauges, bodies_));
  add_warnings(warnings_, "place", warnings_of_extent(domain_, "source", sources_.bounds()));
  add_warnings(warnings_, "place", warnings_of_absence(domain_, parameters_.run.end_time, bodies_));
  std::vector<std::pair<int, VolumeMoments>> moved;
  for (const FreeBody& body : free_bodies_)
    if (const auto moments = shape_maker_->moments(parameters_.solids[static_cast<std::size_t>(body.solid)].shape))
      moved.emplace_back(body.solid, *moments);
  add_warnings(warnings_, "bodies", warnings_of_small_bodies(domain_, bodies_, moved));
  for (const auto& shapes : {sinks_.shapes(), attributes_.regions()}) {
    add_warnings(warnings_, "place", warnings_of_absence(domain_, shapes));
    add_warnings(warnings_, "place", warnings_of_periodic_sides(domain_, shapes));
  }
  add_warnings(warnings_, "drops", warnings_of_contact(parameters_.fluid, bodies_));
  add_warnings(warnings_, "waves", warnings_of_wave_steps(parameters_));
  add_warnings(warnings_, "place", warnings_of_times(parameters_));
  shape_maker_.reset();
}

SeedingReport Scene::seed(Splitters& splitters, ParticleStore& particles, GlobalIndex& next_id,
                          std::vector<BlockKey>* deep_blocks) {
  attributes_.add_to(particles);
  const std::vector<LiquidBody> liquids = make_liquids(parameters_, *shape_maker_);
  const int cells_per_block = with_shape(domain_.dimension(), [](auto shape) { return decltype(shape)::cells; });
  SeedingReport report = seed_particles(
      comm_, domain_, seeding_options(parameters_), liquids, shapes_at(0.0), splitters, particles,
      [&](GlobalIndex n_blocks) { expect_countable(n_blocks * cells_per_block); }, deep_blocks);
  finish_shapes();
  add_warnings(warnings_, "place", warnings_of_extent(domain_, "liquid", bounds_of(liquids)));
  add_warnings(warnings_, "place", warnings_of_gaps(domain_, parameters_, liquids, bodies_));
  add_warnings(warnings_, "waves", warnings_of_waves(domain_, parameters_, liquids, shapes_at(0.0)));
  next_id = report.seeded + report.left_out;
  if (liquids.size() == parameters_.liquids.size())
    for (const LiquidBody& liquid : liquids) filled_shapes_.push_back(liquid.shape);
  for (const LiquidParameters& liquid : parameters_.liquids)
    if (liquid.shape.kind == ShapeKind::particles) load_particles(liquid, splitters, particles, next_id, report);
  if (report.seeded == 0 && report.left_out > 0)
    throw InputError(fmt::format("{}: {}", parameters_.source_file, NarrowBand::why_refused));
  if (report.seeded == 0 && sources_.empty())
    throw InputError(
        fmt::format("{}: the liquids hold no particle (they lie outside the domain, inside solids, or are "
                    "smaller than a cell). Check [[liquid]] against [domain] and [[solid]]",
                    parameters_.source_file));
  attributes_.set_by_region(domain_, 0, particles.size(), particles);
  return report;
}

/// Add the particles of a liquid that is given as a file. Ids follow the order of the file.
void Scene::load_particles(const LiquidParameters& liquid, const Splitters& splitters, ParticleStore& particles,
                           GlobalIndex& next_id, SeedingReport& report) const {
  const std::string path = input_path(parameters_.source_file, liquid.shape.file);
  const std::string place = (liquid.shape.where.empty() ? "" : liquid.shape.where + ": ") + path;
  const std::vector<std::shared_ptr<const Shape>> solids = shapes_at(0.0);
  const double plane = domain_.dimension() == 2 ? domain_.origin().z() + 0.5 * domain_.dx() : 0.0;
  GlobalIndex n_given = 0;
  GlobalIndex placed = 0;
  GlobalIndex outside = 0;
  read_points(comm_, path, liquid.shape.where, [&](const ParticleChunk& chunk) {
    GivenParticles given;
    const auto first = static_cast<ParticleId>(next_id + chunk.first);
    for (std::size_t m = 0; m < chunk.position.size(); ++m) {
      given.position.push_back(transformed(liquid.shape.transform, plane, chunk.position[m]));
      const Vec3 turned = transformed(liquid.shape.transform, plane, chunk.position[m] + chunk.velocity[m]) -
                          given.position.back();  // `turned` is scaled, too
      given.velocity.emplace_back(turned / liquid.shape.transform.scale + liquid.velocity);
      given.ids.push_back(first + m);
      given.tags.push_back(static_cast<std::uint8_t>(liquid.tag));
    }
    const ParticleIndex before = particles.size();
    const PlacementReport placement = place_particles(comm_, domain_, given, solids, splitters, particles);
    if (attributes_.has_color())
      for (ParticleIndex p = before; p < particles.size(); ++p) NamedAttributes::set_color(liquid.color, p, particles);
    n_given += comm_.sum(static_cast<GlobalIndex>(chunk.position.size()));
    placed += placement.placed;
    outside += placement.outside_domain;
    report.dropped_in_solid += placement.inside_solid;
    report.dropped_outside += placement.outside_domain;
    if (comm_.max(GlobalIndex{particles.size()}) > std::numeric_limits<std::uint32_t>::max())
      throw InputError(place + ": one rank would hold 2^32 particles or more. Use more ranks");
  });
  if (placed == 0)
    throw InputError(place + ": none of its particles lies in the domain and outside solids (" +
                     std::to_string(outside) + " are outside). Check scale and translate");
  next_id += n_given;
  report.seeded += placed;
}

void Scene::complete_restored(ParticleStore& particles) {
  finish_shapes();
  attributes_.add_to(particles);
}

const CellField<double>* Scene::inflow(const LabelField& labels, double time, double dt, SolidFields& solids) {
  const bool flows = sources_.flows(time, dt);
  const bool draws = sinks_.draws(time, dt);
  if (!sources_.empty() || draws) {
    inflow_.reset(labels.layout(), 0.0);
    inflow_.fill(0.0);
    sources_.prescribe(labels, time, dt, solids, inflow_);  // also resets the faces of walls without inflow
    sinks_.prescribe(labels, time, dt, inflow_);
  }
  return flows || draws ? &inflow_ : nullptr;
}

Scene::Exchange Scene::exchange(const BlockLayout& layout, double time, double dt, GlobalIndex first_id,
                                ParticleStore& particles) {
  Exchange done;
  if (!sources_.empty() || !sinks_.empty())
    done = exchange_of_case(layout, time, dt, first_id, particles);
  else
    open_for_edits(particles, layout);
  for (const OwnSource& source : own_sources_) {
    const PlacementReport placed = place(layout, time + dt, source(time, dt), first_id + done.ids, particles);
    done.emitted += placed.placed;
    done.ids += placed.placed + placed.outside_domain + placed.inside_solid;
  }
  return done;
}

std::vector<std::shared_ptr<const Shape>> Scene::shapes_of_sinks() const {
  std::vector<std::shared_ptr<const Shape>> shapes;
  for (const auto& [name, shape] : sinks_.shapes()) shapes.push_back(shape);
  return shapes;
}

/// exchange() for the sources and sinks of the case.
Scene::Exchange Scene::exchange_of_case(const BlockLayout& layout, double time, double dt, GlobalIndex first_id,
                                        ParticleStore& particles) {
  const bool any_moving =
      std::any_of(bodies_.begin(), bodies_.end(), [](const SolidBody& body) { return body.motion != nullptr; });
  if (any_moving) sources_.see_solids(shapes_at(time + dt));
  Exchange report;
  open_for_edits(particles, layout);
  const Sources::Emission emission = sources_.emit(layout, time, dt, particles);
  const std::vector<NewParticle>& added = emission.particles;
  if (!sources_.empty()) report.held_back = comm_.sum(emission.held_back);
  const std::vector<std::uint8_t> absorbed = sinks_.absorbed(layout, particles, time, dt);
  const ParticleIndex before = particles.size();
  if (!absorbed.empty()) remove_particles(particles, absorbed);
  if (!sinks_.empty()) report.absorbed = comm_.sum(GlobalIndex{before - particles.size()});
  const ParticleIndex n_old = particles.size();
  report.emitted = append_particles(comm_, particles, added, static_cast<ParticleId>(first_id));
  attributes_.set_by_region(domain_, n_old, particles.size(), particles);
  if (attributes_.has_color())
    for (std::size_t m = 0; m < added.size(); ++m)
      NamedAttributes::set_color(parameters_.sources[static_cast<std::size_t>(emission.source_of[m])].color,
                                 n_old + static_cast<ParticleIndex>(m), particles);
  report.ids = report.emitted;
  return report;
}

/// Add given particles, which have no ids yet. Those outside the domain or inside solids are left out.
///
/// \param[in]     time       time of the solids' positions [s]
/// \param[in]     first_id   first id over all ranks; particles that are left out use ids, too
/// \param[in,out] particles  home() is valid. Parallel: collective
PlacementReport Scene::place(const BlockLayout& layout, double time, GivenParticles given, GlobalIndex first_id,
                             ParticleStore& particles) const {
  const auto n_given = static_cast<GlobalIndex>(given.position.size());
  const GlobalIndex first = first_id + comm_.exclusive_sum(n_given);
  given.ids.clear();
  for (GlobalIndex m = 0; m < n_given; ++m) given.ids.push_back(static_cast<ParticleId>(first + m));
  const ParticleIndex n_old = particles.size();
  const PlacementReport report = place_particles(comm_, domain_, given, shapes_at(time), layout.splitters(), particles);
  attributes_.set_by_region(domain_, n_old, particles.size(), particles);
  return report;
}

int Scene::particles_per_cell() const {
  const int n = parameters_.particles.per_axis;
  return domain_.dimension() == 3 ? n * n * n : n * n;
}

double Scene::particle_mass() const {
  return parameters_.fluid.density * domain_.cell_volume() / particles_per_cell();
}

ParticleSums Scene::sums_of(const ParticleMoments& moments, double time) const {
  const Vec3& gravity = parameters_.fluid.gravity;
  ParticleSums sums = moments.physical(particle_mass(), gravity);
  if (frame_ != nullptr)
    sums.potential_energy = -particle_mass() * static_cast<double>(sums.count + sums.represented) *
                            gravity.dot(frame_->pose(time).to_world(sums.center_of_mass));
  return sums;
}

}  // namespace freshet
