// SPDX-License-Identifier: Apache-2.0
#include "../../../src/io/numbered_name.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace freshet::test
