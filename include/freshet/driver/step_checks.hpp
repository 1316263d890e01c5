// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/driver/step_report.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/migration.hpp"
#include "freshet/particles/particle_store.hpp"

namespace freshet {

/// Check a finished step: every particle has a position and a velocity, none has left a closed domain, and those that
/// are there are those that were there, less those that went, plus those that came.
///
/// \param[in] migration         all migrations of the step together
/// \param[in] particles_before  on all ranks, at the start of the step
/// Errors: RunError on all ranks; no smaller dt would mend it. Parallel: collective where it fails
void check_step(const StepReport& report, const MigrationReport& migration, GlobalIndex particles_before,
                const ParticleStore& particles, const BlockLayout& layout);

}  // namespace freshet
