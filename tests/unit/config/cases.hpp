// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/read.hpp"
#include "freshet/core/error.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace freshet::test {

/// The shortest legal cases.
inline const std::string minimal_case = R"(
[run]
end_time = 2.0
[domain]
cells = [16, 24, 32]
cell_size = 0.25
[[liquid]]
shape = "box"
lower = [0.0, 0.0, 0.0]
upper = [1.0, 2.0, 3.0]
)";

inline const std::string minimal_case_2d = R"(
[run]
end_time = 2.0
[domain]
dimension = 2
cells = [16, 24]
cell_size = 0.25
origin = [0.0, 0.0, 10.0]
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [1.0, 2.0]
)";

inline Parameters parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_parameters(text, "case.toml", overrides);
}

/// The message of the InputError that a case causes; "" and a failed test if it causes none.
inline std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parse(text, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error from\n" << text << testing::PrintToString(overrides);
  return "";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace freshet::test
