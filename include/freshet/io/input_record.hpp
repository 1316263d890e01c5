// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace freshet {

/// What snapshots and checkpoints record of the case that made them.
struct InputRecord {
  std::string text;        ///< the resolved case, TOML
  std::uint64_t hash = 0;  ///< of the text
  std::int64_t seed = 0;
  int particles_per_axis = 2;
  double jitter = 1.0;
};

}  // namespace freshet
