// SPDX-License-Identifier: Apache-2.0
// modules: driver hdf5
#include "checkpoint_properties.hpp"
#include "fuzz_environment.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const freshet::fuzz::Surroundings& around = freshet::fuzz::Surroundings::get();
  freshet::fuzz::check_seal(around.comm(), {reinterpret_cast<const char*>(data), size}, around.path());
  around.remove_file();
  return 0;
}
