// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/velocity_extension.hpp"

#include "freshet/grid/halo.hpp"

namespace freshet {

void VelocityExtension::operator()(int layers, double dt, FreeSurface& surface, const SolidFields& solids,
                                   const Projection& projection, FaceField<double>& velocity) {
  // cells of air that spray reaches keep its deposited velocity, so that extrapolation does not slow spray down
  extrapolation_(surface.reached(), solids, layers, velocity, layers > 0 ? surface.rim_of_air() : 0);
  const BlockLayout& layout = velocity.layout();
  if (layers > 0) surface.correct_air(solids, cfl_ * layout.domain().dx() / dt, velocity);
  into_solids(solids, projection, velocity);
}

void VelocityExtension::into_solids(const SolidFields& solids, const Projection& projection,
                                    FaceField<double>& velocity) {
  if (solids.any_fractions()) velocity.layout().halo().gather(velocity, 1);
  constrain_covered_faces_(solids, velocity, projection.released());
  enforce_walls(solids, velocity);
  mirror_no_slip(solids, velocity);
}

}  // namespace freshet
