// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <string>
#include <vector>

namespace freshet {

/// Particles of this rank as plain arrays: any particles on any rank, in any order.
struct SurfaceParticles {
  /// Numbers of each particle that vertices of the mesh take over.
  struct Attribute {
    std::string name;
    int components = 1;
    bool integer = false;       ///< a vertex takes the value of the particles with the largest weight, not a mean
    std::vector<float> values;  ///< components for each particle, one particle after the other
  };

  std::vector<Vec3> positions;        ///< [m]
  std::vector<float> radii;           ///< [m]; empty: the radius of the options
  std::vector<Attribute> attributes;  ///< the same names in the same order on all ranks
};

}  // namespace freshet
