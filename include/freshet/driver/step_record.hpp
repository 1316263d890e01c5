// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/driver/run_numbers.hpp"
#include "freshet/driver/step_report.hpp"
#include "freshet/parallel/reduction.hpp"
#include "freshet/particles/migration.hpp"

namespace freshet {

/// What is noted of the run and of the present step while it is taken, and the report of the last complete one.
struct StepRecord {
  /// What the step has changed so far: nothing; fields; also the pressure; also particles.
  enum class Stage { between_steps, grid, pressure, particles };

  RunNumbers numbers;  ///< totals of the run, and what a restart goes on with
  StepReport report;   ///< partly filled during a step; between steps the last step's report
  StepReport last;     ///< the report before that
  Stage stage = Stage::between_steps;
  Reduction pending;                 ///< numbers of the report that wait for the next reduction over the ranks
  ExactSum volume;                   ///< volume of the liquid; waits for a reduction as well [cells]
  MigrationReport migration;         ///< sums over all migrations of the step
  GlobalIndex particles_before = 0;  ///< number on all ranks at the start of the step
  double deposit_energy = 0.0;       ///< kinetic energy that the deposit added [J]

  /// Begin a report that keeps only sums and density errors found before.
  void begin();
  /// Give up the step. \pre it has changed no particle
  void cancel();
  /// Add a migration to the sums of the step.
  void count(const MigrationReport& done);
  /// Complete the report and the run's numbers with the reduced sums. \param[in] expected_volume  volume that the
  /// liquid should have, 0 if it is not known [m^3] \param[in] cell_volume  [m^3]
  void finish_sums(double expected_volume, double cell_volume);
};

}  // namespace freshet
