// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/driver/step_checks.hpp"
#include "freshet/grid/partition.hpp"
#include "freshet/particles/sort.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace freshet {
namespace {

using test::make_domain;
using test::world;

/// Why a step is refused that had 10 particles before it; empty if it is not.
std::string refused(const StepReport& report, const MigrationReport& migration = {},
                    FaceCondition condition = FaceCondition::free_slip) {
  const Domain domain = make_domain(3, {8, 8, 8}, condition);
  const BlockLayout layout(world(), domain, uniform_splitters(domain, world().size()), std::vector<BlockKey>{});
  ParticleStore particles;
  SortWorkspace workspace;
  sort_particles(particles, layout, CellOrder::by_id, workspace);
  try {
    check_step(report, migration, 10, particles, layout);
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

TEST(CheckStep, accepts_particles_that_are_accounted_for) {
  StepReport report;
  report.particles = 10 + 5 + 2 - 4 - 1;
  report.emitted = 5;
  report.reseeded = 2;
  report.absorbed = 4;
  report.removed = 1;
  EXPECT_EQ(refused(report), "");
}

TEST(CheckStep, refuses_particles_that_are_missing_without_a_reason) {
  StepReport report;
  report.step = 7;
  report.particles = 9;
  EXPECT_NE(refused(report).find("step 7, phase migrate: 10 particles became 9"), std::string::npos);
}

TEST(CheckStep, refuses_particles_that_leave_a_closed_domain_only) {
  StepReport report;
  report.particles = 8;
  report.left_domain = 2;
  EXPECT_NE(refused(report).find("left a closed domain"), std::string::npos);
  EXPECT_EQ(refused(report, {}, FaceCondition::open), "");
}

TEST(CheckStep, names_a_lost_particle_and_the_rank_that_had_it) {
  StepReport report;
  report.particles = 8;
  MigrationReport migration;
  migration.lost = 2;
  if (world().rank() == world().size() - 1) migration.lost_here = {31, 12};
  const std::string why = refused(report, migration);
  EXPECT_NE(why.find("among them id 12 on rank " + std::to_string(world().size() - 1)), std::string::npos) << why;
}

TEST(CheckStep, refuses_velocities_that_are_not_numbers) {
  StepReport report;
  report.particles = 10;
  report.sums.kinetic_energy = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refused(report).find("phase blend"), std::string::npos);
}

}  // namespace
}  // namespace freshet
