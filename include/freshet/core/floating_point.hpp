// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

/// End the program where an operation is invalid (0/0, comparing a NaN, a NaN to an integer), divides by zero or
/// overflows, in builds with FRESHET_FPE_TRAPS (Debug); nothing in others.
///
/// \return true if this build has traps
/// Parallel: for this thread and all threads of OpenMP; call it outside of parallel regions
bool trap_floating_point();

/// No traps while an object of this type lives: for libraries that compute with NaN or infinity, for input that may
/// overflow before it is refused, and for tests that hand us such numbers. What was raised meanwhile is forgotten.
///
/// Parallel: for this thread and all threads of OpenMP; outside of parallel regions
class WithoutTraps {
 public:
  WithoutTraps();
  ~WithoutTraps();
  WithoutTraps(const WithoutTraps&) = delete;
  WithoutTraps& operator=(const WithoutTraps&) = delete;

 private:
  int before_;  // what trapped, on every thread
};

}  // namespace freshet
