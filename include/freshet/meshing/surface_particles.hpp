// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <string>
#include <vector>

namespace freshet {

/// Particles of this rank as plain arrays. Any rank may hold any particle, in any order.
struct SurfaceParticles {
  /// An attribute of the particles that vertices of the mesh take over.
  struct Attribute {
    std::string name;
    int components = 1;
    bool integer = false;       ///< a vertex takes the value with the largest sum of weights, not the weighted mean
    std::vector<float> values;  ///< `components` numbers for each particle, one particle after the other
  };

  std::vector<Vec3> positions;        ///< one position for each particle [m]
  std::vector<float> radii;           ///< one radius for each particle [m]; empty: SurfaceOptions gives the radius
  std::vector<Attribute> attributes;  ///< attributes, with the same names in the same order on all ranks
};

}  // namespace freshet
