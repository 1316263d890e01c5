// SPDX-License-Identifier: Apache-2.0
// Bodies that the liquid moves, as regions of the pressure's system.
#include "freshet/bodies/free_bodies.hpp"
#include "freshet/grid/halo.hpp"
#include "pressure/walls/projection_implementation.hpp"

#include <algorithm>

namespace freshet {

void Projection::set_bodies(FreeBodies* bodies) {
  implementation_->bodies = bodies;
}

/// Add the bodies to the system, and their weight to the right-hand side with closed walls. Collective
void Projection::Implementation::add_bodies(const SolidFields& solids) {
  if (bodies == nullptr) return;
  std::vector<int> columns;
  bodies->append_columns(columns);
  regions.reset(coefficients.unknown.layout(), columns);
  has_floors = std::ranges::any_of(
      solids.bodies(), [](const SolidBody& body) { return body.is_free() && body.wall == WallCondition::separating; });
  if (has_floors) {
    floors.reset(coefficients.unknown.layout(), pressure::no_floor);
    floors.fill(pressure::no_floor);
  }
  bodies->add_rows(solids, coefficients.unknown, 0, regions, has_floors ? &floors : nullptr);
  if (has_floors) coefficients.unknown.layout().halo().gather(floors, 1);
  regions.finish();
  bodies->add_weight(regions, sticky);
  solver.set_regions(&regions);
}

/// Give the bodies their velocities under the pressure. Collective
void Projection::Implementation::push_bodies(const CellField<double>& pressure) {
  if (bodies != nullptr) bodies->take_pressure(regions, pressure);
}

}  // namespace freshet
