// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace freshet {

struct GeoPoints {
  std::vector<Vec3> position;  ///< [m]
  std::vector<Vec3> velocity;  ///< [m/s]; empty if the file has none
};

/// The points of Houdini's .geo since its version 12: JSON, a list of keys and values by turns, in which
/// "attributes" holds "pointattributes", each a definition and its values. Read are P and, if it is of three numbers,
/// v; what else there is is passed over.
///
/// Errors: InputError "<file>:<line>: ..." for what is no JSON, or not laid out like that, for numbers that are not
/// finite, and for counts that do not fit together
/// Source: SideFX's description of the format, and its reader hgeo.py
GeoPoints read_geo_json(std::istream& text, const std::string& file_name);

}  // namespace freshet
