// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/padded.hpp"
#include "freshet/transfer/trilinear.hpp"

#include <cstddef>

namespace freshet {

/// The components of a face field around one block one after the other, with values beyond the domain's faces.
///
/// The memory stays valid until this thread's next call.
/// \pre ghosts valid to the extents' pad. Parallel: local, thread-safe
template <class Shape>
const double* components_around(const FaceField<double>& velocity, LocalIndex b, const PaddedExtents<Shape>& extents) {
  static thread_local TrackedVector<double, MemoryKind::scratch> values;
  const BlockLayout& layout = velocity.layout();
  values.resize(static_cast<std::size_t>(Shape::dim) * static_cast<std::size_t>(extents.size()));
  for (int d = 0; d < Shape::dim; ++d) {
    double* component = values.data() + static_cast<std::ptrdiff_t>(d) * extents.size();
    fill_padded(velocity[d], b, extents, component);
    if (layout.touches_boundary(b)) apply_domain_faces(layout.domain(), layout.first_cell(b), d, extents, component);
  }
  return values.data();
}

/// components_around() as a vector field.
template <class Shape>
PaddedVelocity<Shape> velocity_around(const FaceField<double>& velocity, LocalIndex b,
                                      const PaddedExtents<Shape>& extents) {
  return PaddedVelocity<Shape>(extents, components_around(velocity, b, extents));
}

}  // namespace freshet
