// SPDX-License-Identifier: Apache-2.0
// modules: geometry
#include "mesh_properties.hpp"

#include <omp.h>

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  omp_set_num_threads(1);
  freshet::fuzz::check_mesh({reinterpret_cast<const char*>(data), size});
  return 0;
}
