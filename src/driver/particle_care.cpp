// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/particle_care.hpp"

#include "freshet/fluid/inner_cells.hpp"
#include "freshet/fluid/labels.hpp"
#include "freshet/fluid/motion.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/particles/particle_arrays.hpp"

namespace freshet {

ParticleCare::ParticleCare(const Communicator& comm, const Parameters& parameters, int per_cell)
    : comm_(comm),
      particle_options_(parameters.particles),
      density_method_(parameters.density.correction),
      max_displacement_(parameters.density.max_displacement),
      seed_(static_cast<std::uint64_t>(parameters.run.seed)),
      density_correction_(parameters.density, per_cell),
      distribution_correction_(parameters.particles, parameters.particles.distribution) {}

ReseedingReport ParticleCare::reseed(const FlowFields& flow, std::int64_t step, GlobalIndex next_id,
                                     GlobalIndex surplus, ParticleStore& particles) const {
  const ReseedingSource source{seed_, step, static_cast<ParticleId>(next_id), surplus};
  return reseed_particles(flow.labels, flow.inner_cells, flow.solids, flow.velocity, particle_options_,
                          particle_options_.reseeding, source, particles);
}

ParticleCare::Corrections ParticleCare::correct_positions(FlowFields& flow, Projection& projection,
                                                          ParticleStore& particles) {
  Corrections report;
  const bool spreads = particle_options_.distribution.enabled;
  if (spreads) {
    if (follow_grid(particles)) flow.velocity.layout().halo().gather(flow.velocity, 2);
    distribution_correction_.find(particles, flow.labels, flow.inner_cells, flow.velocity);
  }
  if (corrects_density()) {
    report.density =
        density_correction_(particles, flow.labels, flow.solids, flow.inner_cells, projection, displacement_);
    displace_particles(displacement_, flow.solids, max_displacement_, particles);
  }
  if (spreads)
    report.spread = comm_.sum(static_cast<GlobalIndex>(distribution_correction_.apply(flow.solids, particles)));
  return report;
}

StuckReport ParticleCare::free_stuck(FlowFields& flow, double time, std::int64_t step, ParticleStore& particles) const {
  const BlockLayout& layout = flow.velocity.layout();
  flow.solids.move_to(time);
  LabelField labels(layout, Label::solid);  // of the liquid after the motion
  label_cells(particles, flow.solids, labels);
  CellField<std::uint8_t> inner;
  find_inner_cells(labels, inner);
  layout.halo().gather(flow.velocity, 1);
  return free_stuck_particles(labels, inner, flow.solids, flow.velocity, {seed_, step}, particles);
}

}  // namespace freshet
