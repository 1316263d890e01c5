// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/padded.hpp"
#include "freshet/transfer/affine.hpp"
#include "freshet/transfer/trilinear.hpp"

#include <cstddef>

namespace freshet {

/// A face field around one block with its values beyond the domain's faces, in memory that the thread keeps until the
/// next call.
/// \pre ghosts valid to the extents' pad. Parallel: local, thread-safe
template <class Shape>
PaddedVelocity<Shape> velocity_around(const FaceField<double>& velocity, LocalIndex b,
                                      const PaddedExtents<Shape>& extents) {
  static thread_local TrackedVector<double, MemoryKind::scratch> values;
  const BlockLayout& layout = velocity.layout();
  values.resize(static_cast<std::size_t>(Shape::dim) * static_cast<std::size_t>(extents.size()));
  for (int d = 0; d < Shape::dim; ++d) {
    double* component = values.data() + static_cast<std::ptrdiff_t>(d) * extents.size();
    fill_padded(velocity[d], b, extents, component);
    if (layout.touches_boundary(b)) apply_domain_faces(layout.domain(), layout.first_cell(b), d, extents, component);
  }
  return PaddedVelocity<Shape>(extents, values.data());
}

/// What a particle takes over from the grid where it stands: its velocity [m/s] and, for APIC, its gradient [1/s].
struct GridMotion {
  double velocity[3] = {};
  double rows[affine_width] = {};
};

/// \param[in] x  in the block, relative to it [cells]; \param[in] per_metre  1 / dx
template <class Shape>
GridMotion grid_motion_at(const PaddedVelocity<Shape>& around, const ParticleReal* x, double per_metre) {
  const Double4 place{static_cast<double>(x[0]), static_cast<double>(x[1]), static_cast<double>(x[2]), 0.0};
  const Double4 u = around.at(place);
  Double4 gradient[3];
  around.gradient_at(place, gradient);
  GridMotion motion;
  for (int d = 0; d < 3; ++d) {
    motion.velocity[d] = u[d];
    for (int e = 0; e < 3; ++e) motion.rows[3 * d + e] = per_metre * gradient[d][e];
  }
  return motion;
}

}  // namespace freshet
