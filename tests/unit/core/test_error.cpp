// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/core/text.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace freshet {
namespace {

template <class Class>
void expect_class(ExitCode code) {
  try {
    throw_error(code, "the reason");
    FAIL();
  } catch (const Class& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_STREQ(error.what(), "the reason");
  }
}

TEST(Error, every_code_has_its_class) {
  expect_class<InternalError>(ExitCode::internal);
  expect_class<InputError>(ExitCode::input);
  expect_class<RunError>(ExitCode::solver);
  expect_class<FileError>(ExitCode::file_system);
  expect_class<Error>(ExitCode::memory);
}

TEST(Error, one_of_a_single_rank_is_not_caught_as_one_of_all) {
  static_assert(!std::is_base_of_v<Error, LocalError>);
  EXPECT_EQ(LocalError("MPI_Send failed").code(), ExitCode::solver);
}

/// Values of the algorithm's definition: of no byte, and of "a".
TEST(Hash, is_fnv1a_of_64_bits) {
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(fnv1a("bc", fnv1a("a")), fnv1a("abc"));
}

}  // namespace
}  // namespace freshet
