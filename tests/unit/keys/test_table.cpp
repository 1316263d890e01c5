// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

namespace freshet::test {

/// A pool, round or square.
struct Pool {
  enum class Kind { round, square } kind = Kind::round;
  double radius = 0.0;  ///< [m]
  double side = 0.0;    ///< [m]
  int n_checks = 0;
};

keys::Entry entry_of(Pool& pool) {
  using namespace keys;
  const std::vector<std::string> names = {"round", "square"};
  Entry entry;
  entry.keys = {{"kind", choice(pool.kind, names), "", "Kind of pool.", required},
                {"radius", number(pool.radius, above(0.0)), "m", "Radius.", required, {"kind", {"round"}}},
                {"side", number(pool.side, above(0.0)), "m", "Side.", required, {"kind", {"square"}}}};
  entry.kind = [&pool, names] { return names[static_cast<std::size_t>(pool.kind)]; };
  entry.checks.emplace_back([&pool](const Table& table, int dimension) {
    ++pool.n_checks;
    table.require(dimension == 3 || pool.kind == Pool::Kind::square, "kind", "is round", "the case is flat",
                  "Square it");
  });
  return entry;
}

namespace {

using namespace keys;

Keys keys_of(double& depth, std::vector<Pool>& pools) {
  return {{"water.depth", number(depth), "m", "Depth."}, {"pool", tables(pools), "", "A pool."}};
}

const Value square_pool = table({{"kind", text("square")}, {"side", real(2.0)}});

TEST(Table, sets_what_it_has_and_keeps_the_rest) {
  double depth = 1.5;
  std::vector<Pool> pools;
  const Grid grid;
  read_table(table({{"pool", array({square_pool})}}), "", keys_of(depth, pools), grid.layer());
  EXPECT_EQ(depth, 1.5);
  ASSERT_EQ(pools.size(), 1U);
  EXPECT_EQ(pools[0].side, 2.0);
  EXPECT_EQ(pools[0].n_checks, 1);
}

TEST(Table, an_unknown_key_is_answered_with_the_nearest) {
  double depth = 0.0;
  std::vector<Pool> pools;
  const Grid grid;
  const Value misspelt = table({{"water", table({{"dept", real(1.0)}})}});
  const std::string message = error_of([&] { read_table(misspelt, "", keys_of(depth, pools), grid.layer()); });
  EXPECT_EQ(message, "case:1: unknown key 'water.dept' (not a key of this program). Did you mean 'water.depth'?");
}

TEST(Table, keys_of_another_kind_are_unknown) {
  double depth = 0.0;
  std::vector<Pool> pools;
  const Grid grid;
  const Value mixed = array({table({{"radius", real(1.0)}, {"side", real(2.0)}, {"kind", text("square")}})});
  const std::string message = error_of([&] {
    read_table(table({{"pool", mixed}}), "", keys_of(depth, pools), grid.layer());
  });
  EXPECT_NE(message.find("unknown key 'pool.0.radius' (the keys here are kind, side)"), std::string::npos) << message;
}

TEST(Table, a_required_key_must_be_there) {
  double depth = 0.0;
  std::vector<Pool> pools;
  const Grid grid;
  const Value blank = array({table({{"kind", text("round")}})});
  const std::string message = error_of([&] {
    read_table(table({{"pool", blank}}), "", keys_of(depth, pools), grid.layer());
  });
  EXPECT_NE(message.find("'pool.0.radius' is missing (it has no default). Add it: a float, > 0"), std::string::npos)
      << message;
}

TEST(Table, entries_are_checked_after_they_are_read) {
  double depth = 0.0;
  std::vector<Pool> pools;
  Grid grid;
  grid.dimension = 2;
  const Value round = array({table({{"kind", text("round")}, {"radius", real(1.0)}})});
  const std::string message = error_of([&] {
    read_table(table({{"pool", round}}), "", keys_of(depth, pools), grid.layer());
  });
  EXPECT_EQ(message, "case:1: 'pool.0.kind' is round (the case is flat). Square it");
}

TEST(Table, writes_the_keys_of_the_present_kind) {
  Pool pool;
  pool.kind = Pool::Kind::square;
  pool.side = 2.5;
  EXPECT_EQ(assignments(entry_of(pool)), (std::vector<std::string>{"kind = \"square\"", "side = 2.5"}));
}

TEST(Table, lists_of_keys_are_composed) {
  double depth = 0.0;
  const Keys keys = changeable(in_table("lake", {{"depth", number(depth), "m", "Depth."}}));
  EXPECT_EQ(keys.front().name, "lake.depth");
  EXPECT_EQ(keys.front().change, Change::at_restart);
}

TEST(Table, knows_which_keys_the_file_has) {
  const Value root = table({{"water", table({{"depth", real(1.0)}})}});
  const Table file{root, ""};
  EXPECT_TRUE(file.gives("water.depth"));
  EXPECT_FALSE(file.gives("water.width"));
  EXPECT_FALSE(file.gives("air.width"));
}

}  // namespace
}  // namespace freshet::test
