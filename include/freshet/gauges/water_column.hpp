// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <span>
#include <vector>

namespace freshet {

/// A piece of a line, either in a solid or outside of solids.
struct LinePiece {
  double begin = 0.0;   ///< distance from the start of the line [m]
  double length = 0.0;  ///< [m]
  bool is_open = true;  ///< outside of solids
};

/// Cut a line where it enters and leaves solids, and cut its parts outside of solids into pieces of about a step.
///
/// The surface of a solid lies where linear interpolation between two samples gives the distance 0. A line that runs
/// along a surface counts as outside: there, two samples in a row are less than a hundredth of a step away from it.
/// \param[in] distances  signed distances to the nearest solid at evenly spaced points from one end of the line to the
/// other, negative inside [m]; at least two
/// \param[in] step       length of an open piece [m]; the last one before a solid or an end has 0.5 to 1.5 steps, or
/// all of a shorter gap between solids
/// \return pieces in the line's order, without gaps between them
std::vector<LinePiece> cut_line(double length, std::span<const double> distances, double step);

/// A piece of a line: how much liquid the column around it holds, and how much it can hold.
struct ColumnSlice {
  double length = 0.0;    ///< length along the line [m]
  double content = 0.0;   ///< liquid in the column around the piece, in any unit
  double capacity = 0.0;  ///< content of a full slice, in the same unit; 0: in a solid
};

/// Lengths of a line that liquid covers. [m]
struct WaterColumn {
  double height = 0.0;     ///< total covered length
  double connected = 0.0;  ///< covered length up to the first gap or solid; 0 if the line begins in air
  double top = 0.0;        ///< distance from the start of the line to the farthest liquid
};

/// Find the covered lengths of a line that consists of slices.
///
/// A slice counts by its share of liquid. If it and both its neighbours are at least half full, it counts as full,
/// because particles are unevenly spaced inside the liquid. A gap is two or more slices in a row that are less than
/// half full. The farthest liquid is in the last slice that is at least half full. The slice behind the connected or
/// the farthest liquid counts by its share.
WaterColumn water_column(std::span<const ColumnSlice> slices);

}  // namespace freshet
