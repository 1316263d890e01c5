// SPDX-License-Identifier: Apache-2.0
// modules: config io
#include "particle_properties.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  freshet::fuzz::check_particles({reinterpret_cast<const char*>(data), size});
  return 0;
}
