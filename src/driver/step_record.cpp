// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/step_record.hpp"

namespace freshet {

void StepRecord::begin() {
  last = report;
  particles_before = report.sums.count;
  migration = {};
  report = {};
  report.sums = last.sums;
  report.density.mean_error = numbers.density_error;
  report.density.largest_error = numbers.largest_density_error;
  report.density.overfull_cells = numbers.overfull_cells;
  stage = Stage::grid;
  pending.forget();
  report.step = ++numbers.step;
}

void StepRecord::cancel() {
  pending.forget();
  report = last;
  --numbers.step;
  stage = Stage::between_steps;
}

void StepRecord::count(const MigrationReport& done) {
  migration.moved_rank += done.moved_rank;
  migration.left_domain += done.left_domain;
  migration.lost += done.lost;
  migration.lost_here.insert(migration.lost_here.end(), done.lost_here.begin(), done.lost_here.end());
  report.moved_rank = migration.moved_rank;
  report.left_domain = migration.left_domain;
}

void StepRecord::finish_sums(double expected_volume, double cell_volume) {
  report.volume = cell_volume * volume.round();
  report.volume_drift = expected_volume > 0.0 ? report.volume / expected_volume - 1.0 : 0.0;
  if (!report.density.is_new) return;
  report.density.finish();
  numbers.density_error = report.density.mean_error;
  numbers.largest_density_error = report.density.largest_error;
  numbers.overfull_cells = report.density.overfull_cells;
}

}  // namespace freshet
