// SPDX-License-Identifier: Apache-2.0
// modules: config geometry
#include "motion_properties.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  freshet::fuzz::check_motion({reinterpret_cast<const char*>(data), size});
  return 0;
}
