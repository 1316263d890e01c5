// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/wall_roughness.hpp"

#include "freshet/keys/slots.hpp"

#include <cmath>

namespace freshet {

double WallRoughness::sand_grains() const {
  constexpr double factor = 8.1, standard_gravity = 9.80665;  // [m/s^2]
  return manning > 0.0 ? std::pow(factor * std::sqrt(standard_gravity) * manning, 6) : roughness;
}

keys::Keys keys_of(WallRoughness& wall) {
  using namespace keys;
  return {
      {"roughness", number(wall.roughness, {0.0, 1e3}), "m",
       "Diameter of the sand grains that make a wall as rough as this one (Nikuradse's k_s), with the wall law; 0: the "
       "wall is smooth."},
      {"manning", number(wall.manning, {0.0, 0.2}), "s/m^(1/3)",
       "Manning's coefficient of the wall, with the wall law, in place of its roughness; 0: the roughness counts."},
  };
}

void check_roughness(const WallRoughness& wall, bool has_wall_law, const keys::Table& table,
                     const std::string& prefix) {
  table.require(wall.roughness == 0.0 || wall.manning == 0.0, prefix + "manning",
                "is given with '" + table.name + prefix + "roughness'", "each one determines the other",
                "Leave one of them out");
  table.require(!wall.is_given() || has_wall_law, prefix + (wall.manning > 0.0 ? "manning" : "roughness"), "is given",
                "no wall that it belongs to has the condition \"wall_law\"",
                "Choose \"wall_law\" for the wall, or leave the key out");
}

}  // namespace freshet
