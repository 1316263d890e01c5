// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/particle_care.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/fluid/inner_cells.hpp"
#include "freshet/fluid/motion.hpp"
#include "freshet/free_surface/labels.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/particles/particle_arrays.hpp"

#include <utility>

namespace freshet {
namespace {

/// sum += field, owned faces and ghosts.
void add(const FaceField<double>& field, FaceField<double>& sum) {
  const BlockLayout& layout = sum.layout();
  for (int d = 0; d < sum.dimension(); ++d)
    parallel_for_blocks(layout.n_blocks(), [&](LocalIndex b) {
      for (int c = 0; c < layout.cells_per_block(); ++c) sum[d].block(b)[c] += field[d].block(b)[c];
    });
}

}  // namespace

ParticleCare::ParticleCare(const Communicator& comm, const Options& options, std::shared_ptr<ScratchMemory> memory)
    : comm_(comm),
      options_(options),
      density_correction_(options.density, options.per_cell, std::move(memory)),
      distribution_correction_(options.sampling, options.distribution) {}

ReseedingReport ParticleCare::resample(const FreeSurface& surface, const SolidFields& solids,
                                       const FaceField<double>& velocity, std::int64_t step, GlobalIndex next_id,
                                       GlobalIndex surplus, ParticleStore& particles,
                                       const CellField<std::uint8_t>* bulk) const {
  const ReseedingSource source{options_.seed, step, static_cast<ParticleId>(next_id), surplus};
  return reseed_particles(surface.labels(), surface.inner_cells(), solids, velocity, options_.sampling,
                          options_.reseeding, source, particles, bulk);
}

ParticleCare::Corrections ParticleCare::correct_positions(FlowFields& flow, FreeSurface& surface,
                                                          Projection& projection, const Step& step,
                                                          ParticleStore& particles) {
  Corrections report;
  const double dx = flow.velocity.layout().domain().dx();
  const FaceField<double>* const shifts = smooths(step.dt) ? surface.find_smoothing(flow.solids, step.dt, dx) : nullptr;
  const bool spreads = options_.distribution.enabled;
  if (spreads) {
    if (follow_grid(particles)) flow.velocity.layout().halo().gather(flow.velocity, 2);
    distribution_correction_.find(particles, surface.labels(), surface.inner_cells(), flow.velocity);
  }
  if (corrects_density(step.number)) {
    FaceField<double>& displacement = flow.displacement();
    report.density = density_correction_(particles, surface.labels(), flow.solids, surface.inner_cells(),
                                         surface.place(), projection, displacement);
    if (shifts != nullptr) add(*shifts, displacement);
    displace_particles(displacement, flow.solids, options_.density.max_displacement, particles);
  } else if (shifts != nullptr) {
    displace_particles(*shifts, flow.solids, options_.longest_shift, particles);
  }
  if (spreads)
    report.spread = comm_.sum(static_cast<GlobalIndex>(distribution_correction_.apply(flow.solids, particles)));
  return report;
}

StuckReport ParticleCare::free_stuck(FlowFields& flow, double time, std::int64_t step, ParticleStore& particles) const {
  const BlockLayout& layout = flow.velocity.layout();
  flow.solids.move_to(time);
  LabelField labels(layout, Label::solid);  // labels of the liquid after the motion
  label_cells(particles, flow.solids, labels);
  CellField<std::uint8_t> inner;
  find_inner_cells(labels, flow.solids, inner);
  layout.halo().gather(flow.velocity, 1);
  return free_stuck_particles(labels, inner, flow.solids, flow.velocity, {options_.seed, step}, particles);
}

}  // namespace freshet
