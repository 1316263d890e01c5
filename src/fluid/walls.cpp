// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/walls.hpp"

#include "freshet/grid/rows.hpp"

namespace freshet {
namespace {

/// Call change(u, u_s, a, solid below, solid here) on every owned face.
template <class Change>
void for_each_face(const SolidFields& solids, FaceField<double>& velocity, Change change) {
  const BlockLayout& layout = velocity.layout();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const LocalIndex n_owned = layout.n_owned();
#pragma omp parallel for schedule(static)
    for (LocalIndex b = 0; b < n_owned; ++b) {
      if (!solids.has_closed_face(b)) continue;
      const BlockRows<Shape, std::uint8_t> solid(solids.is_solid(), b);
      for (int d = 0; d < Shape::dim; ++d) {
        double* u = velocity[d].block(b);
        const float* u_s = solids.velocity()[d].block(b);
        const float* a = solids.open_fraction()[d].block(b);
        for (int r = 0; r < Shape::rows; ++r) {
          std::uint8_t lower[Shape::nx];
          solid.lower_row(d, r % Shape::ny, r / Shape::ny, lower);
          const std::uint8_t* here = solids.is_solid().block(b) + r * Shape::nx;
          for (int i = 0; i < Shape::nx; ++i) {
            const int f = r * Shape::nx + i;
            change(u[f], static_cast<double>(u_s[f]), a[f], lower[i], here[i]);
          }
        }
      }
    }
  });
}

}  // namespace

void enforce_walls(const SolidFields& solids, FaceField<double>& velocity) {
  for_each_face(solids, velocity, [](double& u, double u_s, float a, std::uint8_t lower, std::uint8_t here) {
    if (a == 0.0F && (lower == 0 || here == 0)) u = u_s;
  });
}

void mirror_no_slip(const SolidFields& solids, FaceField<double>& velocity) {
  if (!solids.any_no_slip()) return;
  for_each_face(solids, velocity, [](double& u, double u_s, float, std::uint8_t lower, std::uint8_t here) {
    if (lower == no_slip_solid && here == no_slip_solid) u = 2.0 * u_s - u;
  });
}

}  // namespace freshet
