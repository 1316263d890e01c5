// SPDX-License-Identifier: Apache-2.0
// Keys whose values the program chooses where a case does not set them.
#include "cases.hpp"
#include "freshet/config/choices.hpp"

namespace freshet::test {
namespace {

using Lines = std::vector<std::string>;

const std::string ball = "[[solid]]\nshape = \"sphere\"\ncenter = [1, 3, 3]\nradius = 0.5\n";
const std::string paddle =
    "[[solid]]\nshape = \"box\"\nlower = [-1, -1, -1]\nupper = [0.5, 8, 9]\n"
    "wave.type = \"linear\"\nwave.height = 0.1\nwave.period = 2.0\nwave.depth = 2.0\n";
const std::string rolling = "[frame]\nkeyframes = [[0, 0, 0, 0], [1, 0.1, 0, 0], [2, 0, 0, 0]]\n";
/// Values with which runs computed before these keys had today's defaults.
const Lines as_before = {"labels.surface=voxels", "pressure.walls.condition=sticky", "density.correction=off",
                         "time.splitting=first_order"};

/// A case in the unit cube, where velocities may be prescribed.
Parameters in_unit_cube(Lines words) {
  words.insert(words.end(), {"domain.cells=[8,8,8]", "domain.cell_size=0.125"});
  return parse(minimal_case, words);
}

/// Resolved text without the lines that set keys of these last names.
std::string without(std::string text, const Lines& names) {
  for (const std::string& name : names) {
    const std::size_t start = text.find("\n" + name + " = ");
    EXPECT_NE(start, std::string::npos) << name;
    text.erase(start, text.find('\n', start + 1) - start);
  }
  return text;
}

TEST(ChosenKeys, surface_is_of_voxels_where_a_level_set_has_no_use) {
  for (const char* word : {"labels.method=density", "motion.field=enright"})
    EXPECT_EQ(in_unit_cube({word}).labels.surface, LiquidSurface::voxels) << word;
  EXPECT_EQ(in_unit_cube({"motion.field=enright", "labels.surface=level_set"}).labels.surface,
            LiquidSurface::level_set);
}

TEST(ChosenKeys, a_prescribed_flow_has_no_correction_and_its_walls_let_nothing_go) {
  const Parameters p = in_unit_cube({"motion.field=enright"});
  EXPECT_EQ(p.density.correction, DensityMethod::off);
  EXPECT_EQ(p.pressure.walls.condition, WallCondition::sticky);
  EXPECT_EQ(p.domain.wall[0][1], WallCondition::sticky);
  EXPECT_EQ(p.time.splitting, Splitting::first_order);
  EXPECT_THROW(in_unit_cube({"motion.field=enright", "density.correction=implicit"}), InputError);
}

TEST(ChosenKeys, walls_are_sticky_where_the_liquid_moves_bodies) {
  EXPECT_EQ(parse(minimal_case + ball).pressure.walls.condition, WallCondition::separating);
  const Parameters p = parse(minimal_case + ball + "body.density = 500\n");
  EXPECT_EQ(p.pressure.walls.condition, WallCondition::sticky);
  EXPECT_EQ(p.domain.wall[1][0], WallCondition::sticky);
  EXPECT_EQ(p.density.correction, DensityMethod::implicit);
}

/// Below a curved surface and beside air that has stretched, liquid hangs on walls with a pressure below the
/// atmosphere's.
TEST(ChosenKeys, walls_are_sticky_where_tension_or_trapped_air_may_pull) {
  const Parameters drop = parse(minimal_case, {"fluid.surface_tension=0.07"});
  EXPECT_EQ(drop.pressure.walls.condition, WallCondition::sticky);
  EXPECT_EQ(drop.density.correction, DensityMethod::off);
  const Parameters slug = parse(minimal_case, {"air.bubbles=compressible"});
  EXPECT_EQ(slug.pressure.walls.condition, WallCondition::sticky);
  EXPECT_EQ(slug.density.correction, DensityMethod::implicit);
  const Parameters given = parse(minimal_case, {"fluid.surface_tension=0.07", "pressure.walls.condition=separating",
                                                "density.correction=implicit"});
  EXPECT_EQ(given.pressure.walls.condition, WallCondition::separating);
  EXPECT_EQ(given.density.correction, DensityMethod::implicit);
}

TEST(ChosenKeys, steps_are_of_second_order_where_waves_are_made_or_the_tank_moves) {
  for (const std::string& more : {paddle, rolling, paddle + rolling}) {
    EXPECT_EQ(parse(minimal_case + more).time.splitting, Splitting::strang) << more;
    EXPECT_EQ(parse(minimal_case + more, {"time.splitting=auto"}).time.splitting, Splitting::strang) << more;
    EXPECT_EQ(parse(minimal_case + more, {"time.splitting=first_order"}).time.splitting, Splitting::first_order);
  }
  for (const std::string& more : {std::string(), ball, ball + "velocity = [1, 0, 0]\n"})
    EXPECT_EQ(parse(minimal_case + more).time.splitting, Splitting::first_order) << more;
  EXPECT_EQ(in_unit_cube({"motion.field=enright", "frame.keyframes=[[0, 0, 0, 0], [1, 0.1, 0, 0]]"}).time.splitting,
            Splitting::first_order);
}

TEST(ChosenKeys, the_resolved_text_says_what_was_chosen) {
  const std::string text = resolved_toml(parse(minimal_case + paddle));
  for (const char* line : {"\nsplitting = \"strang\"\n", "\ncorrection = \"implicit\"\n",
                           "\ncondition = \"separating\"\n", "\nsurface = \"fractions\"\n"})
    EXPECT_TRUE(contains(text, line)) << line << text;
  EXPECT_FALSE(contains(text, "\"auto\"")) << text;
}

TEST(ChosenKeys, records_of_before_a_key_have_the_value_of_then) {
  const std::string older =
      without(resolved_toml(parse(minimal_case, as_before)), {"surface", "condition", "correction", "splitting"});
  EXPECT_EQ(compare_inputs(older, parse(minimal_case, as_before)).refused, Lines{});
  const InputChanges changes = compare_inputs(older, parse(minimal_case, {"time.splitting=strang"}));
  EXPECT_EQ(changes.refused, (Lines{"labels.surface: \"voxels\" -> \"level_set\"",
                                    "pressure.walls.condition: \"sticky\" -> \"separating\"",
                                    "density.correction: \"off\" -> \"implicit\""}));
  EXPECT_EQ(changes.allowed, Lines{"time.splitting: \"first_order\" -> \"strang\""});
}

TEST(ChosenKeys, a_restart_keeps_what_the_case_does_not_set) {
  const std::string waves = minimal_case + paddle;
  const std::string before = resolved_toml(parse(waves, as_before));
  Parameters now = parse(waves);
  EXPECT_EQ(keep_choices(before, now).size(), as_before.size());
  EXPECT_EQ(resolved_toml(now), before);
  EXPECT_EQ(now.input_hash, parse(waves, as_before).input_hash);
  EXPECT_EQ(now.domain.wall[0][0], WallCondition::sticky);
  const InputChanges none = compare_inputs(before, now);
  EXPECT_TRUE(none.refused.empty() && none.allowed.empty());
  EXPECT_EQ(keep_choices(before, now), Lines{}) << "the second time nothing is left to keep";
}

TEST(ChosenKeys, a_restart_keeps_the_splitting_that_was_chosen_from_auto) {
  Parameters now = parse(minimal_case + rolling, {"time.splitting=auto"});
  const std::string before = resolved_toml(parse(minimal_case + rolling, {"time.splitting=first_order"}));
  EXPECT_EQ(keep_choices(before, now), Lines{"time.splitting: \"strang\" -> \"first_order\""});
  EXPECT_EQ(now.time.splitting, Splitting::first_order);
}

TEST(ChosenKeys, what_the_case_sets_is_not_kept_but_compared) {
  const std::string before = resolved_toml(parse(minimal_case, as_before));
  Parameters now = parse(minimal_case, {"density.correction=implicit"});
  keep_choices(before, now);
  EXPECT_EQ(now.density.correction, DensityMethod::implicit);
  EXPECT_EQ(compare_inputs(before, now).refused, Lines{"density.correction: \"off\" -> \"implicit\""});
}

/// Records of older runs leave a solid's surface to the program, which took whole cells where liquid may leave.
TEST(ChosenKeys, solids_of_older_runs_keep_their_surface) {
  const auto of_older_run = [](const std::string& more, const std::string& condition) {
    std::string text = resolved_toml(parse(minimal_case + ball + more, {"pressure.walls.condition=" + condition}));
    const std::string line = "surface = \"fractions\"";
    return text.replace(text.find(line), line.size(), "surface = \"auto\"");
  };
  const auto surface_after = [](const std::string& more, const std::string& before) {
    Parameters now = parse(minimal_case + ball + more);
    keep_choices(before, now);
    EXPECT_EQ(compare_inputs(before, now).refused, Lines{});
    return now.solids.at(0).surface;
  };
  for (const char* condition : {"sticky", "separating"}) {
    const bool is_sticky = condition == std::string("sticky");
    EXPECT_EQ(surface_after("", of_older_run("", condition)),
              is_sticky ? SolidSurface::fractions : SolidSurface::voxels);
    for (const std::string more : {"wall = \"sticky\"\n", "body.density = 500\n"})
      EXPECT_EQ(surface_after(more, of_older_run(more, condition)), SolidSurface::fractions) << more;
    const std::string lets_go = "wall = \"separating\"\n";
    EXPECT_EQ(surface_after(lets_go, of_older_run(lets_go, condition)), SolidSurface::voxels);
  }
}

TEST(ChosenKeys, a_record_that_is_no_case_is_an_input_error) {
  Parameters now = parse(minimal_case);
  for (const std::string& text : {std::string(), std::string("solid = 3"), std::string("pressure = 1"),
                                  std::string("solid = [1]"), std::string("\xff")})
    EXPECT_THROW(keep_choices(text, now), InputError) << text;
}

}  // namespace
}  // namespace freshet::test
