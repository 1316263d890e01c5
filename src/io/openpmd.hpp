// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/io/output_fields.hpp"
#include "h5.hpp"

#include <array>
#include <string>
#include <vector>

/// The attributes that the openPMD standard, version 1.1.0, requires. All units are SI: each unitSI is 1.
/// For one rank, in a file that it alone has open.
namespace freshet::openpmd {

inline constexpr UnitPowers no_unit{};
inline constexpr UnitPowers metres{1};
inline constexpr UnitPowers metres_per_second{1, 0, -1};

inline const std::array<std::string, 3> axis_names{"x", "y", "z"};

/// Write unitDimension and timeOffset of a record. \param[in] time_offset  its time minus the file's time [s]
inline void write_record(hid_t record, const UnitPowers& unit, double time_offset = 0.0) {
  h5::write_attribute(record, "unitDimension", std::vector<double>(unit.begin(), unit.end()));
  h5::write_attribute(record, "timeOffset", time_offset);
}

/// Write unitSI of a component.
inline void write_component(hid_t component) {
  h5::write_attribute(component, "unitSI", 1.0);
}

/// A box of cells as a mesh. Axis order is x, y, z; the file's is z, y, x.
struct Mesh {
  CellBox cells;               ///< cells of the domain; not empty
  double dx = 1.0;             ///< cell size [m]
  Vec3 origin = Vec3::Zero();  ///< low corner of domain cell (0,0,0) [m]

  std::array<hsize_t, 3> extents() const {  ///< number of cells along z, y, x
    const Vec3i n = cells.upper - cells.lower;
    return {static_cast<hsize_t>(n.z()), static_cast<hsize_t>(n.y()), static_cast<hsize_t>(n.x())};
  }
  hsize_t n_cells() const { return extents()[0] * extents()[1] * extents()[2]; }
  Vec3 low_corner() const { return origin + dx * cells.lower.cast<double>(); }  ///< in space [m]
};

}  // namespace freshet::openpmd
