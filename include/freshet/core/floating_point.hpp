// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

/// In builds with FRESHET_FPE_TRAPS (Debug): end the program at a floating-point operation that is invalid (0/0,
/// comparison of a NaN, conversion of a NaN to an integer), divides by zero or overflows. Other builds do nothing.
///
/// \return true if this build has traps
/// Parallel: for this thread and all threads of OpenMP; call it outside of parallel regions
bool trap_floating_point();

/// Disables traps while an object of this type lives: for libraries that compute with NaN or infinity, for input that
/// may overflow before it is refused, and for tests with such numbers. Exceptions raised in its life are cleared.
///
/// Parallel: for this thread and all threads of OpenMP; outside of parallel regions
class WithoutTraps {
 public:
  WithoutTraps();
  ~WithoutTraps();
  WithoutTraps(const WithoutTraps&) = delete;
  WithoutTraps& operator=(const WithoutTraps&) = delete;

 private:
  int before_;  // the exceptions that trapped before, on every thread
};

}  // namespace freshet
