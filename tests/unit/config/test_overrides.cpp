// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

namespace freshet::test {
namespace {

TEST(Overrides, replace_a_value_of_the_file) {
  EXPECT_EQ(parse(minimal_case, {"run.end_time=7.5"}).run.end_time, 7.5);
}

TEST(Overrides, add_a_value_and_the_table_around_it) {
  const Parameters p = parse(minimal_case, {"time.cfl=0.5", "domain.boundary.y_high=open"});
  EXPECT_EQ(p.time.cfl, 0.5);
  EXPECT_EQ(p.domain.boundary[1][1], FaceCondition::open);
}

TEST(Overrides, of_two_the_later_one_holds) {
  EXPECT_EQ(parse(minimal_case, {"time.cfl=0.5", "time.cfl=0.7"}).time.cfl, 0.7);
}

TEST(Overrides, reach_into_arrays_by_index) {
  const std::string text = minimal_case + R"(
[[liquid]]
shape = "union"
parts = [{ shape = "sphere", center = [1, 1, 1], radius = 1.0 }, { shape = "sphere", center = [2, 1, 1], radius = 1.0 }]
)";
  const Parameters p = parse(text, {"liquid.0.tag=2", "liquid.1.parts.1.radius=0.25", "domain.cells.2=40"});
  EXPECT_EQ(p.liquids[0].tag, 2);
  EXPECT_EQ(p.liquids[1].tag, 0);
  EXPECT_EQ(p.liquids[1].shape.parts[0].radius, 1.0);
  EXPECT_EQ(p.liquids[1].shape.parts[1].radius, 0.25);
  EXPECT_EQ(p.domain.cells, Vec3i(16, 24, 40));
}

TEST(Overrides, replace_whole_tables_and_arrays) {
  const Parameters p = parse(minimal_case, {"liquid=[{shape=\"sphere\", center=[1,1,1], radius=1}]"});
  EXPECT_EQ(p.liquids.at(0).shape.kind, ShapeKind::sphere);
  EXPECT_EQ(parse(minimal_case, {"domain.cells=[8,8,8]"}).domain.cells, Vec3i(8, 8, 8));
}

TEST(Overrides, bare_words_are_strings) {
  const Parameters p = parse(minimal_case, {"motion.scheme=rk2", "title=a dam of 3 m", "reference=\"quoted\"",
                                            "pressure.petsc.ksp_type=fcg", "pressure.petsc.ksp_monitor=true"});
  EXPECT_EQ(p.motion.scheme, MotionScheme::rk2);
  EXPECT_EQ(p.title, "a dam of 3 m");
  EXPECT_EQ(p.reference, "quoted");
  EXPECT_EQ(p.pressure.petsc.at("ksp_type"), "fcg");
  EXPECT_EQ(p.pressure.petsc.at("ksp_monitor"), "");
}

TEST(Overrides, a_value_may_hold_an_equals_sign) {
  EXPECT_EQ(parse(minimal_case, {"title=E = mc^2"}).title, "E = mc^2");
}

TEST(Overrides, are_named_in_place_of_file_and_line) {
  EXPECT_EQ(error_of(minimal_case, {"time.cfl=9"}),
            "override 'time.cfl=9': 'time.cfl' = 9 is out of range (legal: 0.1 .. 5 [cells]). Choose a value in this "
            "range");
  EXPECT_TRUE(contains(error_of(minimal_case, {"liquid.0.upper=[1,1,-1]"}), "override 'liquid.0.upper=[1,1,-1]': "));
  EXPECT_TRUE(contains(error_of(minimal_case, {"domain.boundary.x_low=periodic"}),
                       "override 'domain.boundary.x_low=periodic': "));
}

TEST(Overrides, that_are_no_assignments_are_refused) {
  for (const char* override : {"", "time.cfl", "=1", "--force"}) {
    EXPECT_TRUE(contains(error_of(minimal_case, {override}), "not an assignment")) << override;
  }
  EXPECT_TRUE(contains(error_of(minimal_case, {"time.cfl="}), "no value after the '='"));
}

TEST(Overrides, that_are_not_toml_are_refused) {
  for (const char* override : {"domain.cells=[8,8", "title=\"open", "title=a\xff", "liquid.0={shape=}"}) {
    EXPECT_TRUE(contains(error_of(minimal_case, {override}), "the value is not TOML")) << override;
  }
}

TEST(Overrides, cannot_smuggle_in_a_second_key) {
  EXPECT_TRUE(contains(error_of(minimal_case, {"run.seed=3\nfoo=4"}), "'run.seed' is a string"));
}

TEST(Overrides, that_lead_nowhere_are_refused) {
  EXPECT_TRUE(
      contains(error_of(minimal_case, {"liquid.1.tag=2"}), "no entry '1' (number of entries: 1, counted from 0)"));
  EXPECT_TRUE(contains(error_of(minimal_case, {"liquid.-1.tag=2"}), "no entry '-1'"));
  EXPECT_TRUE(contains(error_of(minimal_case, {"liquid.x.tag=2"}), "no entry 'x'"));
  EXPECT_TRUE(contains(error_of(minimal_case, {"solid.0.slip=no_slip"}), "'solid' is a table"));
  EXPECT_TRUE(contains(error_of(minimal_case, {"run.end_time.x=2"}), "there is no key 'x' inside a float"));
  EXPECT_TRUE(contains(error_of(minimal_case, {"time..cfl=2"}), "unknown key 'time.'"));
}

TEST(Overrides, of_petsc_reach_no_farther_than_a_case_file) {
  EXPECT_TRUE(contains(error_of(minimal_case, {"pressure.petsc.ksp_view=ascii:/etc/x"}), "is not for a case file"));
}

}  // namespace
}  // namespace freshet::test
