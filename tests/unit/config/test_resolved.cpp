// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"
#include "freshet/pressure/preconditioners.hpp"
#include "freshet/pressure/wall_methods.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

namespace freshet::test {
namespace {

const std::string full_case = R"(
title = "quotes \" and \\, é 水"
reference = 'C:\no\escapes'
[run]
end_time = 0.1
max_steps = 12
max_wall_time = 3600.0
reproducible = true
seed = 9223372036854775807
[domain]
cells = [16, 24, 32]
cell_size = 0.1
origin = [-0.1, 0.2, 1e-7]
[domain.boundary]
x_low = "no_slip"
x_high = "open"
y_low = "free_slip"
y_high = "open"
z_low = "periodic"
z_high = "periodic"
[fluid]
density = 997.05
gravity = [0.1, 0.0, -9.80665]
[particles]
per_axis = 3
jitter = 0.3
[transfer]
method = "apic"
flip_fraction = 0.97
[vortex]
boost = 0.7
method = "confinement"
[extrapolation]
method = "distance"
[time]
cfl = 3.3
max_dt = 0.01
min_dt = 1e-12
runaway_cfl = 12.5
max_retries = 7
[motion]
scheme = "rk4"
[pressure]
preconditioner = "gamg"
tolerance = 1e-9
max_divergence = 1e-3
max_iterations = 77
warm_start = false
theta_min = 0.05
w_cycle_levels = 4
mic0_tau = 0.9
mic0_sigma = 0.1
[pressure.walls]
condition = "separating"
method = "admm"
classification = "pressure"
stopping = "divergence"
epsilon_cg = 1e-3
epsilon_aabs = 2e-3
epsilon_arel = 3e-3
epsilon_adiv = 4e-2
epsilon_idiv = 5e-2
max_outer = 66
x_low = "sticky"
[pressure.petsc]
ksp_monitor = true
ksp_view = false
ksp_error_if_not_converged = true
pc_gamg_threshold = 0.01
pc_mg_levels = 4
ksp_type = "fcg"
[balance]
enabled = false
threshold = 1.3
particle_cost = 1.7
cell_cost = 0.4
[output]
interval = 0.02
fields = ["label", "velocity"]
max_field_cells = 1000
particles = ["velocity", "id"]
log_every = 5
xdmf = false
[checkpoint]
interval = 0.05
steps = 11
wall_interval = 60.0
keep = 3
[[liquid]]
shape = "union"
velocity = [0.1, 0.2, 0.3]
tag = 7
parts = [
  { shape = "sphere", center = [0.1, 0.2, 0.3], radius = 0.1 },
  { shape = "cylinder", start = [0, 0, 0], end = [0, 0, 1], radius = 0.3 },
  { shape = "half_space", point = [0, 0.1, 0], normal = [0, 2, 1] },
  { shape = "difference", parts = [{ shape = "mesh", file = "a.obj", rotate = { angle = 12.5 } }], scale = 0.5 },
]
[[liquid]]
shape = "sphere"
center = [1, 1, 1]
radius = 0.123456789012345678
[[solid]]
shape = "box"
lower = [0, 0, 0]
upper = [1, 1, 1]
slip = "no_slip"
wall = "sticky"
)";

TEST(Resolved, reads_back_to_the_same_text_and_hash) {
  for (const std::string& text : {minimal_case, minimal_case_2d, full_case}) {
    const Parameters p = parse(text);
    const std::string resolved = resolved_toml(p);
    const Parameters again = parse_parameters(resolved, "other.toml");
    EXPECT_EQ(resolved_toml(again), resolved);
    EXPECT_EQ(again.input_hash, p.input_hash);
  }
}

TEST(Resolved, keeps_the_shares_of_liquids) {
  const auto with = [](std::string text, const std::string& old, const std::string& now) {
    return text.replace(text.find(old), old.size(), now);
  };
  const std::string shares =
      with(with(full_case, "\"apic\"", "\"flip\""), "tag = 7\n", "tag = 7\nviscosity_coefficient = 0.3\n");
  const Parameters p = parse(resolved_toml(parse(shares)));
  EXPECT_EQ(p.liquids[0].viscosity_coefficient, 0.3);
  EXPECT_FALSE(p.liquids[0].flip_fraction);
  EXPECT_EQ(flip_fraction_of(p.liquids[0], p.transfer), 0.7);
  EXPECT_EQ(flip_fraction_of(p.liquids[1], p.transfer), 0.97);
}

TEST(Resolved, keeps_every_value) {
  const Parameters p = parse(resolved_toml(parse(full_case)));
  EXPECT_EQ(p.title, "quotes \" and \\, é 水");
  EXPECT_EQ(p.reference, "C:\\no\\escapes");
  EXPECT_EQ(p.run.seed, INT64_MAX);
  EXPECT_TRUE(p.run.reproducible);
  EXPECT_EQ(p.domain.origin, Vec3(-0.1, 0.2, 1e-7));
  EXPECT_EQ(p.domain.boundary[0][0], FaceCondition::no_slip);
  EXPECT_EQ(p.domain.boundary[0][1], FaceCondition::open);
  EXPECT_EQ(p.domain.boundary[2][1], FaceCondition::periodic);
  EXPECT_EQ(p.fluid.gravity, Vec3(0.1, 0.0, -9.80665));
  EXPECT_EQ(p.motion.scheme, MotionScheme::rk4);
  EXPECT_EQ(p.transfer.method, TransferMethod::apic);
  EXPECT_EQ(std::get<VortexOptions>(p.forces).boost, 0.7);
  EXPECT_EQ(std::get<VortexOptions>(p.forces).method, VortexMethod::confinement);
  EXPECT_EQ(p.extrapolation.method, ExtrapolationMethod::distance);
  EXPECT_EQ(p.pressure.preconditioner, preconditioner_named("gamg"));
  EXPECT_FALSE(p.pressure.warm_start);
  const WallOptions& walls = p.pressure.walls;
  EXPECT_EQ(walls.condition, WallCondition::separating);
  EXPECT_EQ(row_of(walls.method).name, "admm");
  EXPECT_EQ(walls.classification, WallClassification::pressure);
  EXPECT_EQ(walls.stopping, WallStopping::divergence);
  EXPECT_EQ(walls.epsilon_cg, 1e-3);
  EXPECT_EQ(walls.epsilon_aabs, 2e-3);
  EXPECT_EQ(walls.epsilon_arel, 3e-3);
  EXPECT_EQ(walls.epsilon_adiv, 4e-2);
  EXPECT_EQ(walls.epsilon_idiv, 5e-2);
  EXPECT_EQ(walls.max_outer, 66);
  EXPECT_EQ(p.domain.wall[0][0], WallCondition::sticky);
  EXPECT_EQ(p.domain.wall[0][1], WallCondition::separating);
  EXPECT_TRUE(p.domain.stores_walls);
  EXPECT_EQ(p.time.runaway_cfl, 12.5);
  EXPECT_EQ(p.time.max_retries, 7);
  EXPECT_EQ(p.checkpoint.interval, 0.05);
  EXPECT_EQ(p.checkpoint.steps, 11);
  EXPECT_EQ(p.checkpoint.wall_interval, 60.0);
  EXPECT_EQ(p.checkpoint.keep, 3);
  EXPECT_EQ(p.output.fields, (std::vector<std::string>{"label", "velocity"}));
  ASSERT_EQ(p.liquids.size(), 2u);
  ASSERT_EQ(p.liquids[0].shape.parts.size(), 4u);
  EXPECT_EQ(p.liquids[0].shape.parts[2].normal, Vec3(0, 2, 1));
  EXPECT_EQ(p.liquids[0].shape.parts[3].transform.scale, 0.5);
  EXPECT_EQ(p.liquids[0].shape.parts[3].parts.at(0).file, "a.obj");
  EXPECT_EQ(p.liquids[0].shape.parts[3].parts.at(0).transform.angle, 12.5);
  EXPECT_EQ(p.liquids[0].tag, 7);
  EXPECT_EQ(p.liquids[1].shape.radius, 0.123456789012345678);
  EXPECT_EQ(p.solids.at(0).slip, Slip::no_slip);
  EXPECT_EQ(p.solids.at(0).wall, WallChoice::sticky);
}

TEST(Resolved, petsc_options_become_words) {
  const auto petsc = parse(full_case).pressure.petsc;
  EXPECT_EQ(petsc.at("ksp_monitor"), "");  // a switch
  EXPECT_FALSE(petsc.contains("ksp_view"));
  EXPECT_EQ(petsc.at("ksp_error_if_not_converged"), "true");
  EXPECT_EQ(petsc.at("pc_gamg_threshold"), "0.01");
  EXPECT_EQ(petsc.at("pc_mg_levels"), "4");
  EXPECT_EQ(petsc.at("ksp_type"), "fcg");
  EXPECT_EQ(petsc.size(), 5u);
}

TEST(Resolved, doubles_keep_their_bits) {
  std::mt19937_64 random(1);
  int tried = 0;
  while (tried < 2000) {
    const std::uint64_t bits = random();
    double x = 0.0;
    std::memcpy(&x, &bits, sizeof x);
    if (!std::isfinite(x) || x < 0.0) continue;
    ++tried;
    const Parameters p = parse(minimal_case, {fmt::format("pressure.max_divergence={}", x)});
    const double back = parse(resolved_toml(p)).pressure.max_divergence;
    EXPECT_EQ(std::memcmp(&back, &x, sizeof x), 0) << fmt::format("{}", x);
  }
}

TEST(Resolved, the_hash_follows_the_values_only) {
  const Parameters p = parse(minimal_case);
  EXPECT_EQ(parse("# a comment\n" + minimal_case).input_hash, p.input_hash);
  EXPECT_EQ(parse(minimal_case, {"time.cfl=1.0"}).input_hash, p.input_hash);  // the default
  EXPECT_NE(parse(minimal_case, {"time.cfl=1.5"}).input_hash, p.input_hash);
  EXPECT_NE(parse(minimal_case, {"title=x"}).input_hash, p.input_hash);
}

}  // namespace
}  // namespace freshet::test
