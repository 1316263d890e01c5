// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/grid/domain_faces.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/transfer/trilinear.hpp"

#include <cstddef>

namespace freshet {

/// The components of a face field around one block one after the other, with values beyond the domain's faces.
///
/// The memory stays valid until this thread's next call.
/// \pre ghosts valid to the extents' pad. Parallel: local, thread-safe
/// \tparam Number  double or float
template <class Number = double, class Shape>
const Number* components_around(const FaceField<double>& velocity, LocalIndex b, const TileExtents<Shape>& extents) {
  static thread_local TrackedVector<Number, MemoryKind::scratch> values;
  values.resize(static_cast<std::size_t>(Shape::dim) * static_cast<std::size_t>(extents.size()));
  fill_with_sides(velocity, b, extents, values.data());
  return values.data();
}

/// components_around() as a vector field.
template <class Shape>
PaddedVelocity<Shape> velocity_around(const FaceField<double>& velocity, LocalIndex b,
                                      const TileExtents<Shape>& extents) {
  return PaddedVelocity<Shape>(extents, components_around(velocity, b, extents));
}

}  // namespace freshet
