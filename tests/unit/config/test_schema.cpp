// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"
#include "freshet/io/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace freshet::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The dotted keys of a resolved case without its arrays of tables.
std::vector<std::string> keys_of_resolved() {
  std::vector<std::string> keys;
  std::string table;
  for (const std::string& line : lines_of(resolved_toml(parse(minimal_case)))) {
    if (line.rfind("[[", 0) == 0) break;
    if (line.rfind('[', 0) == 0) {
      table = line.substr(1, line.size() - 2) + ".";
    } else if (const std::size_t equals = line.find(" = "); equals != std::string::npos) {
      keys.push_back(table + line.substr(0, equals));
    }
  }
  return keys;
}

/// The row of a key in the schema in JSON; null if there is none.
Json row_of(const std::string& key) {
  const Json schema = Json::parse(schema_json());
  for (const Json& row : schema.at("keys"))
    if (row.at("key") == key) return row;
  return {};
}

TEST(Schema, lists_every_key_of_the_resolved_input) {
  const std::string text = schema_text();
  const Json json = Json::parse(schema_json());
  const auto is_listed = [&](const std::string& key) {
    return std::ranges::any_of(json.at("keys"), [&](const Json& row) { return row.at("key") == key; });
  };
  const auto keys = keys_of_resolved();
  EXPECT_GT(keys.size(), 35u);
  for (const std::string& key : keys) {
    EXPECT_TRUE(contains(text, "\n" + key + " ")) << key;
    EXPECT_TRUE(is_listed(key)) << key;
  }
}

TEST(Schema, lists_the_keys_of_shapes_with_the_kinds_that_have_them) {
  for (const char* table : {"liquid.N.", "solid.N."}) {
    for (const char* key :
         {"shape",     "lower",  "upper",       "center",       "radius",        "start",        "end",
          "point",     "normal", "parts",       "axis",         "major_radius",  "minor_radius", "file",
          "file_hash", "scale",  "rotate.axis", "rotate.angle", "rotate.center", "translate"}) {
      EXPECT_TRUE(contains(schema_text(), std::string("\n") + table + key + " ")) << table << key;
    }
  }
  EXPECT_TRUE(contains(schema_text(), "Radius. (only for shape: sphere, cylinder, capsule) [> 0]"));
}

TEST(Schema, tells_type_default_unit_range_and_meaning) {
  EXPECT_EQ(row_of("density.max_displacement").dump(),
            "{\"key\":\"density.max_displacement\",\"type\":\"float\",\"required\":false,\"default\":0.25,"
            "\"unit\":\"cells\",\"range\":\"> 0, <= 0.5\",\"changes_at_restart\":false,"
            "\"text\":\"Farthest that one density correction moves a particle.\"}");
  const Json cfl = row_of("time.cfl");
  EXPECT_EQ(cfl.at("default").dump(), "1.0");
  EXPECT_EQ(cfl.at("range"), "0.1 .. 5");
  EXPECT_EQ(cfl.at("changes_at_restart"), true);
  const Json end_time = row_of("run.end_time");
  EXPECT_EQ(end_time.at("required"), true);
  EXPECT_TRUE(end_time.at("default").is_null());
  EXPECT_EQ(end_time.at("range"), "> 0");
}

TEST(Schema, defaults_in_json_have_the_type_of_their_key) {
  EXPECT_EQ(row_of("domain.origin").at("default").dump(), "[0.0,0.0,0.0]");
  EXPECT_TRUE(row_of("output.fields").at("default").is_array());
  EXPECT_TRUE(row_of("pressure.petsc").at("default").is_object());
  EXPECT_TRUE(row_of("run.seed").at("default").is_number_integer());
  EXPECT_TRUE(row_of("liquid.N.radius").at("default").is_null());
}

TEST(Schema, tells_what_may_change_at_a_restart) {
  const auto has_row = [](const std::string& key, const std::string& restart) {
    for (const std::string& line : lines_of(schema_text()))
      if (line.rfind(key + " ", 0) == 0) return contains(line, "  " + restart + "  ");
    return false;
  };
  for (const char* key : {"title", "run.end_time", "time.cfl", "output.fields", "checkpoint.keep", "pressure.petsc"})
    EXPECT_TRUE(has_row(key, "may change")) << key;
  for (const char* key : {"domain.cells", "fluid.density", "run.seed", "motion.scheme", "pressure.walls.method",
                          "pressure.walls.x_low", "liquid", "liquid.N.radius", "solid.N.slip"})
    EXPECT_TRUE(has_row(key, "fixed     ")) << key;
}

TEST(Schema, of_a_table_or_a_key) {
  const auto n_keys = [](const std::string& section) { return lines_of(schema_text(section)).size() - 1; };
  EXPECT_EQ(n_keys("time"), 7U);
  EXPECT_EQ(n_keys("time.cfl"), 1U);
  EXPECT_GT(n_keys("solid"), 20U);  // the table and its entries' keys
  EXPECT_LT(n_keys("pressure.walls"), n_keys("pressure"));
  EXPECT_TRUE(contains(schema_json("time"), "time.max_dt"));
  EXPECT_FALSE(contains(schema_json("time"), "motion.scheme"));
  EXPECT_EQ(schema_text("solid.0.wave"), schema_text("solid.N.wave"));
  EXPECT_EQ(schema_text("wave"), schema_text("solid.N.wave"));
  EXPECT_TRUE(contains(schema_text("height"), "solid.N.wave.height"));
  EXPECT_THROW(schema_text("tim"), InputError);
}

TEST(Schema, of_a_path_with_or_without_the_number_of_the_entry) {
  EXPECT_TRUE(contains(schema_text("solid.rotate"), "\nsolid.N.rotate.angle "));
  EXPECT_FALSE(contains(schema_text("liquid.rotate.axis"), "solid"));
  EXPECT_EQ(schema_text("solid.wave"), schema_text("solid.0.wave"));
  EXPECT_EQ(schema_text("solid.wave"), schema_text("solid.N.wave"));
  EXPECT_EQ(schema_text("solid.wave.height"), schema_text("solid.12.wave.height"));
  EXPECT_EQ(schema_text("walls.x_low"), schema_text("pressure.walls.x_low"));
  EXPECT_TRUE(contains(schema_text("gauge.0"), "gauge.N.type"));
  EXPECT_TRUE(contains(schema_text("liquid.0.parts.0.radius"), "\nliquid.N.parts.N.radius "));
  EXPECT_EQ(schema_text("solid.parts.parts.radius"), schema_text("solid.0.parts.N.parts.2.radius"));
  EXPECT_TRUE(contains(schema_text("solid.parts.0"), "\nsolid.N.parts.N.shape "));
  EXPECT_FALSE(contains(schema_text("solid.parts"), "radius "));
  for (const char* path :
       {"liquid.parts.velocity", "0", "N", "12.wave", "time.0", "solid.0.0", "solid.wave.0", "solid.none", "."})
    EXPECT_THROW(schema_text(path), InputError) << path;
}

TEST(Schema, of_a_kind_of_shape_or_gauge) {
  const std::string height = schema_text("gauge.height");
  EXPECT_TRUE(contains(schema_text("gauge.0.height"), "gauge.N.width "));
  for (const char* key : {"gauge.N.type ", "gauge.N.start ", "gauge.N.width "}) EXPECT_TRUE(contains(height, key));
  EXPECT_FALSE(contains(height, "gauge.N.center "));
  EXPECT_TRUE(contains(height, "(only for type: height, profile)"));
  EXPECT_TRUE(contains(schema_text("liquid.sphere"), "liquid.N.radius "));
  EXPECT_FALSE(contains(schema_text("liquid.sphere"), "liquid.N.major_radius "));
  EXPECT_THROW(schema_text("time.sphere"), InputError);
}

TEST(Schema, a_section_that_is_not_there_is_named_with_the_nearest) {
  const auto message = [](const char* section) -> std::string {
    try {
      return schema_text(section);
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_TRUE(contains(message("0"), "'0'"));
  EXPECT_TRUE(contains(message("solid.wve"), "\"solid.wave\"")) << message("solid.wve");
}

TEST(Schema, text_is_aligned) {
  const auto lines = lines_of(schema_text());
  const std::size_t column = lines.at(0).find("meaning");
  ASSERT_NE(column, std::string::npos);
  for (const std::string& line : lines) {
    ASSERT_GT(line.size(), column) << line;
    EXPECT_EQ(line.substr(column - 2, 2), "  ") << line;
    EXPECT_NE(line[column], ' ') << line;
  }
}

}  // namespace
}  // namespace freshet::test
