// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "value.hpp"

#include <string>

namespace freshet::config {

inline constexpr const char* axis_names[] = {"x", "y", "z"};

/// Throw InputError if values that are legal one by one make no sense together; `root` tells where they were written.
void check_parameters(const Parameters& parameters, const Value& root);

/// The part of it that looks for products and quotients which no number type holds.
void check_scene(const Parameters& parameters, const Value& root);
void check_sizes(const Parameters& parameters, const Value& root);

/// Throw InputError if a shape encloses nothing, has numbers that no distance can be told with, or turns out of the
/// plane of a 2-D case; `table` is what it was read from, `name` its dotted name and a dot.
void check_shape(const ShapeParameters& shape, const Value& table, const std::string& name, int dimension);

/// The same for how a body moves. \param[in] dimension  of the domain
void check_motion(const MotionParameters& motion, const Value& table, const std::string& name, int dimension);

/// Throw InputError unless a file's hash is empty or looks like one; `key` is its name below `name`.
void check_hash(const std::string& hash, const Value& table, const std::string& name, const char* key);

}  // namespace freshet::config
