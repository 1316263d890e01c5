// SPDX-License-Identifier: Apache-2.0
// The table of the wall methods: pressure.walls.method.
#include "freshet/pressure/wall_methods.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/pressure/pressure_options.hpp"
#include "freshet/pressure/projection.hpp"

#include <algorithm>

namespace freshet {
namespace pressure {

// Each stands in a file of this folder.
void complementarity(Projection::Implementation& projection, CellField<double>& pressure);
void original_separating(Projection::Implementation& projection, CellField<double>& pressure);
void admm(Projection::Implementation& projection, CellField<double>& pressure);
void iop(Projection::Implementation& projection, CellField<double>& pressure);
void iop_bc(Projection::Implementation& projection, CellField<double>& pressure);

}  // namespace pressure

std::span<const WallMethodRow> wall_methods() {
  static constexpr WallMethodRow rows[] = {
      {"complementarity", false, true, pressure::complementarity},
      {"cg", false, false, pressure::original_separating},
      {"admm", true, false, pressure::admm},
      {"iop", true, false, pressure::iop},
      {"iop_bc", false, false, pressure::iop_bc},
  };
  return rows;
}

WallMethod wall_method_named(std::string_view name) {
  const auto found = std::ranges::find(wall_methods(), name, &WallMethodRow::name);
  FRESHET_EXPECT(found != wall_methods().end());
  return static_cast<WallMethod>(found - wall_methods().begin());
}

}  // namespace freshet
