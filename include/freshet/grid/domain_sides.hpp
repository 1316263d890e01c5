// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/domain_options.hpp"

namespace freshet {

/// A point at most this far beyond a side of the domain lies on the side. [cells]
///
/// Sides lie at multiples of the cell size, which case files give with a few digits: 145 cells of 0.0062068 m end 14
/// micrometres before 0.9 m. A hundredth of a cell is more than that error, and less than the grid resolves.
inline constexpr double side_tolerance = 0.01;

/// Whether a box meets the domain, within side_tolerance.
bool meets_domain(const DomainOptions& domain, const Vec3& lower, const Vec3& upper);

}  // namespace freshet
