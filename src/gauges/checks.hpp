// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/gauges/gauge.hpp"
#include "freshet/keys/key.hpp"

#include <string>

/// Checks that several types of gauges share. Errors: InputError
namespace freshet {

/// Check that the case file has a key without which the gauge measures nothing.
void need_key(const GaugeParameters& gauge, const keys::Table& table, const std::string& key);

/// Length of a line inside the domain, with tolerance at sides along the line. [m]
double length_in_domain(const DomainOptions& domain, const Vec3& start, const Vec3& end);

/// Check that the gauge's solid exists.
void check_solid(const GaugeParameters& gauge, const GaugeScene& scene, const keys::Table& table);
/// Check a point, which may move with a solid.
void check_point(const GaugeParameters& gauge, const GaugeScene& scene, const keys::Table& table);

/// Check the corners of a box or a rectangle. In 2-D, equal third entries mean the whole layer of cells.
/// \return number of axes along which the corners are equal
int check_corners(const GaugeParameters& gauge, const GaugeScene& scene, const keys::Table& table);
/// Check that a box or a rectangle has a part inside the domain.
void check_common_part(const GaugeParameters& gauge, const GaugeScene& scene, const keys::Table& table);

}  // namespace freshet
