// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/keys/declare.hpp"

#include <string>

namespace freshet {

/// The roughness of walls with a wall law: nothing for smooth ones, else one of two numbers.
struct WallRoughness {
  double roughness = 0.0;  ///< Nikuradse's equivalent diameter of sand grains, k_s [m]
  double manning = 0.0;    ///< Manning's coefficient n [s/m^(1/3)]

  /// Equivalent diameter of sand grains. [m]
  ///
  /// Manning's coefficient gives it by the relation of Manning and Strickler, u / u_tau = 8.1 (h / k_s)^(1/6) for the
  /// mean velocity u at the depth h. With Manning's u = h^(2/3) sqrt(S) / n and u_tau = sqrt(g h S) the depth cancels:
  /// k_s = (8.1 sqrt(g) n)^6. It is within 2 % of the logarithmic law for h / k_s from 10 to 200.
  /// Source: Strickler 1923; Brownlie 1983; Parker 1991
  double sand_grains() const;
  bool is_given() const { return roughness > 0.0 || manning > 0.0; }
};

keys::Keys keys_of(WallRoughness& wall);
/// Check that at most one number is given, and none without walls that have a wall law.
/// \param[in] prefix  name of the table of the two keys within `table`, with a dot at its end, or empty
/// Errors: InputError
void check_roughness(const WallRoughness& wall, bool has_wall_law, const keys::Table& table, const std::string& prefix);

}  // namespace freshet
