// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/io/output_fields.hpp"
#include "h5.hpp"

#include <array>
#include <string>
#include <vector>

/// The attributes that the openPMD standard, version 1.1.0, asks for. Everything is in SI units: each unitSI is 1.
/// For one rank, in a file that it alone has open.
namespace freshet::openpmd {

inline constexpr UnitPowers no_unit{};
inline constexpr UnitPowers metres{1};
inline constexpr UnitPowers metres_per_second{1, 0, -1};

inline const std::array<std::string, 3> axis_names{"x", "y", "z"};

/// unitDimension and timeOffset of a record: how much later than the file's time it is. [s]
inline void write_record(hid_t record, const UnitPowers& unit, double time_offset = 0.0) {
  h5::write_attribute(record, "unitDimension", std::vector<double>(unit.begin(), unit.end()));
  h5::write_attribute(record, "timeOffset", time_offset);
}

/// unitSI of a component.
inline void write_component(hid_t component) {
  h5::write_attribute(component, "unitSI", 1.0);
}

/// Where a mesh lies. Axis order here is x, y, z; the file's is z, y, x.
struct Mesh {
  CellBox cells;               ///< of the domain; must not be empty
  double dx = 1.0;             ///< [m]
  Vec3 origin = Vec3::Zero();  ///< low corner of domain cell (0,0,0) [m]

  std::array<hsize_t, 3> extents() const {  ///< cells along z, y, x
    const Vec3i n = cells.upper - cells.lower;
    return {static_cast<hsize_t>(n.z()), static_cast<hsize_t>(n.y()), static_cast<hsize_t>(n.x())};
  }
  hsize_t n_cells() const { return extents()[0] * extents()[1] * extents()[2]; }
  Vec3 low_corner() const { return origin + dx * cells.lower.cast<double>(); }  ///< [m]
};

}  // namespace freshet::openpmd
