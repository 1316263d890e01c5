// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/motion_options.hpp"
#include "freshet/keys/slots.hpp"

namespace freshet {

keys::Keys keys_of(MotionOptions& motion) {
  using namespace keys;
  return {
      {"scheme", choice(motion.scheme, {"rk1", "rk2", "rk3", "rk4"}), "",
       "Runge-Kutta scheme that moves the particles."},
      {"field", choice(motion.field, {"solve", "enright", "zalesak"}), "",
       "The velocity that moves the particles: that of the liquid, or in the unit cube the prescribed deformation of "
       "LeVeque (1996) or in the unit square a rotation (Zalesak 1979)."},
  };
}

keys::Keys keys_of(ExtrapolationOptions& extrapolation) {
  using namespace keys;
  return {
      {"method", choice(extrapolation.method, {"layers", "distance"}), "",
       "How velocity is continued into the air: layer by layer as means of known neighbours, or constant along the "
       "normals of the liquid surface."},
  };
}

}  // namespace freshet
