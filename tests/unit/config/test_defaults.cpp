// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"
#include "freshet/pressure/preconditioners.hpp"
#include "freshet/pressure/wall_methods.hpp"

#include <string>
#include <utility>

namespace freshet::test {
namespace {

TEST(Defaults, required_keys_are_read) {
  const Parameters p = parse(minimal_case);
  EXPECT_EQ(p.run.end_time, 2.0);
  EXPECT_EQ(p.domain.cells, Vec3i(16, 24, 32));
  EXPECT_EQ(p.domain.cell_size, 0.25);
  ASSERT_EQ(p.liquids.size(), 1u);
  EXPECT_EQ(p.liquids[0].shape.kind, ShapeKind::box);
  EXPECT_EQ(p.liquids[0].shape.upper, Vec3(1.0, 2.0, 3.0));
  EXPECT_EQ(p.source_file, "case.toml");
}

TEST(Defaults, run_domain_and_fluid) {
  const Parameters p = parse(minimal_case);
  EXPECT_EQ(p.title, "");
  EXPECT_EQ(p.reference, "");
  EXPECT_EQ(p.run.max_steps, 0);
  EXPECT_EQ(p.run.max_wall_time, 0.0);
  EXPECT_FALSE(p.run.reproducible);
  EXPECT_EQ(p.run.seed, 0);
  EXPECT_EQ(p.domain.dimension, 3);
  EXPECT_EQ(p.domain.origin, Vec3(0.0, 0.0, 0.0));
  for (const auto& axis : p.domain.boundary) {
    for (const FaceCondition side : axis) EXPECT_EQ(side, FaceCondition::free_slip);
  }
  EXPECT_EQ(p.fluid.density, 1000.0);
  EXPECT_EQ(p.fluid.viscosity, 0.0);
  EXPECT_EQ(p.viscosity.tolerance, 1e-5);
  EXPECT_EQ(p.viscosity.max_iterations, 5000);
  EXPECT_EQ(p.fluid.gravity, Vec3(0.0, -9.81, 0.0));
  EXPECT_EQ(p.liquids[0].velocity, Vec3(0.0, 0.0, 0.0));
  EXPECT_EQ(p.liquids[0].tag, 0);
  EXPECT_TRUE(p.solids.empty());
}

TEST(Defaults, limits_of_reseeding_follow_the_seeding) {
  const auto limits = [](const std::string& text) {
    const ReseedingOptions reseeding = parse(text, {"particles.reseeding.enabled=true"}).particles.reseeding;
    return std::pair(reseeding.min, reseeding.max);
  };
  const std::string flat =
      "[run]\nend_time = 1\n[domain]\ndimension = 2\ncells = [8, 8]\ncell_size = 1\n"
      "[[liquid]]\nshape = \"box\"\nlower = [0, 0]\nupper = [4, 4]\n";
  const auto seeded = [](int per_axis) { return "[particles]\nper_axis = " + std::to_string(per_axis) + "\n"; };
  EXPECT_EQ(parse(flat).particles.reseeding.min, 3) << "without reseeding";
  EXPECT_EQ(limits(minimal_case), std::pair(3, 12));
  EXPECT_EQ(limits(minimal_case + seeded(3)), std::pair(10, 41));
  EXPECT_EQ(limits(flat), std::pair(2, 6));
  EXPECT_EQ(limits(flat + seeded(1)), std::pair(1, 2));
  EXPECT_EQ(limits(flat + seeded(3)), std::pair(3, 14));
  EXPECT_EQ(limits(flat + "[particles.reseeding]\nmin = 1\n"), std::pair(1, 6));
  EXPECT_EQ(limits(flat + "[particles.reseeding]\nmax = 9\n"), std::pair(2, 9));
}

TEST(Defaults, method) {
  const Parameters p = parse(minimal_case);
  EXPECT_EQ(p.particles.per_axis, 2);
  EXPECT_EQ(p.particles.jitter, 1.0);
  EXPECT_EQ(p.transfer.method, TransferMethod::flip);
  EXPECT_EQ(p.transfer.flip_fraction, 0.95);
  EXPECT_EQ(flip_fraction_of(p.liquids[0], p.transfer), 0.95);
  EXPECT_EQ(std::get<VortexOptions>(p.forces).boost, 0.0);
  EXPECT_EQ(std::get<VortexOptions>(p.forces).method, VortexMethod::confinement);
  EXPECT_EQ(p.extrapolation.method, ExtrapolationMethod::layers);
  EXPECT_EQ(p.time.splitting, Splitting::first_order);
  EXPECT_EQ(p.time.cfl, 1.0);
  EXPECT_EQ(p.time.max_dt, 0.0);
  EXPECT_EQ(p.time.min_dt, 1e-9);
  EXPECT_EQ(p.time.runaway_cfl, 25.0);
  EXPECT_EQ(p.time.max_retries, 4);
  EXPECT_EQ(p.motion.scheme, MotionScheme::rk3);
  EXPECT_EQ(p.motion.field, MotionField::solve);
  EXPECT_EQ(p.pressure.preconditioner, preconditioner_named("multigrid"));
  EXPECT_EQ(p.pressure.tolerance, 1e-5);
  EXPECT_EQ(p.pressure.max_divergence, 0.0);
  EXPECT_EQ(p.pressure.max_iterations, 2000);
  EXPECT_TRUE(p.pressure.warm_start);
  EXPECT_EQ(p.labels.surface, LiquidSurface::level_set);
  EXPECT_EQ(p.pressure.theta_min, 0.01);
  EXPECT_EQ(p.pressure.w_cycle_levels, 0);
  EXPECT_EQ(p.pressure.mic0_tau, 0.97);
  EXPECT_EQ(p.pressure.mic0_sigma, 0.25);
  EXPECT_TRUE(p.pressure.petsc.empty());
  EXPECT_EQ(p.density.correction, DensityMethod::implicit);
  EXPECT_EQ(p.pressure.walls.condition, WallCondition::separating);
  EXPECT_EQ(row_of(p.pressure.walls.method).name, "complementarity");
  EXPECT_EQ(p.pressure.walls.epsilon_cg, 0.0);
  EXPECT_EQ(p.pressure.walls.epsilon_arel, 1e-3);
  EXPECT_EQ(p.pressure.walls.max_outer, 1000);
  EXPECT_FALSE(p.domain.stores_walls);
  for (const auto& axis : p.domain.wall)
    for (const WallCondition wall : axis) EXPECT_EQ(wall, WallCondition::separating);
}

TEST(Defaults, balance_and_output) {
  const Parameters p = parse(minimal_case);
  EXPECT_TRUE(p.balance.enabled);
  EXPECT_EQ(p.balance.threshold, 1.05);
  EXPECT_EQ(p.balance.particle_cost, 1.0);
  EXPECT_EQ(p.balance.cell_cost, 2.0);
  EXPECT_EQ(p.output.interval, 0.0);
  EXPECT_TRUE(p.output.fields.empty());
  EXPECT_EQ(p.output.max_field_cells, 64'000'000);
  EXPECT_TRUE(p.output.particles.empty());
  EXPECT_EQ(p.output.log_every, 1);
  EXPECT_TRUE(p.output.xdmf);
}

TEST(Defaults, checkpoints) {
  const Parameters p = parse(minimal_case);
  EXPECT_EQ(p.checkpoint.interval, 0.0);
  EXPECT_EQ(p.checkpoint.steps, 0);
  EXPECT_EQ(p.checkpoint.wall_interval, 3600.0);
  EXPECT_EQ(p.checkpoint.keep, 2);
}

TEST(Defaults, a_solid_slips_freely) {
  const Parameters p = parse(minimal_case + "[[solid]]\nshape = \"sphere\"\ncenter = [1, 2, 3]\nradius = 1\n");
  ASSERT_EQ(p.solids.size(), 1u);
  EXPECT_EQ(p.solids[0].slip, Slip::free_slip);
  EXPECT_EQ(p.solids[0].wall, WallChoice::inherit);
  EXPECT_EQ(p.solids[0].surface, SolidSurface::fractions);
}

}  // namespace
}  // namespace freshet::test
