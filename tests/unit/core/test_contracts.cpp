// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/contracts.hpp"

#include <gtest/gtest.h>

namespace {

#if FRESHET_CONTRACTS
TEST(ContractsDeathTest, broken_precondition_names_itself_and_aborts) {
  const int cells = 3;
  EXPECT_DEATH(FRESHET_EXPECT(cells == 4), "precondition violated: cells == 4");
}

TEST(ContractsDeathTest, broken_postcondition_names_its_kind) {
  EXPECT_DEATH(FRESHET_ENSURE(1 + 1 == 3), "postcondition violated: 1 \\+ 1 == 3");
}
#else
TEST(Contracts, switched_off_conditions_are_not_evaluated) {
  bool evaluated = false;
  FRESHET_ASSERT(evaluated = true);
  EXPECT_FALSE(evaluated);
}
#endif

TEST(Contracts, kept_contract_says_nothing) {
  int evaluations = 0;
  FRESHET_EXPECT(++evaluations > 0);
  EXPECT_LE(evaluations, 1);
}

}  // namespace
