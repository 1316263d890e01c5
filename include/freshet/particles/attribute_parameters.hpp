// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape_parameters.hpp"

#include <string>
#include <vector>

namespace freshet {

enum class AttributeKind { integer, real, vector };

/// Particles that are made inside the shape get the value.
struct AttributeRegionParameters {
  ShapeParameters shape;
  std::vector<double> value;  ///< one number, or three of a vector
};

struct AttributeParameters {
  std::string name;
  AttributeKind kind = AttributeKind::real;
  std::vector<double> value;  ///< outside all regions; empty: 0
  std::vector<AttributeRegionParameters> regions;
};

}  // namespace freshet
