// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <span>
#include <vector>

namespace freshet {

/// A piece of a line that lies in a solid, or outside of solids.
struct LinePiece {
  double begin = 0.0;   ///< from the start of the line [m]
  double length = 0.0;  ///< [m]
  bool is_open = true;  ///< outside of solids
};

/// Cut a line where it enters and leaves solids, and cut what lies outside into pieces of about a step.
///
/// The surface of a solid lies where the distance is 0 between two samples. A line that runs along a surface is
/// outside, that is where two samples in a row are less than a hundredth of a step away from it. \param[in] distances
/// from the nearest solid at evenly spaced points, of which the first and the last are the line's
///                       ends, negative inside [m]; at least two
/// \param[in] step       length of an open piece; the last one before a solid or the end has a half to one and a half
/// of
///                       it, and all that there is between solids that are closer together [m]
/// \return pieces in the line's order, without gaps between them
std::vector<LinePiece> cut_line(double length, std::span<const double> distances, double step);

/// A piece of a line: how much liquid there is around it, and how much fits.
struct ColumnSlice {
  double length = 0.0;    ///< along the line [m]
  double content = 0.0;   ///< of the column around it, in any unit
  double capacity = 0.0;  ///< content of a full slice, in the same unit; 0: in a solid
};

/// Lengths of a line that liquid covers. [m]
struct WaterColumn {
  double height = 0.0;     ///< covered length in all
  double connected = 0.0;  ///< of the first liquid, up to the first gap or solid; 0 if the line begins in air
  double top = 0.0;        ///< from the start of the line to the farthest liquid
};

/// The covered lengths of a line that consists of slices.
///
/// A slice counts by its share of liquid; inside the liquid, where it and both its neighbours are at least half full,
/// it counts as full, as particles stand unevenly there. A gap is two or more slices in a row that are less than half
/// full. The farthest liquid is in the last slice that is at least half full. The slice behind either is added by its
/// share.
WaterColumn water_column(std::span<const ColumnSlice> slices);

}  // namespace freshet
