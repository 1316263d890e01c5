// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace freshet::test {
namespace {

TEST(JsonWriter, nests_objects_and_arrays) {
  JsonWriter json;
  json.begin_object().member("ranks", 4).member("ok", true).key("phases").begin_array();
  json.begin_object().member("name", "deposit").member("avg", 0.25).end_object();
  json.value(1).end_array().key("none").begin_array().end_array().end_object();
  EXPECT_EQ(json.text(),
            "{\n  \"ranks\": 4,\n  \"ok\": true,\n  \"phases\": [\n    {\n      \"name\": \"deposit\",\n"
            "      \"avg\": 0.25\n    },\n    1\n  ],\n  \"none\": []\n}\n");
}

TEST(JsonWriter, escapes_text_and_has_no_infinities) {
  JsonWriter json;
  json.begin_array().value("a\"b\\c\n\x01").value(INFINITY).value(std::uint64_t{18446744073709551615U}).end_array();
  EXPECT_EQ(json.text(), "[\n  \"a\\\"b\\\\c\\n\\u0001\",\n  null,\n  18446744073709551615\n]\n");
}

}  // namespace
}  // namespace freshet::test
