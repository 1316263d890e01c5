// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/agree.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <new>
#include <optional>
#include <stdexcept>
#include <string>

namespace freshet::test {
namespace {

/// What agree() throws on this rank when the last rank alone calls `fail`; nothing if it throws nothing.
template <class Function>
std::optional<Failure> thrown_when_last_fails(Function&& fail) {
  try {
    agree(world(), [&] {
      if (world().rank() == world().size() - 1) fail();
    });
  } catch (const Error& error) {
    return Failure{error.code(), error.what()};
  }
  return std::nullopt;
}

TEST(Agree, without_a_failure_nothing_is_thrown) {
  EXPECT_FALSE(thrown_when_last_fails([] {}));
}

TEST(Agree, error_of_one_rank_comes_to_all_with_its_code_and_message) {
  for (const ExitCode code : {ExitCode::input, ExitCode::solver, ExitCode::file_system, ExitCode::memory}) {
    const auto thrown = thrown_when_last_fails([&] { throw_error(code, "the reason"); });
    ASSERT_TRUE(thrown);
    EXPECT_EQ(thrown->code, code);
    EXPECT_EQ(thrown->message, "the reason");
  }
}

TEST(Agree, error_keeps_its_class) {
  const auto fail = [] { agree_on_root(world(), [] { throw InputError(""); }); };
  EXPECT_THROW(fail(), InputError);
}

TEST(Agree, lack_of_memory_and_other_exceptions_have_codes_of_their_own) {
  EXPECT_EQ(thrown_when_last_fails([] { throw std::bad_alloc(); })->code, ExitCode::memory);
  EXPECT_EQ(thrown_when_last_fails([] { throw std::runtime_error("other"); })->code, ExitCode::file_system);
}

TEST(Agree, lowest_rank_that_fails_is_heard) {
  try {
    agree(world(), [] { throw FileError("rank " + std::to_string(world().rank())); });
    FAIL();
  } catch (const FileError& error) {
    EXPECT_STREQ(error.what(), "rank 0");
  }
}

}  // namespace
}  // namespace freshet::test
