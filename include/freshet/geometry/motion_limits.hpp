// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <string>

/// How far and how fast bodies and tanks may move. The limits are far beyond any liquid, and their squares do not
/// overflow.
namespace freshet::motion_limits {

constexpr double latest = 1e12;       ///< [s]
constexpr double farthest = 1e9;      ///< [m]
constexpr double most_turned = 1e9;   ///< [degrees]
constexpr double fastest = 1e4;       ///< [m/s]
constexpr double fastest_turn = 1e6;  ///< [degrees/s]

/// What is wrong with a row of a motion: time [s], displacement along x, y, z [m] and perhaps a rotation vector
/// [degrees].
///
/// \param[in] before  the previous row, earlier in time; empty for the first row
/// \return empty if nothing is wrong
inline std::string flaw_of(std::span<const double> row, std::span<const double> before) {
  for (std::size_t n = 0; n < row.size(); ++n) {
    const double most = n == 0 ? latest : n < 4 ? farthest : most_turned;
    if (!(std::abs(row[n]) <= most)) return fmt::format("{:g} is beyond {:g}", row[n], most);
    if (n == 0 || before.empty()) continue;
    const double since = n < before.size() ? row[n] - before[n] : row[n];
    const double speed = std::abs(since) / (row[0] - before[0]);
    const double limit = n < 4 ? fastest : fastest_turn;
    if (!(speed <= limit))
      return fmt::format("{:g} {} since the row before is beyond {:g}", speed, n < 4 ? "m/s" : "degrees/s", limit);
  }
  return "";
}

}  // namespace freshet::motion_limits
