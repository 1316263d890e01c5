// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace freshet {

/// Arrays of numbers that checkpoints keep, by name. All numbers are finite.
using KeptArrays = std::map<std::string, std::vector<double>>;

}  // namespace freshet
