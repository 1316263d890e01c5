// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/band_phase.hpp"

#include "freshet/core/error.hpp"
#include "freshet/grid/halo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace freshet {

void BandPhase::refuse_sources() const {
  if (band_.is_on())
    throw InputError(
        "add_source: 'particles.band' cannot be used with sources, which would stay unknown below the band. Leave out "
        "one of them");
}

void BandPhase::set_velocity(const Vec3& velocity, FlowFields& flow, ParticleCare& care) const {
  for (int d = 0; d < flow.velocity.dimension(); ++d) flow.velocity[d].fill(velocity[d]);
  care.leave_out(band_.below_core(), 0.0);
}

void BandPhase::restore(const RestoredState& restored, double dt, FlowFields& flow) {
  if (!band_.is_on() || restored.velocity.empty()) return;  // as a whole: a rank without blocks has no zones
  band_.restore(restored.zones, dt);
  const BlockLayout& layout = flow.velocity.layout();
  const auto n_cells = static_cast<std::size_t>(layout.n_owned()) * static_cast<std::size_t>(layout.cells_per_block());
  if (restored.velocity.size() != static_cast<std::size_t>(flow.velocity.dimension()))
    throw FileError("the checkpoint has no velocity beside blocks/zone.");
  for (int d = 0; d < flow.velocity.dimension(); ++d) {
    const std::vector<double>& values = restored.velocity[static_cast<std::size_t>(d)];
    if (values.size() != n_cells) throw FileError("the checkpoint's velocity and blocks/key have different lengths.");
    std::copy(values.begin(), values.end(), flow.velocity[d].data());
  }
}

void BandPhase::advect_bulk(const LabelField& labels, const ParticleStore& particles, FlowFields& flow,
                            StepRecord& record) {
  if (!band_.is_on()) return;
  const auto region = timers_.region("band");
  band_.find(labels, flow.solids, particles);
  band_.add_to(record.pending);
  band_.advect(flow.velocity, flow.velocity_old, flow.weight);
}

void BandPhase::fill(const FaceField<double>& velocity, StepRecord& record, ParticleCare& care, ParticleGrid& grid,
                     ParticleStore& particles) {
  if (!band_.is_on()) return;
  const auto region = timers_.region("band");
  RunNumbers& numbers = record.numbers;
  const GlobalIndex came = numbers.seeded + numbers.emitted + numbers.reseeded;
  const GlobalIndex went = numbers.left_domain + numbers.absorbed + numbers.removed;
  const NarrowBand::Report done =
      band_.resample(velocity, {record.report.step, record.report.dt, came - went, numbers.next_id}, particles);
  record.report.band_seeded = done.seeded;
  record.report.band_removed = done.removed;
  numbers.next_id += done.seeded;
  care.leave_out(band_.below_core(), band_.flow_into_core());
  if (done.seeded + done.removed > 0) grid.sort(particles);
  if (done.empties) throw RunError(fmt::format("step {}: {}", record.report.step, NarrowBand::why_refused));
}

void BandPhase::fill_at_start(FlowFields& flow, StepRecord& record, ParticleCare& care, ParticleGrid& grid,
                              ParticleStore& particles) {
  if (!return_velocity(flow)) return;
  const BlockLayout& layout = flow.velocity.layout();
  layout.halo().gather(flow.velocity, 1);
  record.pending.reduce(layout.comm());
  fill(flow.velocity, record, care, grid, particles);
  record.numbers.band_seeded += std::exchange(record.report.band_seeded, 0);
  record.numbers.band_removed += std::exchange(record.report.band_removed, 0);
}

void BandPhase::add_to(FaceField<double>& velocity, const ParticleStore& particles, ParticleMoments& moments,
                       Reduction& pending) {
  if (!band_.is_on()) return;
  const NarrowBand::Moments of_bulk = band_.moments(velocity, particles);
  moments.represented = of_bulk.n;
  moments.max_u_squared = std::max(moments.max_u_squared, of_bulk.max_u_squared);
  for (std::size_t n = 0; n < moments.sums.size(); ++n) moments.sums[n].add(of_bulk.sums[n]);
  pending.sum(moments.represented);
}

}  // namespace freshet
