// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/json.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>

namespace freshet::test {
namespace {

TEST(Json, keeps_the_order_of_keys_and_indents) {
  Json json = {{"ranks", 4}, {"ok", true}};
  json["phases"] = {{{"name", "deposit"}, {"avg", 0.25}}, 1};
  json["none"] = Json::array();
  EXPECT_EQ(json_text(json),
            "{\n  \"ranks\": 4,\n  \"ok\": true,\n  \"phases\": [\n    {\n      \"name\": \"deposit\",\n"
            "      \"avg\": 0.25\n    },\n    1\n  ],\n  \"none\": []\n}\n");
}

TEST(Json, escapes_text_and_has_no_infinities) {
  const Json json = {"a\"b\\c\n\x01", INFINITY, std::uint64_t{18446744073709551615U}};
  EXPECT_EQ(json_text(json), "[\n  \"a\\\"b\\\\c\\n\\u0001\",\n  null,\n  18446744073709551615\n]\n");
}

TEST(Json, replaces_bytes_that_are_not_utf8) {
  EXPECT_EQ(json_text({"caf\xe9/x", "caf\xc3\xa9"}), "[\n  \"caf\xef\xbf\xbd/x\",\n  \"caf\xc3\xa9\"\n]\n");
}

TEST(Json, reals_read_back_to_the_same_bits) {
  const auto largest = std::numeric_limits<double>::max();
  for (const double x : {0.1, 1.0 / 3.0, 5e-324, 2.2250738585072014e-308, largest, 123456789012345678.0, 1.0, -0.0}) {
    const double again = Json::parse(json_text(x)).get<double>();
    EXPECT_EQ(again, x);
    EXPECT_EQ(std::signbit(again), std::signbit(x));
  }
  EXPECT_EQ(json_text(5.0), "5.0\n");  // a real, for those who read
}

TEST(Json, is_read_from_a_file) {
  const Folder folder("json");
  folder.write("whole.json", "{\"a\": [1, \"b\"]}\n");
  EXPECT_EQ(read_json(folder.path("whole.json")).at("a").at(1), "b");
}

TEST(Json, is_discarded_if_a_file_holds_none) {
  const Folder folder("json");
  folder.write("cut.json", "{\"a\": [1, ");
  folder.write("empty.json", "");
  folder.write("bytes.json", "{\"a\": \"\xe9\"}");
  std::filesystem::create_directory(folder.path("folder.json"));
  ASSERT_EQ(mkfifo(folder.path("pipe.json").c_str(), 0600), 0);
  for (const char* name : {"cut", "empty", "bytes", "folder", "pipe", "missing"})
    EXPECT_TRUE(read_json(folder.path(name + std::string(".json"))).is_discarded()) << name;
}

}  // namespace
}  // namespace freshet::test
