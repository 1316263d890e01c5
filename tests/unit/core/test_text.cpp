// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace freshet::test {
namespace {

TEST(NumberInName, is_what_stands_between_prefix_and_ending) {
  EXPECT_EQ(number_in_name("chk_000012.h5", "chk_", ".h5"), 12);
  EXPECT_EQ(number_in_name("chk_1000000.h5", "chk_", ".h5"), 1000000);
}

TEST(NumberInName, is_nothing_for_other_names) {
  for (const char* name :
       {"chk_.h5", "chk_12", "12.h5", "chk_1x.h5", "chk_-1.h5", "chk_12.h5.tmp", "chk_99999999999999999999.h5", ""})
    EXPECT_EQ(number_in_name(name, "chk_", ".h5"), std::nullopt) << name;
}

TEST(NumberIn, is_the_whole_text_or_nothing) {
  EXPECT_EQ(number_in<int>("-12"), -12);
  EXPECT_EQ(number_in<double>("1e-3"), 1e-3);
  for (const char* text : {"", "+1", " 1", "1 ", "1x", "0x1", "99999999999"})
    EXPECT_EQ(number_in<int>(text), std::nullopt);
  EXPECT_EQ(number_in<double>("1e400"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(number_in<double>("-1e-400"), 0.0);
}

TEST(Quoted, holds_no_control_character) {
  EXPECT_EQ(quote("a\"b\\\n\x01\x7f"), "\"a\\\"b\\\\\\n\\u0001\\u007F\"");
}

}  // namespace
}  // namespace freshet::test
