// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string_view>

namespace freshet::test {

/// Whether the tests were started with FRESHET_NIGHTLY=ON, as tests/nightly.sh does: runs may then take long.
inline bool nightly() {
  const char* value = std::getenv("FRESHET_NIGHTLY");
  return value != nullptr && std::string_view(value) == "ON";
}

}  // namespace freshet::test
