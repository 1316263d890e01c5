// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/floating_point.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <thread>

namespace freshet {
namespace {

volatile double zero = 0.0;
volatile double largest = std::numeric_limits<double>::max();
volatile double result = 0.0;
constexpr int trapped = 42;  // exit code: sanitizers would turn the signal into one of their own

[[noreturn]] void leave(int /*signal*/) {
  std::_Exit(trapped);
}

class FloatingPointDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!trap_floating_point()) GTEST_SKIP() << "built without FRESHET_FPE_TRAPS";
    std::signal(SIGFPE, leave);
  }
  void TearDown() override { std::signal(SIGFPE, SIG_DFL); }
};

TEST_F(FloatingPointDeathTest, division_by_zero_ends_the_program) {
  EXPECT_EXIT(result = 1.0 / zero, testing::ExitedWithCode(trapped), "");
}

TEST_F(FloatingPointDeathTest, overflow_ends_the_program) {
  EXPECT_EXIT(result = largest * 2.0, testing::ExitedWithCode(trapped), "");
}

TEST_F(FloatingPointDeathTest, invalid_operation_ends_the_program) {
  EXPECT_EXIT(result = zero / zero, testing::ExitedWithCode(trapped), "");
}

TEST_F(FloatingPointDeathTest, a_thread_that_starts_later_traps_too) {
  EXPECT_EXIT(std::thread([] { result = 1.0 / zero; }).join(), testing::ExitedWithCode(trapped), "");
}

TEST_F(FloatingPointDeathTest, all_threads_of_openmp_trap) {
  int n_without = 0;
#pragma omp parallel num_threads(4) reduction(+ : n_without)
  n_without += fegetexcept() != (FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  EXPECT_EQ(n_without, 0);
}

TEST_F(FloatingPointDeathTest, nothing_traps_while_suspended_and_afterwards_it_does) {
  const int before = fegetexcept();
  {
    const WithoutTraps suspended;
    EXPECT_EQ(fegetexcept(), 0);
    result = 1.0 / zero;
    EXPECT_GT(result, largest);
  }
  EXPECT_EQ(fegetexcept(), before);
  EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO), 0) << "what was raised meanwhile is forgotten";
}

}  // namespace
}  // namespace freshet
