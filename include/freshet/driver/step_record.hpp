// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/driver/run_numbers.hpp"
#include "freshet/driver/step_report.hpp"
#include "freshet/parallel/reduction.hpp"
#include "freshet/particles/migration.hpp"

namespace freshet {

/// What is written down of the present step while it is taken, and of the last one that has come to its end.
struct StepRecord {
  /// What the step has changed so far: nothing; fields; the pressure, too; particles.
  enum class Stage { between_steps, grid, pressure, particles };

  StepReport report;  ///< as far as the step has come; between steps that of the last one
  StepReport last;    ///< the report before that
  Stage stage = Stage::between_steps;
  Reduction pending;                 ///< numbers of the report that wait for the next reduction
  ExactSum volume;                   ///< room that the liquid takes, while it waits [cells]
  MigrationReport migration;         ///< all migrations of the step together
  GlobalIndex particles_before = 0;  ///< as the step began, on all ranks
  double deposit_energy = 0.0;       ///< kinetic energy that the deposit added [J]

  /// Begin with an empty report; what only some steps find goes on. \param[in,out] numbers  of the run
  void begin(RunNumbers& numbers);
  /// Give the step up. \pre it has changed no particle
  void cancel(RunNumbers& numbers);
  /// Count what a migration did.
  void count(const MigrationReport& done);
  /// Take the sums of a reduction into the report and the run's numbers. \param[in] expected_volume  that the liquid
  /// should take, 0 if it is not known [m^3] \param[in] cell_volume  [m^3]
  void finish_sums(double expected_volume, double cell_volume, RunNumbers& numbers);
};

}  // namespace freshet
