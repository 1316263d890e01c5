// SPDX-License-Identifier: Apache-2.0
// What comes into a scene and leaves it.
#include "freshet/core/error.hpp"
#include "freshet/driver/simulation.hpp"
#include "freshet/io/particle_file.hpp"
#include "freshet/particles/edit.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>

namespace freshet {

/// A liquid given as a file of particles. Ids follow the order of the file.
void Simulation::load_particles(const LiquidParameters& liquid, const std::vector<std::shared_ptr<const Shape>>& solids,
                                const Splitters& splitters) {
  const std::filesystem::path folder = std::filesystem::path(parameters_.source_file).parent_path();
  const double plane = domain_.dimension() == 2 ? domain_.origin().z() + 0.5 * domain_.dx() : 0.0;
  GlobalIndex n_given = 0;
  GlobalIndex placed = 0;
  GlobalIndex outside = 0;
  read_particle_file(comm_, (folder / liquid.shape.file).string(), [&](const ParticleChunk& chunk) {
    GivenParticles given;
    const auto first = static_cast<ParticleId>(numbers_.next_id + chunk.first);
    for (std::size_t m = 0; m < chunk.position.size(); ++m) {
      given.position.push_back(transformed(liquid.shape.transform, plane, chunk.position[m]));
      const Vec3 turned = transformed(liquid.shape.transform, plane, chunk.position[m] + chunk.velocity[m]) -
                          given.position.back();  // and scaled
      given.velocity.emplace_back(turned / liquid.shape.transform.scale + liquid.velocity);
      given.ids.push_back(first + m);
      given.tags.push_back(static_cast<std::uint8_t>(liquid.tag));
    }
    const ParticleIndex before = particles_.size();
    const PlacementReport report = place_particles(comm_, domain_, given, solids, splitters, particles_);
    if (attributes_.has_color())
      for (ParticleIndex p = before; p < particles_.size(); ++p)
        NamedAttributes::set_color(liquid.color, p, particles_);
    n_given += comm_.sum(static_cast<GlobalIndex>(chunk.position.size()));
    placed += report.placed;
    outside += report.outside_domain;
    seeding_.dropped_in_solid += report.inside_solid;
    seeding_.dropped_outside += report.outside_domain;
    if (comm_.max(GlobalIndex{particles_.size()}) > std::numeric_limits<std::uint32_t>::max())
      throw InputError(liquid.shape.file + ": one rank would hold 2^32 particles or more. Use more ranks");
  });
  if (placed == 0)
    throw InputError(liquid.shape.file + ": none of its particles lies in the domain and outside solids (" +
                     std::to_string(outside) + " are outside). Check scale and translate");
  numbers_.next_id += n_given;
  seeding_.seeded += placed;
}

/// Volumes that sources and sinks give to the projection; null if there are none in this step.
const CellField<double>* Simulation::prescribe_inflow(double dt) {
  const bool flows = sources_.flows(time_, dt);
  const bool draws = sinks_.draws(time_, dt);
  if (!sources_.empty() || draws) {
    inflow_.reset(*layout_, 0.0);
    inflow_.fill(0.0);
    sources_.prescribe(labels_, time_, dt, solids_, inflow_);  // also clears walls that no inflow moves any more
    sinks_.prescribe(labels_, time_, dt, inflow_);
  }
  return flows || draws ? &inflow_ : nullptr;
}

void Simulation::come_and_go(double dt) {
  if (sources_.empty() && sinks_.empty()) return;
  const auto region = timers_.region("sources");
  if (solids_.any_moving()) {
    std::vector<std::shared_ptr<const Shape>> solids;
    for (const SolidBody& body : bodies_) solids.push_back(body.shape_at(time_ + dt));
    sources_.see_solids(solids);
  }
  open_for_edits(particles_, *layout_);
  const Sources::Emission emission = sources_.emit(*layout_, time_, dt, particles_);
  const std::vector<NewParticle>& added = emission.particles;
  if (!sources_.empty()) report_.held_back += comm_.sum(emission.held_back);
  const std::vector<std::uint8_t> absorbed = sinks_.absorbed(*layout_, particles_, time_, dt);
  const ParticleIndex before = particles_.size();
  if (!absorbed.empty()) remove_particles(particles_, absorbed);
  if (!sinks_.empty()) report_.absorbed += comm_.sum(GlobalIndex{before - particles_.size()});
  const ParticleIndex n_old = particles_.size();
  const GlobalIndex emitted = append_particles(comm_, particles_, added, static_cast<ParticleId>(numbers_.next_id));
  numbers_.next_id += emitted;
  report_.emitted += emitted;
  attributes_.set_by_region(domain_, n_old, particles_.size(), particles_);
  if (attributes_.has_color())
    for (std::size_t m = 0; m < added.size(); ++m)
      NamedAttributes::set_color(parameters_.sources[static_cast<std::size_t>(emission.source_of[m])].color,
                                 n_old + static_cast<ParticleIndex>(m), particles_);
  resettle();
}

}  // namespace freshet
