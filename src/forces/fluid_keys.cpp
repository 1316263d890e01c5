// SPDX-License-Identifier: Apache-2.0
#include "freshet/forces/fluid_options.hpp"
#include "freshet/keys/slots.hpp"

namespace freshet {

keys::Keys keys_of(FluidOptions& fluid) {
  using namespace keys;
  return {
      {"density", number(fluid.density, above(0.0)), "kg/m^3", "Density of the liquid."},
      {"viscosity", number(fluid.viscosity, {0.0, 1e12}), "Pa s",
       "Dynamic viscosity of the liquid; 0: none. Domain faces and solids without slip drag it."},
      {"gravity", vector(fluid.gravity, ThirdEntry::must_vanish, 1e30), "m/s^2", "Acceleration of gravity."},
      {"rotation", vector(fluid.rotation, ThirdEntry::zero, 1e6), "rad/s",
       "Steady rotation of the frame of reference, which gives the liquid a Coriolis force. The centrifugal force is "
       "taken to be part of gravity. In 2-D the rotation is about z."},
      {"surface_tension", number(fluid.surface_tension, {0.0, 1e6}), "N/m",
       "Tension of the liquid's surface; not with labels.surface voxels."},
      {"contact_angle", number(fluid.contact_angle, {0.0, 180.0}), "degrees",
       "With surface tension, the angle in the liquid at which its surface meets walls and solids at rest."},
  };
}

}  // namespace freshet
