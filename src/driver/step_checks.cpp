// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/step_checks.hpp"

#include "freshet/core/error.hpp"
#include "freshet/diagnostics/extremes.hpp"
#include "freshet/parallel/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

bool has_open_face(const Domain& domain) {
  for (int axis = 0; axis < domain.dimension(); ++axis)
    for (const int side : {0, 1})
      if (domain.condition(axis, side) == FaceCondition::open) return true;
  return false;
}

/// Name one of the particles whose positions are not numbers. Collective
std::string name_lost(const Communicator& comm, const std::vector<ParticleId>& lost_here) {
  const auto first = std::min_element(lost_here.begin(), lost_here.end());
  return first_message(comm, first == lost_here.end() ? "" : fmt::format("id {} on rank {}", *first, comm.rank()));
}

}  // namespace

void check_step(const StepReport& report, const MigrationReport& migration, GlobalIndex particles_before,
                const ParticleStore& particles, const BlockLayout& layout) {
  if (migration.lost > 0)
    throw RunError(
        fmt::format("step {}, phase move: {} particles have no position any more, among them {}. Lower time.cfl "
                    "(inputs/troubleshooting.md#failed)",
                    report.step, migration.lost, name_lost(layout.comm(), migration.lost_here)));
  if (!std::isfinite(report.sums.kinetic_energy))
    throw RunError(
        fmt::format("step {}, phase blend: a particle's velocity is not a number. {} Lower time.cfl "
                    "(inputs/troubleshooting.md#failed)",
                    report.step, describe_fastest_particle(particles, layout)));
  if (report.left_domain > 0 && !has_open_face(layout.domain()))
    throw RunError(fmt::format(
        "step {}, phase move: {} particles left a closed domain. {} Lower time.cfl (inputs/troubleshooting.md#failed)",
        report.step, report.left_domain, describe_fastest_particle(particles, layout)));
  const GlobalIndex came = report.emitted + report.reseeded + report.band_seeded;
  const GlobalIndex went = report.left_domain + report.absorbed + report.removed + report.band_removed;
  if (report.particles + went != particles_before + came)
    throw RunError(fmt::format(
        "step {}, phase migrate: {} particles became {}; {} went through open faces, {} into sinks, {} were removed, "
        "{} came from sources, {} were reseeded. This is a fault of freshet (inputs/troubleshooting.md#failed)",
        report.step, particles_before, report.particles, report.left_domain, report.absorbed,
        report.removed + report.band_removed, report.emitted, report.reseeded + report.band_seeded));
}

}  // namespace freshet
