// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/floating_point.hpp"

#include "build_settings.hpp"

#include <cfenv>

namespace freshet {

#if FRESHET_FPE_TRAPS

namespace {

constexpr int trapped = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW;

}  // namespace

bool trap_floating_point() {
#pragma omp parallel  // threads that start later inherit the setting of the thread that starts them
  {
    std::feclearexcept(trapped);
    feenableexcept(trapped);
  }
  return true;
}

WithoutTraps::WithoutTraps() : before_(fegetexcept()) {
#pragma omp parallel
  fedisableexcept(FE_ALL_EXCEPT);
}

WithoutTraps::~WithoutTraps() {
#pragma omp parallel
  {
    std::feclearexcept(before_);
    feenableexcept(before_);
  }
}

#else

bool trap_floating_point() {
  return false;
}

WithoutTraps::WithoutTraps() : before_(0) {}

WithoutTraps::~WithoutTraps() = default;

#endif

}  // namespace freshet
