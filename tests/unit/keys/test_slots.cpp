// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

namespace freshet::test {
namespace {

using namespace keys;
using Words = std::vector<std::string>;

/// Read one key "x" from a value.
void read(Slot slot, const Value& value, const Grid& grid = {}) {
  read_table(table({{"x", value}}), "", {{"x", std::move(slot), "m", "An x."}}, grid.layer());
}

std::string error_of_reading(const Slot& slot, const Value& value, const Grid& grid = {}) {
  return error_of([&] { read(slot, value, grid); });
}

TEST(Slots, number_takes_what_lies_in_its_range) {
  double x = 0.25;
  const Slot slot = number(x, above(0.0, 2.0));
  EXPECT_EQ(slot.type, "a float");
  EXPECT_EQ(slot.range, "> 0, <= 2");
  read(slot, real(2.0));
  EXPECT_EQ(x, 2.0);
  read(slot, integer(1));
  EXPECT_EQ(slot.text(), "1.0");
  EXPECT_EQ(error_of_reading(slot, real(0.0)),
            "case:1: 'x' = 0.0 is out of range (legal: > 0, <= 2 [m]). Choose a value in this range");
  EXPECT_EQ(error_of_reading(slot, text("1")),
            "case:1: 'x' is a string (it takes a float, > 0, <= 2). The default is 1.0");
  EXPECT_NE(error_of_reading(slot, real(std::numeric_limits<double>::infinity())).find("not a finite number"),
            std::string::npos);
  EXPECT_EQ(x, 1.0);
}

TEST(Slots, integers_stay_within_their_type) {
  int n = 0;
  EXPECT_EQ(number(n, at_least<std::int64_t>(1)).range, "1 .. 2147483647");
  EXPECT_NE(error_of_reading(number(n, at_least<std::int64_t>(1)), integer(1LL << 31)).find("out of range"),
            std::string::npos);
  EXPECT_NE(error_of_reading(number(n, {0, 8}), real(2.0)).find("is a float (it takes an integer, 0 .. 8)"),
            std::string::npos);
  EXPECT_EQ(n, 0);
}

TEST(Slots, number_that_may_be_missing_has_no_text) {
  std::optional<double> x;
  const Slot slot = number(x, {0.0, 1.0});
  EXPECT_EQ(slot.text(), "none");
  read(slot, real(0.5));
  EXPECT_EQ(x, 0.5);
}

TEST(Slots, choice_names_the_enumerators_in_order) {
  enum class Fruit { apple, pear } fruit = Fruit::apple;
  const Slot slot = choice(fruit, {"apple", "pear"});
  read(slot, text("pear"));
  EXPECT_EQ(fruit, Fruit::pear);
  EXPECT_EQ(slot.text(), "\"pear\"");
  EXPECT_EQ(error_of_reading(slot, text("paer")),
            "case:1: 'x' = \"paer\" is not one of the choices (apple, pear). Did you mean \"pear\"?");
}

TEST(Slots, third_entry_of_a_vector_may_be_left_out_in_2d) {
  const Value flat = array({real(1.0), real(2.0)});
  Grid grid;
  Vec3 x = Vec3::Zero();
  EXPECT_NE(error_of_reading(vector(x, ThirdEntry::zero), flat, grid).find("has 2 entries"), std::string::npos);
  grid.dimension = 2;
  const std::array<std::pair<ThirdEntry, double>, 4> thirds = {
      {{ThirdEntry::zero, 0.0}, {ThirdEntry::middle, 10.25}, {ThirdEntry::below, 9.5}, {ThirdEntry::above, 11.0}}};
  for (const auto& [third, z] : thirds) {
    read(vector(x, third), flat, grid);
    EXPECT_EQ(x, Vec3(1.0, 2.0, z));
  }
  const Value out_of_plane = array({real(1.0), real(2.0), real(3.0)});
  EXPECT_NE(error_of_reading(vector(x, ThirdEntry::must_vanish), out_of_plane, grid).find("has a z entry of 3.0"),
            std::string::npos);
}

TEST(Slots, names_stand_once) {
  Words words;
  const Slot slot = names(words, {"a", "b"});
  read(slot, array({text("b"), text("a")}));
  EXPECT_EQ(words, (Words{"b", "a"}));
  EXPECT_EQ(slot.text(), "[\"b\", \"a\"]");
  EXPECT_NE(error_of_reading(slot, array({text("a"), text("a")})).find("names \"a\" twice"), std::string::npos);
  EXPECT_NE(error_of_reading(slot, array({text("c")})).find("(a, b)"), std::string::npos);
  read(names(words, {"a"}, "a name of your own"), array({text("c")}));
  EXPECT_EQ(words, Words{"c"});
}

TEST(Slots, intervals_ascend) {
  std::vector<std::array<double, 2>> times;
  const Slot slot = intervals(times);
  read(slot, array({array({real(0.0), real(1.0)}), array({real(1.0), real(3.0)})}));
  EXPECT_EQ(slot.text(), "[[0.0, 1.0], [1.0, 3.0]]");
  EXPECT_NE(error_of_reading(slot, array({array({real(1.0), real(0.5)})})).find("not a list of intervals"),
            std::string::npos);
}

TEST(Slots, what_does_not_apply_is_refused_and_has_no_text) {
  double x = 0.5;
  bool applies = false;
  const auto refuse = [](const Given& given) { fail(given.value.where, "no '" + given.name + "'", "why", "Remedy"); };
  const Slot slot = only_if([&] { return applies; }, refuse, number(x));
  EXPECT_EQ(slot.text(), "none");
  EXPECT_EQ(error_of_reading(slot, real(1.0)), "case:1: no 'x' (why). Remedy");
  applies = true;
  read(slot, real(1.0));
  EXPECT_EQ(slot.text(), "1.0");
}

TEST(Slots, key_of_other_kinds_is_refused_and_has_no_text) {
  double x = 0.5;
  std::string kind = "ball";
  const auto restricted = [&](const Words& names) {
    Key key{"x", number(x), "m", "An x."};
    restrict_to(
        {"kind", names}, [&] { return kind; }, key);
    return key;
  };
  const Key of_two = restricted({"spring", "hinge"});
  EXPECT_EQ(of_two.kinds.key, "kind");
  EXPECT_EQ(of_two.kinds.names, (Words{"hinge", "spring"}));
  EXPECT_EQ(of_two.slot.text(), "none");
  EXPECT_EQ(error_of_reading(of_two.slot, real(1.0)),
            "case:1: 'x' is given, and the kind is \"ball\" (it is a key of the kinds hinge, spring). Leave it out, or "
            "choose another kind");
  EXPECT_EQ(
      error_of_reading(restricted({"hinge"}).slot, real(1.0)),
      "case:1: 'x' is given, and the kind is \"ball\" (it is a key of the kind hinge). Leave it out, or choose that "
      "kind");
  kind = "spring";
  read(of_two.slot, real(1.0));
  EXPECT_EQ(of_two.slot.text(), "1.0");
}

TEST(Slots, each_side_of_the_domain_has_a_key) {
  std::array<std::array<bool, 2>, 3> sides{};
  Words found;
  for (const Key& key : side_keys("Leak", [&](std::size_t axis, std::size_t side) { return flag(sides[axis][side]); }))
    found.push_back(key.name);
  EXPECT_EQ(found, (Words{"x_low", "x_high", "y_low", "y_high", "z_low", "z_high"}));
}

}  // namespace
}  // namespace freshet::test
