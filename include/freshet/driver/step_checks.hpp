// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/driver/step_report.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/migration.hpp"
#include "freshet/particles/particle_store.hpp"

namespace freshet {

/// Check a finished step: all positions and velocities are numbers, no particle has left a closed domain, and the
/// number of particles equals the number before, plus those that were added, less those that were removed.
///
/// \param[in] migration         sums over all migrations of the step
/// \param[in] particles_before  number on all ranks at the start of the step
/// Errors: RunError on all ranks; a smaller dt would not help. Parallel: collective where it fails
void check_step(const StepReport& report, const MigrationReport& migration, GlobalIndex particles_before,
                const ParticleStore& particles, const BlockLayout& layout);

}  // namespace freshet
