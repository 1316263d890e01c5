// SPDX-License-Identifier: Apache-2.0
#include "freshet/forces/fluid_options.hpp"
#include "freshet/grid/domain_sides.hpp"
#include "freshet/keys/slots.hpp"

#include <fmt/format.h>

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
      {"wind.velocity", vector(fluid.wind.velocity, ThirdEntry::must_vanish, 1e4), "m/s",
       "Velocity of the wind, whose drag moves the liquid's upper surface. 0: no wind."},
      {"wind.drag", number(fluid.wind.drag, {0.0, 1.0}), "",
       "Drag coefficient of the wind: the stress is this times the density of air times the square of the velocity of "
       "the wind relative to the liquid."},
      {"wind.density", number(fluid.wind.density, {0.0, 1e6}), "kg/m^3", "Density of the air."},
  };
}

keys::Keys outside_pressure_keys(FluidOptions& fluid) {
  using namespace keys;
  return side_keys(
      "Pressure of liquid at rest outside (0: air), at the lowest point of the open side",
      [&fluid](std::size_t axis, std::size_t side) {
        return number(fluid.outside_pressure[axis][side], at_least(0.0));
      },
      "Pa");
}

keys::Keys keys_of(VortexOptions& vortex) {
  using namespace keys;
  return {
      {"boost", number(vortex.boost, {0.0, 1e3}), "",
       "Strength of the vortex boost; 0: off. With confinement it is the epsilon of the method [1/s]. With weights it "
       "is a pure number, and the method's source takes at most 1."},
      {"method", choice(vortex.method, {"confinement", "weights"}), "",
       "How vortices are boosted: by vorticity confinement (Fedkiw, Stam & Jensen 2001), or by heavier weights in the "
       "deposit (Ioannidis 2012, Table 20). Weights are not Galilean-invariant: a uniform velocity grows as well."},
  };
}

keys::Entry entry_of(AbsorberParameters& zone) {
  using namespace keys;
  return {{
      {"lower", vector(zone.lower, ThirdEntry::below), "m", "Low corner of the box.", required},
      {"upper", vector(zone.upper, ThirdEntry::above), "m", "High corner of the box.", required},
      {"direction", vector(zone.direction, ThirdEntry::must_vanish), "",
       "Direction in which the zone becomes stronger, from 0 where waves enter it; of any length."},
      {"strength", number(zone.strength, above(0.0, 1e6)), "1/s",
       "Rate at which the liquid is brought to `velocity` at the zone's far end. analysis/figures/waves.md shows how "
       "much of a wave is reflected.",
       required},
      {"velocity", vector(zone.velocity, ThirdEntry::must_vanish, 1e4), "m/s",
       "Velocity to which the liquid is brought, such as that of a stream."},
  }};
}

void check_absorber(const AbsorberParameters& zone, const DomainOptions& domain, const keys::Table& table) {
  for (int d = 0; d < 3; ++d)
    table.require(zone.lower[d] < zone.upper[d], "upper",
                  fmt::format("is not above '{}lower' along {}", table.name, "xyz"[d]),
                  keys::number_text(zone.upper[d]) + " <= " + keys::number_text(zone.lower[d]),
                  "Give the low corner, then the high corner");
  table.require(zone.direction.norm() > 0.0, "direction", "is zero", "it does not say where waves come from",
                "Give the direction in which they travel");
  table.require(meets_domain(domain, zone.lower, zone.upper), "lower", "lies outside the domain",
                "nothing is absorbed there", "Choose a box that meets the domain");
}

void check_wind(const FluidOptions& fluid, const keys::Table& table) {
  const Vec3& wind = fluid.wind.velocity;
  const Vec3& gravity = fluid.gravity;
  if (wind.isZero(0.0)) return;
  table.require(!gravity.isZero(0.0), "fluid.wind.velocity", "is given without gravity",
                "the wind blows over the surface that faces up", "Set fluid.gravity, or leave the wind out");
  Vec3::Index vertical = 0;
  gravity.cwiseAbs().maxCoeff(&vertical);
  Vec3 along = wind;
  along[vertical] = 0.0;
  table.require(!along.isZero(0.0), "fluid.wind.velocity", "is vertical", "the wind blows along the surface",
                "Give a velocity across fluid.gravity");
}

}  // namespace freshet
