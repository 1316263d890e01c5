// SPDX-License-Identifier: Apache-2.0
#include "freshet/keys/slots.hpp"
#include "freshet/particles/seeding_options.hpp"

namespace freshet {

keys::Keys keys_of(SamplingOptions& sampling) {
  using namespace keys;
  return {
      {"per_axis", number(sampling.per_axis, {1, 8}), "",
       "Number n of particles along each axis of a full cell, which holds n^3 particles, or n^2 in 2-D."},
      {"jitter", number(sampling.jitter, {0.0, 1.0}), "",
       "Random displacement of seeded particles: none from the centres of their sub-cells (0), up to anywhere in them "
       "(1), or a share of that."},
  };
}

keys::Keys keys_of(CarriedValues& values) {
  using namespace keys;
  return {{"tag", number(values.tag, {0, 255}), "", "Number that its particles carry as the attribute tag."},
          {"flip_fraction", number(values.flip_fraction, {0.0, 1.0}), "",
           "Share of FLIP in the new velocity of particles with its tag, in place of transfer.flip_fraction."},
          {"viscosity_coefficient", number(values.viscosity_coefficient, {0.0, 1.0}), "",
           "Share of PIC in the new velocity of particles with its tag: 1 - flip_fraction, and given instead of it."},
          {"viscosity", number(values.viscosity, {0.0, 1e12}), "Pa s",
           "Dynamic viscosity of particles with its tag, in place of fluid.viscosity."},
          {"color", numbers(values.color, {0.0, 1.0}, {3}), "",
           "Red, green and blue that its particles carry as the attribute color; [] for none."}};
}

keys::Entry entry_of(LiquidParameters& liquid) {
  using namespace keys;
  constexpr double fastest = 1e30;  // [m/s] particles store velocities as 32-bit numbers
  Entry entry = entry_of(liquid.shape);
  entry.keys.push_back(
      {"velocity", vector(liquid.velocity, ThirdEntry::must_vanish, fastest), "m/s", "Velocity at the start."});
  append(entry.keys, keys_of(static_cast<CarriedValues&>(liquid)));
  return entry;
}

}  // namespace freshet
