// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/driver/scene.hpp"
#include "freshet/grid/partition.hpp"
#include "freshet/particles/migration.hpp"
#include "freshet/particles/sort.hpp"
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::world;

/// A scene, its particles, and a layout around them.
struct Stage {
  Parameters parameters;
  Domain domain;
  Scene scene;
  ParticleStore particles;
  GlobalIndex next_id = 0;
  SeedingReport seeding;
  std::unique_ptr<BlockLayout> layout;
  SortWorkspace workspace;

  /// \param[in] keys  that stand before all tables
  explicit Stage(const std::string& text, const std::string& keys = "")
      : parameters(make_case(keys + case_text({16, 16, 16}, 0.1) + text)),
        domain(parameters.domain),
        scene(world(), parameters) {
    Splitters splitters = uniform_splitters(domain, world().size());
    seeding = scene.seed(splitters, particles, next_id);
    layout = std::make_unique<BlockLayout>(world(), domain, splitters, blocks_near_particles(particles, domain, 8));
    sort_particles(particles, *layout, CellOrder::by_id, workspace);
  }
  GlobalIndex total() const { return world().sum(GlobalIndex{particles.size()}); }
};

const std::string pool = R"(
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [0.8, 0.4, 0.8]
tag = 3
)";

TEST(Scene, seeds_the_liquids_and_counts_their_ids) {
  const Stage stage(pool);
  EXPECT_EQ(stage.seeding.seeded, 8 * 4 * 8 * 8);
  EXPECT_EQ(stage.total(), stage.seeding.seeded);
  EXPECT_EQ(stage.next_id, stage.seeding.seeded);
  for (ParticleIndex p = 0; p < stage.particles.size(); ++p) ASSERT_EQ(stage.particles.tag()[p], 3);
  EXPECT_FALSE(stage.scene.exchanges());
  EXPECT_EQ(stage.scene.frame(), nullptr);
}

TEST(Scene, tells_of_liquid_and_sources_beyond_the_domain) {
  const std::string at_place = " (inputs/troubleshooting.md#place)";
  const Stage inside("[[liquid]]\nshape = \"box\"\nlower = [0, 0, 0]\nupper = [1.6, 0.5, 1.62]\n");
  EXPECT_TRUE(inside.scene.warnings().empty());
  const Stage beyond("[[liquid]]\nshape = \"box\"\nlower = [-0.3, 0, 0]\nupper = [1.6, 2.1, 1.6]\n");
  ASSERT_EQ(beyond.scene.warnings().size(), 1U);
  EXPECT_EQ(
      beyond.scene.warnings()[0],
      "liquid.0 reaches 0.3 m beyond x_low, 0.5 m beyond y_high: what lies outside the domain is left out" + at_place);
  const Stage half("[[liquid]]\nshape = \"half_space\"\npoint = [0, 0.5, 0]\nnormal = [0, 1, 0]\n");
  EXPECT_TRUE(half.scene.warnings().empty()) << "a half space has no end";
  const Stage source("[[source]]\nshape = \"box\"\nlower = [0, 1, 0]\nupper = [0.4, 1.6, 1.9]\nvelocity = [1, 0, 0]\n");
  ASSERT_EQ(source.scene.warnings().size(), 1U);
  EXPECT_EQ(source.scene.warnings()[0],
            "source.0 reaches 0.3 m beyond z_high: what lies outside the domain is left out" + at_place);
}

TEST(Scene, tells_of_solids_sinks_and_regions_outside_the_domain) {
  const auto sphere = [](const std::string& table, const std::string& center, const std::string& rest = "") {
    return "[[" + table + "]]\nshape = \"sphere\"\nradius = 0.1\ncenter = " + center + "\n" + rest;
  };
  const auto warnings = [](const std::string& text) { return Stage(pool + text).scene.warnings(); };
  for (const std::string table : {"solid", "sink"}) {
    EXPECT_TRUE(warnings(sphere(table, "[1.2, 1.65, 1.2]")).empty()) << "a part of it lies in the domain";
    const auto found = warnings(sphere(table, "[200, 100, 200]"));
    ASSERT_EQ(found.size(), 1U) << table;
    EXPECT_TRUE(found[0].starts_with(table + ".0 lies outside the domain and has no effect (it reaches from (199.9, "))
        << found[0];
  }
  EXPECT_EQ(warnings(sphere("attribute.region", "[2, 2, 2]", "value = 1\n")
                         .insert(0, "[[attribute]]\nname = \"heat\"\ntype = \"real\"\n"))
                .size(),
            1U);
  EXPECT_EQ(warnings(sphere("solid", "[1.75, 1.75, 1.75]")).size(), 1U) << "beyond a corner";
  const std::string tank =
      "[[solid]]\nshape = \"difference\"\nparts = [{ shape = \"box\", lower = [-9, -9, -9], upper = "
      "[9, 9, 9] }, { shape = \"box\", lower = [-8, -8, -8], upper = [8, 8, 8] }]\n";
  EXPECT_EQ(warnings(tank).size(), 1U) << "the domain lies in its room";
  EXPECT_TRUE(warnings(sphere("solid", "[-30, 0.8, 0.8]", "velocity = [300, 0, 0]\n")).empty()) << "it comes and goes";
  const auto away = warnings(sphere("solid", "[-3, 0.8, 0.8]", "velocity = [-3, 0, 0]\n"));
  ASSERT_EQ(away.size(), 1U);
  EXPECT_TRUE(away[0].starts_with("solid.0 stays outside the domain")) << away[0];
}

TEST(Scene, tells_of_sinks_cut_off_by_a_periodic_side_and_rectangles_in_solids) {
  const std::string sink = "[[sink]]\nshape = \"box\"\nlower = [1.4, 0, 0]\nupper = [1.8, 0.2, 1.6]\n";
  EXPECT_TRUE(Stage(pool + sink).scene.warnings().empty());
  const Stage periodic(pool + sink, "[domain.boundary]\nx_low = \"periodic\"\nx_high = \"periodic\"\n");
  ASSERT_EQ(periodic.scene.warnings().size(), 1U);
  EXPECT_TRUE(periodic.scene.warnings()[0].starts_with("sink.0 reaches 0.2 m beyond x_high: what lies outside"));
  const auto gauge = [](const std::string& upper) {
    return "[[gauge]]\nname = \"q\"\ntype = \"flow_rate\"\nlower = [0.8, 0, 0]\nupper = [0.8, " + upper + "]\n";
  };
  const std::string block = "[[solid]]\nshape = \"box\"\nlower = [0.6, -1, -1]\nupper = [1.0, 0.5, 2]\n";
  EXPECT_TRUE(Stage(pool + block + gauge("0.6, 1.6")).scene.warnings().empty());
  const Stage buried(pool + block + gauge("0.4, 1.6"));
  ASSERT_EQ(buried.scene.warnings().size(), 1U);
  EXPECT_TRUE(buried.scene.warnings()[0].starts_with("gauge q: all of its rectangle lies in solids"));
}

TEST(Scene, tells_of_liquid_that_ends_within_a_cell_of_a_wall) {
  const auto warnings = [](const std::string& upper, const std::string& rest = "", const std::string& keys = "") {
    return Stage("[[liquid]]\nshape = \"box\"\nlower = [0, 0, 0]\nupper = " + upper + "\n" + rest, keys)
        .scene.warnings();
  };
  EXPECT_TRUE(warnings("[1.6, 0.4, 1.6]").empty());
  EXPECT_TRUE(warnings("[1.5, 0.4, 1.599]").empty()) << "a cell is shown, and a hundredth of a cell does no harm";
  const auto gap = warnings("[1.53, 0.4, 1.6]");
  ASSERT_EQ(gap.size(), 1U);
  EXPECT_TRUE(gap[0].starts_with("liquid.0 ends 0.07 m (0.7 cells) before the wall x_high")) << gap[0];
  const std::string wall = "[[solid]]\nshape = \"box\"\nlower = [1.2, 0, 0]\nupper = [1.4, 1, 1.6]\n";
  EXPECT_TRUE(warnings("[1.2, 0.4, 1.6]", wall).empty());
  const auto gate = warnings("[1.16, 0.4, 1.6]", wall);
  ASSERT_EQ(gate.size(), 1U);
  EXPECT_TRUE(gate[0].starts_with("liquid.0 ends 0.04 m (0.4 cells) before solid.0")) << gate[0];
  EXPECT_TRUE(warnings("[1.16, 0.4, 1.6]", wall + "velocity = [1, 0, 0]\n").empty()) << "it moves";
  EXPECT_TRUE(
      warnings("[1.53, 0.4, 1.6]", "[[liquid]]\nshape = \"box\"\nlower = [1.53, 0, 0]\nupper = [1.6, 0.4, 1.6]\n")
          .empty());
  EXPECT_TRUE(warnings("[1.53, 0.4, 1.6]", "", "[domain.boundary]\nx_high = \"open\"\n").empty());
}

TEST(Scene, warns_of_gauges_inside_solids) {
  const Stage stage(pool + R"(
[[solid]]
shape = "box"
lower = [0.4, 0.0, 0.4]
upper = [1.2, 1.0, 1.2]
[[gauge]]
name = "on_it"
type = "pressure"
point = [0.4, 0.2, 0.8]
[[gauge]]
name = "in_it"
type = "velocity"
point = [0.65, 0.5, 0.8]
)");
  ASSERT_EQ(stage.scene.warnings().size(), 1U);
  EXPECT_EQ(stage.scene.warnings()[0],
            "gauge in_it: its point lies 0.25 m inside solid.0, where there is no liquid "
            "(inputs/troubleshooting.md#place)");
}

TEST(Scene, warns_of_contact_angles_that_drops_do_not_reach) {
  const auto drop = [](const std::string& angle, const std::string& rest = "") {
    const std::string keys = "fluid.surface_tension = 0.07\nlabels.surface = \"level_set\"\n";
    return std::make_unique<Stage>(pool + rest, keys + "fluid.contact_angle = " + angle + "\n")->scene.warnings();
  };
  for (const char* angle : {"45", "90", "135"}) EXPECT_TRUE(drop(angle).empty()) << angle;
  for (const char* angle : {"30", "150"}) {
    ASSERT_EQ(drop(angle).size(), 1U) << angle;
    EXPECT_EQ(drop(angle)[0].find("shed particles"), std::string::npos);
  }
  const std::string ball = "[[solid]]\nshape = \"sphere\"\ncenter = [0.8, 0.4, 0.8]\nradius = 0.3\n";
  ASSERT_EQ(drop("30", ball).size(), 1U);
  EXPECT_NE(drop("30", ball)[0].find("shed particles"), std::string::npos);
  EXPECT_EQ(drop("30", ball + "surface = \"voxels\"\n")[0].find("shed particles"), std::string::npos);
}

TEST(Scene, warns_of_waves_for_water_of_another_depth) {
  const auto tank = [](const std::string& depth, const std::string& rest = "") {
    return std::make_unique<Stage>(R"(
[time]
splitting = "strang"
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [1.6, 0.8, 1.6]
[[solid]]
shape = "box"
lower = [-1, -1, -1]
upper = [0.3, 2, 3]
surface = "fractions"
wave.type = "linear"
wave.height = 0.05
wave.period = 1.0
wave.depth = )" + depth + "\n" + rest);
  };
  EXPECT_TRUE(tank("0.8")->scene.warnings().empty());
  EXPECT_TRUE(tank("0.74")->scene.warnings().empty()) << "within a cell";
  const std::string end = ": the waves will not have their height (inputs/troubleshooting.md#waves)";
  const auto shallow = tank("0.5");
  ASSERT_EQ(shallow->scene.warnings().size(), 1U);
  EXPECT_EQ(shallow->scene.warnings()[0],
            "solid.0: wave.depth is 0.5 m, but the water at its paddle is 0.8 m deep" + end);
  // A raised bed takes from the depth; what stands farther down the tank does not.
  const std::string bed = "[[solid]]\nshape = \"box\"\nlower = [-1, -1, -1]\nupper = [1.0, 0.3, 3]\n";
  EXPECT_TRUE(tank("0.5", bed)->scene.warnings().empty());
  ASSERT_EQ(tank("0.8", bed)->scene.warnings().size(), 1U);
  EXPECT_TRUE(
      tank("0.8", "[[solid]]\nshape = \"box\"\nlower = [1, -1, -1]\nupper = [3, 0.3, 3]\n")->scene.warnings().empty());
}

TEST(Scene, warns_of_sloshing_in_steps_of_first_order_that_are_free_to_follow_it) {
  const auto tank = [](const std::string& time) {
    return std::make_unique<Stage>("[time]\n" + time + pool +
                                   "[frame]\nkeyframes = [[0, 0, 0, 0], [1, 0.1, 0, 0], [2, 0, 0, 0]]\n");
  };
  const auto first_order = tank("splitting = \"first_order\"\n");
  ASSERT_EQ(first_order->scene.warnings().size(), 1U);
  EXPECT_EQ(first_order->scene.warnings()[0].rfind("frame: the tank moves", 0), 0U);
  EXPECT_TRUE(tank("")->scene.warnings().empty());
  EXPECT_TRUE(tank("splitting = \"strang\"\n")->scene.warnings().empty());
}

TEST(Scene, warns_of_waves_in_steps_of_first_order_that_are_free_to_follow_them) {
  const auto tank = [](const std::string& time) {
    return std::make_unique<Stage>("[time]\n" + time + R"(
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [1.6, 0.8, 1.6]
[[solid]]
shape = "box"
lower = [-1, -1, -1]
upper = [0.1, 2, 3]
[[solid]]
shape = "box"
lower = [-1, -1, -1]
upper = [0.3, 2, 3]
wave.type = "linear"
wave.height = 0.05
wave.period = 1.0
wave.depth = 0.8
)");
  };
  const auto first_order = tank("splitting = \"first_order\"\n");
  ASSERT_EQ(first_order->scene.warnings().size(), 1U);
  EXPECT_EQ(first_order->scene.warnings()[0].rfind("solid.1 makes waves, and time.splitting is \"first_order\"", 0),
            0U);
  EXPECT_TRUE(tank("splitting = \"strang\"")->scene.warnings().empty());
  EXPECT_TRUE(tank("")->scene.warnings().empty());
  EXPECT_TRUE(tank("splitting = \"first_order\"\nmax_dt = 0.01")->scene.warnings().empty())
      << "steps of one length do not follow the waves";
}

TEST(Scene, without_liquid_is_an_input_error_unless_a_source_will_bring_some) {
  EXPECT_THROW(Stage(R"(
[[liquid]]
shape = "sphere"
center = [50, 50, 50]
radius = 1
)"),
               InputError);
  const Stage stage(R"(
[[source]]
shape = "box"
lower = [0.4, 0.8, 0.4]
upper = [0.8, 1.0, 0.8]
mode = "fill"
)");
  EXPECT_EQ(stage.total(), 0);
}

TEST(Scene, exchanges_particles_with_sources_and_sinks_and_counts_them) {
  Stage stage(pool + R"(
[[source]]
shape = "box"
lower = [0.2, 0.1, 0.2]
upper = [0.4, 0.6, 0.4]
mode = "fill"
[[sink]]
shape = "box"
lower = [0.6, 0, 0.6]
upper = [0.8, 0.4, 0.8]
)");
  ASSERT_TRUE(stage.scene.exchanges());
  const GlobalIndex before = stage.total();
  const Scene::Exchange done = stage.scene.exchange(*stage.layout, 0.0, 0.01, stage.next_id, stage.particles);
  EXPECT_EQ(done.emitted, 2 * 2 * 2 * 8) << "the part of the source that stands out of the pool, every sub-cell of it";
  EXPECT_EQ(done.absorbed, 2 * 4 * 2 * 8) << "all that is in the sink";
  EXPECT_EQ(done.held_back, 0);
  EXPECT_EQ(stage.total(), before + done.emitted - done.absorbed);
}

TEST(Scene, tells_the_grid_of_what_sinks_draw_only_while_they_do) {
  Stage stage(pool + R"(
[[sink]]
shape = "box"
lower = [0.2, 0, 0.2]
upper = [0.6, 0.2, 0.6]
rate = 0.01
start_time = 1.0
)");
  LabelField labels(*stage.layout, Label::air);
  labels.fill(Label::liquid);
  SolidFields solids;
  solids.reset(*stage.layout, stage.scene.bodies());
  EXPECT_EQ(stage.scene.inflow(labels, 0.5, 0.1, solids), nullptr);
  const CellField<double>* inflow = stage.scene.inflow(labels, 1.5, 0.1, solids);
  ASSERT_NE(inflow, nullptr);
  double sum = 0.0;
  for (LocalIndex b = 0; b < stage.layout->n_owned(); ++b)
    for (int c = 0; c < stage.layout->cells_per_block(); ++c) sum += inflow->block(b)[c];
  EXPECT_NEAR(world().sum(sum) * 0.1 * 0.1, -0.01, 1e-12) << "volume per time through faces of 0.01 m^2";
}

}  // namespace
}  // namespace freshet
