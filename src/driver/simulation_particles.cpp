// SPDX-License-Identifier: Apache-2.0
// What the particles take from the grid's velocity, and where it carries them.
#include "freshet/driver/simulation.hpp"
#include "freshet/fluid/motion.hpp"
#include "freshet/fluid/reseeding.hpp"
#include "freshet/fluid/walls.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/transfer/affine.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace freshet {

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
  const ReseedingReport done = freshet::reseed(labels_, inner_cells_, solids_, velocity_, parameters_.particles,
                                               parameters_.particles.reseeding, source, particles_);
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

}  // namespace freshet
