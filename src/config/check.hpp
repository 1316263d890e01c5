// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "value.hpp"

#include <string>

/// What no range of one key can tell: values that are legal one by one and make no sense together.
namespace freshet::config {

/// A table of a case file, to say what is wrong with its keys.
struct Place {
  const Value& table;
  std::string name;  ///< dotted, with a dot at its end; empty for the whole file

  /// Errors: InputError "<place of the key>: '<name><key>' <problem> (<why>). <remedy>" unless `holds`
  void require(bool holds, const std::string& key, const std::string& problem, const std::string& why,
               const std::string& remedy) const {
    if (!holds) refuse(key, "'" + name + key + "' " + problem, why, remedy);
  }
  /// Errors: InputError "<place of the key>: <problem> (<why>). <remedy>"
  [[noreturn]] void refuse(const std::string& key, const std::string& problem, const std::string& why,
                           const std::string& remedy) const {
    fail(location(table, key), problem, why, remedy);
  }
  /// Entry i of an array of tables. \pre  it is there
  Place entry(const std::string& array, std::size_t i) const {
    return {table.find(array)->items[i], name + array + "." + std::to_string(i) + "."};
  }
};

/// Whether some liquid has viscosity: one of the case, or, if it has neither liquids nor sources, one that a program
/// brings. fluid.viscosity counts only where tags have it.
bool is_viscous(const Parameters& parameters);

/// The whole case. Errors: InputError
void check_parameters(const Parameters& parameters, const Value& root);
/// What comes into the scene and leaves it, and what its particles carry. Errors: InputError
void check_scene(const Parameters& parameters, const Place& place);

/// Whether a box touches the domain.
bool meets_domain(const DomainOptions& domain, const Vec3& lower, const Vec3& upper);

/// What gauges measure. Errors: InputError
void check_gauges(const Parameters& parameters, const Place& place);

/// Errors: InputError if the shape encloses nothing, is too large for its distances to be finite, or turns out of the
/// plane of a 2-D case
void check_shape(const ShapeParameters& shape, const Place& place, int dimension);
/// Errors: InputError if the body moves in two ways at once, too fast, too far, or out of the plane of a 2-D case
void check_motion(const MotionParameters& motion, const Place& place, int dimension);

}  // namespace freshet::config
