// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape.hpp"
#include "placement.hpp"

#include <functional>

namespace freshet {

/// The space that shapes stand in.
struct ShapeSpace {
  int dimension = 3;
  double plane = 0.0;  ///< 2-D: height of the middle plane, which a scale does not move [m]
};

using MeshMaker = std::function<std::shared_ptr<const Shape>(const ShapeParameters&, const Placement&)>;

/// A shape and its parts, each placed by its own transform and then by `outer`. `mesh` makes the meshes.
std::shared_ptr<const Shape> build_shape(const ShapeParameters& parameters, const Placement& outer,
                                         const ShapeSpace& space, const MeshMaker& mesh);

}  // namespace freshet
