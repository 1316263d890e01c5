// SPDX-License-Identifier: Apache-2.0
#include "freshet/air/air_options.hpp"
#include "freshet/keys/slots.hpp"

namespace freshet {

keys::Keys keys_of(AirOptions& air) {
  using namespace keys;
  return {
      {"bubbles", choice(air.bubbles, {"off", "incompressible", "compressible"}), "",
       "Behaviour of air that liquid and solids enclose. off: it has the atmosphere's pressure and gives way. "
       "incompressible: each bubble keeps its volume. compressible: each bubble is a gas with p V^gamma = const."},
      {"atmosphere", choice(air.atmosphere, {"above", "open_sides"}), "",
       "Air that belongs to the atmosphere beside that at open sides and in sinks. above: the air at the upper side of "
       "the domain, "
       "also where it is a wall; without gravity the largest region of air. open_sides: none, so that all air of a "
       "closed tank is trapped."},
      {"pressure", number(air.pressure, above(0.0)), "Pa",
       "Absolute pressure of the atmosphere, and of bubbles when they close."},
      {"gamma", number(air.gamma, {1.0, 2.0}), "",
       "Exponent of the gas law p V^gamma = const: 1.4 for air that exchanges no heat, 1 for air that stays as warm as "
       "the liquid."},
      {"least_cells", number(air.least_cells, {1, 1000000}), "",
       "Enclosed air in fewer cells than this is no bubble: it has the pressure of the atmosphere."},
  };
}

}  // namespace freshet
