// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

#include <algorithm>

namespace freshet::test {
namespace {

/// One key, values on the legal side of its ends, and values beyond them.
struct RangeCase {
  std::string key;
  std::vector<std::string> legal;
  std::vector<std::string> illegal;
};

class Ranges : public testing::TestWithParam<RangeCase> {};

TEST_P(Ranges, ends_are_where_they_are_declared) {
  const RangeCase& c = GetParam();
  for (const std::string& value : c.legal) EXPECT_NO_THROW(parse(minimal_case, {c.key + "=" + value})) << value;
  for (const std::string& value : c.illegal) {
    const std::string message = error_of(minimal_case, {c.key + "=" + value});
    EXPECT_TRUE(contains(message, "'" + c.key + "'")) << message;
    EXPECT_TRUE(contains(message, " is out of range (legal: ") || contains(message, "not a finite number")) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Numbers, Ranges,
    testing::Values(
        RangeCase{"run.end_time", {"1e-9", "1e300", "1"}, {"0", "0.0", "-1", "inf", "nan"}},
        RangeCase{"run.max_steps", {"0", "1000000000000000"}, {"-1", "1000000000000001"}},
        RangeCase{"run.max_wall_time", {"0", "86400"}, {"-1", "inf"}},
        RangeCase{"run.seed", {"0", "9223372036854775807"}, {"-1"}},
        RangeCase{"domain.dimension", {"3"}, {"1", "4", "-3"}},
        RangeCase{"domain.cells", {"[1,1,1]", "[1048576,1048576,524288]"}, {"[0,1,1]", "[1,1,1048577]", "[1,-1,1]"}},
        RangeCase{"domain.cell_size", {"1e-3", "1e3"}, {"0", "-1", "inf", "nan"}},
        RangeCase{"domain.origin", {"[-1e3,1e3,0]"}, {"[nan,0,0]", "[0,0,-inf]"}},
        RangeCase{"fluid.density", {"1e-3", "13600"}, {"0", "-1", "inf"}},
        RangeCase{"fluid.gravity", {"[0,0,0]", "[1,2,3]"}, {"[0,inf,0]", "[0,0,nan]"}},
        RangeCase{"particles.per_axis", {"1", "8"}, {"0", "9"}},
        RangeCase{"particles.jitter", {"0", "1"}, {"-0.001", "1.001", "nan"}},
        RangeCase{"transfer.flip_fraction", {"0", "1"}, {"-0.001", "1.001", "nan"}},
        RangeCase{"time.cfl", {"0.1", "5"}, {"0.0999", "5.001", "0", "-1", "nan"}},
        RangeCase{"time.max_dt", {"0", "1"}, {"-1e-9", "inf"}},
        RangeCase{"time.min_dt", {"1e-30", "5e-324"}, {"0", "-1"}},
        RangeCase{"time.runaway_cfl", {"6", "1e6"}, {"5.99", "1.1e6", "inf"}},
        RangeCase{"time.max_retries", {"0", "30"}, {"-1", "31"}},
        RangeCase{"checkpoint.interval", {"0", "0.5"}, {"-1", "inf"}},
        RangeCase{"checkpoint.steps", {"0", "1000000000000000"}, {"-1", "1000000000000001"}},
        RangeCase{"checkpoint.wall_interval", {"0", "86400"}, {"-1", "inf"}},
        RangeCase{"checkpoint.keep", {"1", "2147483647"}, {"0", "-1", "2147483648"}},
        RangeCase{"pressure.tolerance", {"1e-14", "0.1"}, {"9e-15", "0.11", "0"}},
        RangeCase{"pressure.max_divergence", {"0", "1"}, {"-1", "inf"}},
        RangeCase{"pressure.max_iterations", {"1", "2147483647"}, {"0", "-1", "2147483648"}},
        RangeCase{"pressure.theta_min", {"1e-4", "1"}, {"9.9e-5", "1.001", "0", "nan"}},
        RangeCase{"pressure.w_cycle_levels", {"0", "64"}, {"-1", "65"}},
        RangeCase{"pressure.mic0_tau", {"0", "1"}, {"-0.001", "1.001"}},
        RangeCase{"pressure.mic0_sigma", {"0", "1"}, {"-0.001", "1.001"}},
        RangeCase{"pressure.walls.epsilon_cg", {"0", "1e-3"}, {"-1", "inf"}},
        RangeCase{"pressure.walls.epsilon_aabs", {"0", "1e-3"}, {"-1", "nan"}},
        RangeCase{"pressure.walls.epsilon_arel", {"0", "1e-3"}, {"-1", "nan"}},
        RangeCase{"pressure.walls.epsilon_adiv", {"0", "1e-2"}, {"-1", "inf"}},
        RangeCase{"pressure.walls.epsilon_idiv", {"0", "1e-2"}, {"-1", "inf"}},
        RangeCase{"pressure.walls.max_outer", {"1", "2147483647"}, {"0", "-1", "2147483648"}},
        RangeCase{"balance.threshold", {"1", "10"}, {"0.999", "inf"}},
        RangeCase{"balance.particle_cost", {"0", "1e9"}, {"-1", "1.1e9", "inf"}},
        RangeCase{"balance.cell_cost", {"0", "1e9"}, {"-1", "1.1e9", "inf"}},
        RangeCase{"output.interval", {"0", "0.02"}, {"-1", "inf", "nan"}},
        RangeCase{"output.max_field_cells", {"0", "9223372036854775807"}, {"-1"}},
        RangeCase{"output.log_every", {"1", "2147483647"}, {"0", "-1", "2147483648"}},
        RangeCase{"liquid.0.tag", {"0", "255"}, {"-1", "256"}},
        RangeCase{"liquid.0.velocity", {"[-1,0,1]"}, {"[nan,0,0]"}}),
    [](const auto& test) {
      std::string name = test.param.key;
      std::replace(name.begin(), name.end(), '.', '_');
      return name;
    });

/// One key and its legal words.
struct ChoiceCase {
  std::string key;
  std::vector<std::string> words;
};

class Choices : public testing::TestWithParam<ChoiceCase> {};

TEST_P(Choices, only_the_declared_words_are_legal) {
  const ChoiceCase& c = GetParam();
  for (const std::string& word : c.words) EXPECT_NO_THROW(parse(minimal_case, {c.key + "=" + word})) << word;
  for (const std::string word : {"wall", "NONE", "rk"}) {
    const std::string message = error_of(minimal_case, {c.key + "=" + word});
    for (const std::string& legal : c.words) EXPECT_TRUE(contains(message, legal)) << message;
  }
  EXPECT_TRUE(contains(error_of(minimal_case, {c.key + "=2"}), "is an integer (it takes a string"));
}

INSTANTIATE_TEST_SUITE_P(Words, Choices,
                         testing::Values(ChoiceCase{"domain.boundary.x_low", {"free_slip", "no_slip", "open"}},
                                         ChoiceCase{"domain.boundary.x_high", {"free_slip", "no_slip", "open"}},
                                         ChoiceCase{"domain.boundary.y_low", {"free_slip", "no_slip", "open"}},
                                         ChoiceCase{"domain.boundary.y_high", {"free_slip", "no_slip", "open"}},
                                         ChoiceCase{"domain.boundary.z_low", {"free_slip", "no_slip", "open"}},
                                         ChoiceCase{"domain.boundary.z_high", {"free_slip", "no_slip", "open"}},
                                         ChoiceCase{"motion.scheme", {"rk1", "rk2", "rk3", "rk4"}},
                                         ChoiceCase{"pressure.preconditioner",
                                                    {"mic0", "block_mic0", "icc", "hypre", "gamg", "jacobi", "none"}}));

TEST(Types, an_integer_does_for_a_float_but_not_the_other_way_round) {
  EXPECT_EQ(parse(minimal_case, {"time.cfl=2"}).time.cfl, 2.0);
  EXPECT_TRUE(contains(error_of(minimal_case, {"run.max_steps=2.0"}), "is a float (it takes an integer"));
  EXPECT_TRUE(contains(error_of(minimal_case, {"domain.cells=[16,24,32.0]"}), "entry 2 is a float"));
}

TEST(Types, booleans_are_true_or_false) {
  for (const std::string key : {"run.reproducible", "pressure.warm_start", "balance.enabled", "output.xdmf"}) {
    EXPECT_NO_THROW(parse(minimal_case, {key + "=true"}));
    EXPECT_NO_THROW(parse(minimal_case, {key + "=false"}));
    EXPECT_TRUE(contains(error_of(minimal_case, {key + "=1"}), "is an integer (it takes a boolean")) << key;
    EXPECT_TRUE(contains(error_of(minimal_case, {key + "=yes"}), "is a string (it takes a boolean")) << key;
  }
}

TEST(Types, lists_hold_known_names_once_in_the_order_given) {
  const Parameters p = parse(minimal_case, {"output.fields=[\"label\", \"pressure\"]", "output.particles=[\"tag\"]"});
  EXPECT_EQ(p.output.fields, (std::vector<std::string>{"label", "pressure"}));
  EXPECT_EQ(p.output.particles, std::vector<std::string>{"tag"});
  EXPECT_TRUE(contains(error_of(minimal_case, {"output.fields=[\"enstrophy\"]"}), "face_velocity"));
  EXPECT_TRUE(contains(error_of(minimal_case, {"output.particles=[\"id\", \"id\"]"}), "twice"));
  EXPECT_TRUE(contains(error_of(minimal_case, {"output.particles=id"}), "it takes an array of strings"));
}

TEST(Combinations, legal_ones_pass) {
  const Parameters p = parse(minimal_case, {"domain.boundary.x_low=periodic", "domain.boundary.x_high=periodic"});
  EXPECT_EQ(p.domain.boundary[0][0], FaceCondition::periodic);
  EXPECT_EQ(p.domain.boundary[0][1], FaceCondition::periodic);
  EXPECT_NO_THROW(parse(minimal_case, {"time.min_dt=1e-5", "time.max_dt=1e-5"}));
  EXPECT_NO_THROW(parse(minimal_case_2d, {"domain.boundary.z_low=free_slip"}));
}

/// 145 cells of 0.0062068 m end 14 micrometres before 0.9 m.
TEST(Combinations, places_on_sides_need_no_more_digits_than_the_cell_size) {
  const std::string head =
      "[run]\nend_time = 1.0\n[domain]\ncells = [145, 145, 145]\ncell_size = 0.0062068\n[[liquid]]\nshape = \"box\"\n"
      "lower = [0.0, 0.0, 0.0]\nupper = [0.9, 0.2, 0.9]\n";
  for (const std::string entry :
       {"[[gauge]]\nname = \"a\"\ntype = \"pressure\"\npoint = [0.9, 0.1, 0.45]\n",
        "[[gauge]]\nname = \"a\"\ntype = \"pressure\"\npoint = [0.9, 0.1, 0.9]\nnormal = [-1.0, 0.0, 0.0]\n",
        "[[gauge]]\nname = \"a\"\ntype = \"velocity\"\npoint = [0.9, 0.1, 0.45]\n",
        "[[gauge]]\nname = \"a\"\ntype = \"height\"\nstart = [0.9, 0.0, 0.9]\nend = [0.9, 0.9, 0.9]\n",
        "[[gauge]]\nname = \"a\"\ntype = \"flow_rate\"\nlower = [0.9, 0.0, 0.0]\nupper = [0.9, 0.9, 0.9]\n",
        "[[absorber]]\nlower = [0.9, 0.0, 0.0]\nupper = [1.2, 0.9, 0.9]\ndirection = [1.0, 0.0, 0.0]\nstrength = 1.0\n",
        "[output]\nlower = [0.9, 0.0, 0.0]\nupper = [1.2, 0.9, 0.9]\n"})
    EXPECT_NO_THROW(parse(head + entry)) << entry;
  EXPECT_TRUE(contains(error_of(head + "[[gauge]]\nname = \"a\"\ntype = \"velocity\"\npoint = [0.90006, 0.1, 0.45]\n"),
                       "lies outside the domain"));
  const std::vector<std::string> unit_cube = {"motion.field=enright", "domain.cells=[145,145,145]",
                                              "domain.cell_size=0.0068965517", "labels.surface=voxels"};
  EXPECT_NO_THROW(parse(minimal_case, unit_cube));
}

TEST(Combinations, boxes_of_gauges_in_two_dimensions_need_no_thickness) {
  const std::string box = "lower = [1.0, 0.0, 10.0]\nupper = [1.0, 2.0, 10.0]\n";
  EXPECT_NO_THROW(parse(minimal_case_2d + "[[gauge]]\nname = \"a\"\ntype = \"flow_rate\"\n" + box));
  EXPECT_TRUE(contains(error_of(minimal_case_2d + "[[gauge]]\nname = \"a\"\ntype = \"flow_rate\"\n" +
                                "lower = [1.0, 0.0, 10.0]\nupper = [2.0, 2.0, 10.0]\n"),
                       "along 0 axes"));
}

TEST(Combinations, each_axis_is_checked_for_itself) {
  for (const std::string axis : {"x", "y", "z"}) {
    const std::string low = "domain.boundary." + axis + "_low";
    const std::string high = "domain.boundary." + axis + "_high";
    EXPECT_TRUE(contains(error_of(minimal_case, {high + "=periodic"}), "'" + low + "' is not"));
    const std::string message =
        error_of(minimal_case, {low + "=periodic", high + "=periodic", "domain.cells=[12,12,12]"});
    EXPECT_TRUE(contains(message, "12 cells along the periodic axis " + axis)) << message;
  }
}

}  // namespace
}  // namespace freshet::test
