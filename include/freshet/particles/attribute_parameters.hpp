// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape_parameters.hpp"
#include "freshet/keys/declare.hpp"

#include <string>
#include <vector>

namespace freshet {

enum class AttributeKind { integer, real, vector };

/// A region in which particles get another value of an attribute when they are made.
struct AttributeRegionParameters {
  ShapeParameters shape;
  std::vector<double> value;  ///< one number, or three of a vector
};

/// A number or vector that every particle carries.
struct AttributeParameters {
  std::string name;
  AttributeKind kind = AttributeKind::real;
  std::vector<double> value;  ///< value outside all regions; empty: 0
  std::vector<AttributeRegionParameters> regions;
};

keys::Entry entry_of(AttributeRegionParameters& region);
keys::Entry entry_of(AttributeParameters& attribute);
/// Check names, types and values of a case's attributes. Errors: InputError
void check_attributes(const std::vector<AttributeParameters>& attributes, const keys::Table& table);

}  // namespace freshet
