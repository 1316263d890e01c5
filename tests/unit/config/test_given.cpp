// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"
#include "freshet/config/given.hpp"

#include <algorithm>

namespace freshet::test {
namespace {

GivenKeys keys_of_case(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return given_keys(parse(text, overrides), text, "case.toml", overrides);
}

TEST(GivenKeys, keys_that_are_set_are_written_in_the_order_of_the_schema) {
  EXPECT_EQ(
      keys_of_case(minimal_case).given,
      "\n[run]\nend_time = 2.0\n\n[domain]\ncells = [16, 24, 32]\ncell_size = 0.25\n\n[[liquid]]\nshape = \"box\"\n"
      "lower = [0.0, 0.0, 0.0]\nupper = [1.0, 2.0, 3.0]\n");
}

TEST(GivenKeys, a_key_that_is_set_to_its_default_is_written) {
  const std::string text = keys_of_case(minimal_case + "velocity = [0, 0, 0]\n[time]\ncfl = 1\n").given;
  EXPECT_TRUE(contains(text, "\n[time]\ncfl = 1.0\n")) << text;
  EXPECT_TRUE(contains(text, "velocity = [0.0, 0.0, 0.0]\n")) << text;
  EXPECT_FALSE(contains(text, "max_dt")) << text;
}

TEST(GivenKeys, overrides_count_and_win) {
  const std::string text = keys_of_case(minimal_case, {"time.cfl=0.5", "liquid.0.tag=3", "run.end_time=1.0"}).given;
  EXPECT_TRUE(contains(text, "end_time = 1.0\n")) << text;
  EXPECT_TRUE(contains(text, "cfl = 0.5\n")) << text;
  EXPECT_TRUE(contains(text, "tag = 3\n")) << text;
}

TEST(GivenKeys, tables_inside_entries_and_options_of_petsc_are_written) {
  const std::string more =
      "[[solid]]\nshape = \"box\"\nlower = [0, 0, 0]\nupper = [0.5, 4, 8]\n[solid.wave]\ntype = \"linear\"\nheight = "
      "0.1\n"
      "period = 2.0\ndepth = 2.0\n[pressure.petsc]\nksp_rtol = 1e-7\n";
  const std::string text = keys_of_case(minimal_case + more).given;
  EXPECT_TRUE(contains(text, "wave.height = 0.1\n")) << text;
  EXPECT_FALSE(contains(text, "wave.direction")) << text;
  EXPECT_TRUE(contains(text, "\n[pressure.petsc]\nksp_rtol = ")) << text;
}

TEST(GivenKeys, what_is_written_is_the_same_case) {
  const std::vector<std::string> overrides = {"time.cfl=0.5", "particles.per_axis=3"};
  const GivenKeys keys = keys_of_case(minimal_case, overrides);
  EXPECT_EQ(resolved_toml(parse(keys.given)), resolved_toml(parse(minimal_case, overrides)));
  EXPECT_EQ(given_keys(parse(keys.given), keys.given, "case.toml", {}).given, keys.given);
}

TEST(GivenKeys, values_that_follow_from_other_keys_are_named) {
  const std::string first_order = "time.splitting = \"first_order\"";
  EXPECT_EQ(keys_of_case(minimal_case).derived, std::vector<std::string>{first_order});
  EXPECT_TRUE(keys_of_case(minimal_case, {"time.splitting=strang"}).derived.empty());
  // 27 particles a full cell in place of 8: the limits grow as much
  const std::vector<std::string> derived =
      keys_of_case(minimal_case + "[particles]\nper_axis = 3\n[particles.reseeding]\nenabled = true\nmin = 5\n")
          .derived;
  ASSERT_EQ(derived.size(), 2U);
  EXPECT_EQ(derived.front(), first_order);
  EXPECT_TRUE(derived.back().starts_with("particles.reseeding.max = ")) << derived.back();
  const std::vector<std::string> voxels = keys_of_case(minimal_case + "[labels]\nmethod = \"density\"\n").derived;
  EXPECT_EQ(voxels, (std::vector<std::string>{first_order, "labels.surface = \"voxels\""}));
}

}  // namespace
}  // namespace freshet::test
