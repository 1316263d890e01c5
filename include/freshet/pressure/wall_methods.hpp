// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/pressure/pressure_options.hpp"
#include "freshet/pressure/projection.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace freshet {

/// A way to meet the condition of walls on the pressure, which a case chooses by pressure.walls.method.
struct WallMethodRow {
  std::string_view name;
  bool treats_all;  ///< it solves for the flow at sticky walls, too
  bool is_exact;    ///< it solves to pressure.tolerance, and bodies may move; others stop at thresholds of their own
  /// Solves for the pressure, and leaves the velocities of the wall faces in `faces`. Collective
  void (*solve)(Projection::Implementation& projection, CellField<double>& pressure);
};

/// All wall methods. A new one is one row in src/pressure/walls/wall_methods.cpp and one file with its function.
std::span<const WallMethodRow> wall_methods();

inline const WallMethodRow& row_of(WallMethod method) {
  return wall_methods()[static_cast<std::size_t>(method)];
}

/// \pre some row has this name
WallMethod wall_method_named(std::string_view name);

}  // namespace freshet
