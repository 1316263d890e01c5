// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/geometry/rigid_motion.hpp"
#include "freshet/io/output_fields.hpp"
#include "h5.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

/// The attributes that the openPMD standard, version 1.1.0, asks for. Everything is in SI units: each unitSI is 1.
/// For one rank, in a file that it alone has open.
namespace freshet::openpmd {

inline constexpr UnitPowers no_unit{};
inline constexpr UnitPowers metres{1};
inline constexpr UnitPowers metres_per_second{1, 0, -1};

/// Unit as text, for people: "m s^-1"; "1" for none.
std::string unit_text(std::span<const double> powers);

inline const std::array<std::string, 3> axis_names{"x", "y", "z"};

/// Attributes of the root group. \param[in] date  "YYYY-MM-DD HH:mm:ss +zzzz"
void write_root(hid_t root);

/// Attributes of /data/<n>. \param[in] time, dt [s]
void write_iteration(hid_t iteration, double time, double dt);

/// Attribute freshetSolidPoses of /data/<n>, (solids, 3, 4): rows of [rotation | translation], which take a point of a
/// solid [m] from where the case file puts it to where it is. Nothing if there are none.
void write_solid_poses(hid_t iteration, std::span<const Pose> poses);

/// unitDimension and timeOffset (0) of a record.
void write_record(hid_t record, const UnitPowers& unit);

/// unitSI of a component.
void write_component(hid_t component);

/// A component of `count` equal values, stored as attributes of an empty group.
void write_constant_component(hid_t record, const std::string& name, double value, std::uint64_t count);

/// Where a mesh lies. Axis order here is x, y, z; the file's is z, y, x.
struct Mesh {
  CellBox cells;               ///< of the domain; must not be empty
  double dx = 1.0;             ///< [m]
  Vec3 origin = Vec3::Zero();  ///< low corner of domain cell (0,0,0) [m]

  std::array<hsize_t, 3> extents() const;  ///< cells along z, y, x
  hsize_t n_cells() const { return extents()[0] * extents()[1] * extents()[2]; }
  Vec3 low_corner() const { return origin + dx * cells.lower.cast<double>(); }  ///< [m]
};

/// Attributes of a mesh record, write_record() included.
void write_mesh_record(hid_t record, const Mesh& mesh, const UnitPowers& unit);

/// unitSI and position of a mesh component. \param[in] position  in the cell, 0 <= position < 1, order x, y, z
void write_mesh_component(hid_t component, const Vec3& position);

}  // namespace freshet::openpmd
