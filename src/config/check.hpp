// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "value.hpp"

#include <string>

/// Checks that no range of one key can make: values that are legal alone and have no meaning together.
namespace freshet::config {

/// A table of a case file, for messages about its keys.
struct Place {
  const Value& table;
  std::string name;  ///< dotted name with a dot at its end; empty for the whole file

  /// Check a key. Errors: InputError "<place of the key>: '<name><key>' <problem> (<why>). <remedy>" unless `holds`
  void require(bool holds, const std::string& key, const std::string& problem, const std::string& why,
               const std::string& remedy) const {
    if (!holds) refuse(key, "'" + name + key + "' " + problem, why, remedy);
  }
  /// Refuse a key. Errors: InputError "<place of the key>: <problem> (<why>). <remedy>"
  [[noreturn]] void refuse(const std::string& key, const std::string& problem, const std::string& why,
                           const std::string& remedy) const {
    fail(location(table, key), problem, why, remedy);
  }
  /// Entry i of an array of tables. \pre the entry exists
  Place entry(const std::string& array, std::size_t i) const {
    return {table.find(array)->items[i], name + array + "." + std::to_string(i) + "."};
  }
};

/// Whether any liquid has viscosity: one of the case or, without liquids and sources in the case, one that a program
/// adds. fluid.viscosity counts only for tags that have it.
bool is_viscous(const Parameters& parameters);

/// Check the whole case. Errors: InputError
void check_parameters(const Parameters& parameters, const Value& root);
/// Check sources, sinks and attributes of particles. Errors: InputError
void check_scene(const Parameters& parameters, const Place& place);

/// Check surfaces that the run writes, or that are made of its snapshots. Errors: InputError
void check_surfaces(const Parameters& parameters, const Place& place);
/// Names of the particle arrays that snapshots can hold.
std::vector<std::string> known_arrays(const Parameters& parameters);
/// Check names of particle arrays. Errors: InputError for a name that is not one of known_arrays()
void check_array_names(const Parameters& parameters, const char* key, const std::vector<std::string>& names,
                       const Place& place);

/// Whether a box meets the domain, within side_tolerance.
bool meets_domain(const DomainOptions& domain, const Vec3& lower, const Vec3& upper);

/// Check the gauges. Errors: InputError
void check_gauges(const Parameters& parameters, const Place& place);

/// Check a shape. Errors: InputError if it encloses nothing, is too large for finite distances, or turns out of the
/// plane of a 2-D case
void check_shape(const ShapeParameters& shape, const Place& place, int dimension);
/// Check a motion. Errors: InputError if it is of two kinds, too fast, too far, or out of the plane of a 2-D case
void check_motion(const MotionParameters& motion, const Place& place, int dimension);

}  // namespace freshet::config
