// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Contracts detect faults of the programmer. Debug builds and tests check them (FRESHET_CONTRACTS).
///
/// A broken contract prints its expression and aborts the process, because the program's state may be wrong.
namespace freshet::detail {
[[noreturn]] void contract_failed(const char* kind, const char* expression, const char* file, int line);
void set_contract_rank(int rank);  ///< set the rank that messages name
}  // namespace freshet::detail

#if FRESHET_CONTRACTS
#define FRESHET_CHECK_(kind, condition) \
  ((condition) ? void(0) : ::freshet::detail::contract_failed(kind, #condition, __FILE__, __LINE__))
#else
#define FRESHET_CHECK_(kind, condition) void(0)
#endif

#define FRESHET_EXPECT(condition) FRESHET_CHECK_("precondition", condition)
#define FRESHET_ASSERT(condition) FRESHET_CHECK_("assertion", condition)
#define FRESHET_ENSURE(condition) FRESHET_CHECK_("postcondition", condition)
