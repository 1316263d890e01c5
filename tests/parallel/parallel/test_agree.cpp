// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/agree.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

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
  for (const ExitCode code :
       {ExitCode::internal, ExitCode::input, ExitCode::solver, ExitCode::file_system, ExitCode::memory}) {
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
  const auto no_file = [] { throw std::filesystem::filesystem_error("", std::make_error_code(std::errc::io_error)); };
  EXPECT_EQ(thrown_when_last_fails(no_file)->code, ExitCode::file_system);
  EXPECT_EQ(thrown_when_last_fails([] { throw std::out_of_range("other"); })->code, ExitCode::internal);
}

TEST(Agree, error_of_one_rank_alone_is_not_waited_for) {
  const auto fail_on_all = [] { agree(world(), [] { throw LocalError("MPI_Send failed"); }); };
  EXPECT_THROW(fail_on_all(), LocalError);
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
