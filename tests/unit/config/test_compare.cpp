// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

#include <algorithm>

namespace freshet::test {
namespace {

using Lines = std::vector<std::string>;

const std::string with_solids = minimal_case + R"(
[[solid]]
shape = "sphere"
center = [1, 1, 1]
radius = 0.5
[[solid]]
shape = "union"
parts = [
  { shape = "box", lower = [0, 0, 0], upper = [1, 1, 1] },
  { shape = "sphere", center = [2, 2, 2], radius = 0.25 },
]
)";

/// What changes between a case and the same case with overrides.
InputChanges changes(const std::string& text, const Lines& overrides) {
  return compare_inputs(resolved_toml(parse(text)), parse(text, overrides));
}

/// Resolved text without the line that sets one key.
std::string without(std::string text, const std::string& line_start) {
  const std::size_t start = text.find("\n" + line_start + " = ");
  EXPECT_NE(start, std::string::npos) << line_start;
  return text.erase(start, text.find('\n', start + 1) - start);
}

TEST(Compare, equal_inputs_differ_in_nothing) {
  for (const std::string& text : {minimal_case, minimal_case_2d, with_solids}) {
    const InputChanges c = changes(text, {});
    EXPECT_EQ(c.allowed, Lines{});
    EXPECT_EQ(c.refused, Lines{});
  }
}

TEST(Compare, what_is_simulated_may_not_change) {
  EXPECT_EQ(changes(minimal_case, {"fluid.density=900"}).refused, Lines{"fluid.density: 1000.0 -> 900.0"});
  for (const char* override :
       {"domain.cells=[16,24,40]", "domain.cell_size=0.5", "domain.origin=[0,0,1]", "domain.boundary.x_low=open",
        "fluid.gravity=[0,0,0]", "particles.per_axis=1", "particles.jitter=0", "transfer.flip_fraction=1",
        "motion.scheme=rk2", "run.seed=1", "pressure.walls.condition=sticky", "pressure.walls.method=cg",
        "pressure.walls.classification=pressure", "pressure.walls.stopping=divergence", "density.correction=off",
        "pressure.walls.x_low=sticky", "liquid.0.tag=1", "liquid.0.upper=[1,1,1]", "liquid.0.velocity=[1,0,0]"}) {
    const InputChanges c = changes(minimal_case, {override});
    EXPECT_EQ(c.refused.size(), 1u) << override;
    EXPECT_EQ(c.allowed, Lines{}) << override;
  }
}

TEST(Compare, how_it_is_computed_and_written_may_change) {
  EXPECT_EQ(changes(minimal_case, {"run.end_time=3"}).allowed, Lines{"run.end_time: 2.0 -> 3.0"});
  for (const char* override : {"title=x",
                               "reference=x",
                               "run.max_steps=1",
                               "run.max_wall_time=1",
                               "run.reproducible=true",
                               "time.cfl=0.5",
                               "time.max_dt=1",
                               "time.min_dt=1e-6",
                               "time.runaway_cfl=10",
                               "time.max_retries=1",
                               "pressure.preconditioner=mic0",
                               "pressure.tolerance=1e-6",
                               "pressure.max_divergence=1",
                               "pressure.max_iterations=5",
                               "pressure.warm_start=false",
                               "pressure.w_cycle_levels=3",
                               "pressure.mic0_tau=0.5",
                               "pressure.mic0_sigma=0.5",
                               "pressure.walls.epsilon_cg=1",
                               "pressure.walls.epsilon_aabs=1",
                               "pressure.walls.epsilon_arel=1",
                               "pressure.walls.epsilon_adiv=1",
                               "pressure.walls.epsilon_idiv=1",
                               "pressure.walls.max_outer=1",
                               "pressure.petsc.ksp_type=fcg",
                               "balance.enabled=false",
                               "balance.threshold=2",
                               "balance.particle_cost=2",
                               "balance.cell_cost=1",
                               "output.interval=1",
                               "output.fields=[\"label\"]",
                               "output.max_field_cells=1",
                               "output.particles=[\"id\"]",
                               "output.log_every=2",
                               "output.xdmf=false",
                               "checkpoint.interval=1",
                               "checkpoint.steps=1",
                               "checkpoint.wall_interval=1",
                               "checkpoint.keep=1"}) {
    const InputChanges c = changes(minimal_case, {override});
    EXPECT_EQ(c.allowed.size(), 1u) << override;
    EXPECT_EQ(c.refused, Lines{}) << override;
  }
}

TEST(Compare, every_change_is_listed) {
  const InputChanges c = changes(minimal_case, {"time.cfl=0.5", "fluid.density=900", "run.seed=4", "title=x"});
  EXPECT_EQ(c.allowed, (Lines{"title: \"\" -> \"x\"", "time.cfl: 1.0 -> 0.5"}));
  EXPECT_EQ(c.refused, (Lines{"run.seed: 0 -> 4", "fluid.density: 1000.0 -> 900.0"}));
}

TEST(Compare, entries_of_tables_are_compared_one_by_one) {
  EXPECT_EQ(changes(with_solids, {"solid.0.radius=0.75"}).refused, Lines{"solid.0.radius: 0.5 -> 0.75"});
  EXPECT_EQ(changes(with_solids, {"solid.1.parts.1.radius=0.5"}).refused, Lines{"solid.1.parts.1.radius: 0.25 -> 0.5"});
  EXPECT_EQ(changes(with_solids, {"solid.1.slip=no_slip", "liquid.0.tag=3"}).refused,
            (Lines{"liquid.0.tag: 0 -> 3", "solid.1.slip: \"free_slip\" -> \"no_slip\""}));
}

/// As errors of the case file and overrides name them: counted from 0.
TEST(Compare, gauges_are_named_as_in_overrides_and_by_their_names) {
  const std::string two = minimal_case +
                          "[[gauge]]\nname = \"front\"\ntype = \"pressure\"\npoint = [0.1, 0.1, 0.1]\n"
                          "[[gauge]]\nname = \"back\"\ntype = \"pressure\"\npoint = [0.2, 0.1, 0.1]\n";
  EXPECT_EQ(changes(two, {"gauge.0.every=2", "gauge.1.name=rear", "gauge.1.interval=0.5"}).allowed,
            (Lines{"gauge.0.every of \"front\": 1 -> 2", "gauge.1.name of \"back\": \"back\" -> \"rear\"",
                   "gauge.1.interval of \"back\": 0.0 -> 0.5"}));
  EXPECT_EQ(compare_inputs(resolved_toml(parse(two)), parse(minimal_case)).allowed, Lines{"gauge: 2 entries -> 0"});
}

TEST(Compare, another_mesh_is_refused_and_another_path_to_it_is_not) {
  const std::string with_mesh = minimal_case + R"(
[[solid]]
shape = "union"
parts = [{ shape = "mesh", file = "a.obj", file_hash = "0123456789abcdef" }]
)";
  EXPECT_EQ(changes(with_mesh, {"solid.0.parts.0.file_hash=\"fedcba9876543210\""}).refused,
            Lines{"solid.0.parts.0.file_hash: \"0123456789abcdef\" -> \"fedcba9876543210\""});
  EXPECT_EQ(changes(with_mesh, {"solid.0.parts.0.file=\"b.obj\""}).allowed,
            Lines{"solid.0.parts.0.file: \"a.obj\" -> \"b.obj\""});
  EXPECT_EQ(changes(with_mesh, {"solid.0.parts.0.translate=[0,1,0]"}).refused,
            Lines{"solid.0.parts.0.translate: [0.0, 0.0, 0.0] -> [0.0, 1.0, 0.0]"});
}

TEST(Compare, another_kind_of_shape_is_one_change) {
  EXPECT_EQ(changes(with_solids, {"solid.0={shape=\"box\", lower=[0,0,0], upper=[1,1,1]}"}).refused,
            Lines{"solid.0.shape: \"sphere\" -> \"box\""});
}

TEST(Compare, another_number_of_entries_is_one_change) {
  const Parameters fewer = parse(minimal_case);
  EXPECT_EQ(compare_inputs(resolved_toml(parse(with_solids)), fewer).refused, Lines{"solid: 2 entries -> 0"});
  EXPECT_EQ(changes(with_solids, {"solid.1.parts=[{shape=\"sphere\", center=[2,2,2], radius=0.25}]"}).refused,
            Lines{"solid.1.parts: 2 entries -> 1"});
}

TEST(Compare, options_of_petsc_are_compared_one_by_one) {
  const Lines before = {"pressure.petsc.ksp_type=fcg", "pressure.petsc.ksp_max_it=7"};
  const Lines after = {"pressure.petsc.ksp_type=cg", "pressure.petsc.ksp_atol=1e-9"};
  EXPECT_EQ(compare_inputs(resolved_toml(parse(minimal_case, before)), parse(minimal_case, after)).allowed,
            (Lines{"pressure.petsc.ksp_atol: none -> \"1e-09\"", "pressure.petsc.ksp_max_it: \"7\" -> none",
                   "pressure.petsc.ksp_type: \"fcg\" -> \"cg\""}));
}

TEST(Compare, gauges_that_the_earlier_run_did_not_have_are_named) {
  const std::string first = minimal_case + "[[gauge]]\nname = \"a\"\ntype = \"pressure\"\npoint = [0.1, 0.1, 0.1]\n";
  const std::string both = first + "[[gauge]]\nname = \"b\"\ntype = \"pressure\"\npoint = [0.1, 0.1, 0.1]\n";
  EXPECT_EQ(compare_inputs(resolved_toml(parse(first)), parse(both)).new_gauges, Lines{"b"});
  EXPECT_EQ(compare_inputs(resolved_toml(parse(both)), parse(first)).new_gauges, Lines{});
}

TEST(Compare, a_key_that_the_earlier_text_lacks_counts_with_its_default) {
  const std::string older = without(without(resolved_toml(parse(minimal_case)), "runaway_cfl"), "jitter");
  EXPECT_EQ(compare_inputs(older, parse(minimal_case)).allowed, Lines{});
  EXPECT_EQ(compare_inputs(older, parse(minimal_case)).refused, Lines{});
  EXPECT_EQ(compare_inputs(older, parse(minimal_case, {"time.runaway_cfl=10"})).allowed,
            Lines{"time.runaway_cfl: 25.0 -> 10.0"});
  EXPECT_EQ(compare_inputs(older, parse(minimal_case, {"particles.jitter=0"})).refused,
            Lines{"particles.jitter: 1.0 -> 0.0"});
}

TEST(Compare, long_values_are_cut_short) {
  const std::string line = changes(minimal_case, {"title=" + std::string(5000, 'x')}).allowed.at(0);
  EXPECT_LT(line.size(), 200u);
}

TEST(Compare, text_that_is_no_case_is_an_input_error) {
  const Parameters now = parse(minimal_case);
  for (const std::string& text : {std::string(), std::string("[run"), std::string(3, '\0'), std::string("\xff\xfe"),
                                  resolved_toml(now).substr(0, 500), resolved_toml(now) + "[later]\nkey = 1\n"}) {
    EXPECT_THROW(compare_inputs(text, now), InputError) << text;
  }
}

}  // namespace
}  // namespace freshet::test
