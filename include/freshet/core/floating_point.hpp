// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

/// End the program at a floating-point operation that is invalid (0/0, comparison of a NaN, conversion of a NaN to an
/// integer), divides by zero or overflows. It does so in builds with FRESHET_FPE_TRAPS (Debug), and nothing in others.
///
/// \return true if this build has traps
/// Parallel: for this thread and all threads of OpenMP; call it outside of parallel regions
bool trap_floating_point();

/// Disables traps during the life of an object: for libraries that compute with NaN or infinity, for input that may
/// overflow before it is refused, and for tests with such numbers. Exceptions raised in that time are cleared.
///
/// Parallel: for this thread and all threads of OpenMP; outside of parallel regions
class WithoutTraps {
 public:
  WithoutTraps();
  ~WithoutTraps();
  WithoutTraps(const WithoutTraps&) = delete;
  WithoutTraps& operator=(const WithoutTraps&) = delete;

 private:
  [[maybe_unused]] int before_;  // exceptions that were trapped before, on every thread
};

}  // namespace freshet
