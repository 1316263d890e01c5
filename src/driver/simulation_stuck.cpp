// SPDX-License-Identifier: Apache-2.0
// Particles that bodies and walls have closed in on.
#include "freshet/driver/simulation.hpp"
#include "freshet/fluid/inner_cells.hpp"
#include "freshet/fluid/labels.hpp"
#include "freshet/fluid/stuck.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/particles/migration.hpp"

namespace freshet {

/// Put them into the liquid as it is after the motion, among bodies where they are at `time`. Collective
void Simulation::free_stuck(double time) {
  const auto region = timers_.region("stuck");
  solids_.move_to(time);
  LabelField labels(*layout_, Label::solid);
  label_cells(particles_, solids_, labels);
  CellField<std::uint8_t> inner;
  find_inner_cells(labels, inner);
  layout_->halo().gather(velocity_, 1);
  const StuckSource source{static_cast<std::uint64_t>(parameters_.run.seed), step_};
  const StuckReport freed = free_stuck_particles(labels, inner, solids_, velocity_, source, particles_);
  report_.repositioned = freed.repositioned;
  report_.stuck = freed.left;
  numbers_.repositioned += freed.repositioned;
  if (freed.repositioned == 0) return;
  count_migration(migrate(particles_, *layout_, layout_->splitters()));
  resettle();
}

}  // namespace freshet
