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

/// Add the bodies' rows to the system. \param[in] first  number of their first region. Collective
void Projection::Implementation::add_bodies(const SolidFields& solids, int first) {
  has_floors = std::ranges::any_of(
      solids.bodies(), [](const SolidBody& body) { return body.is_free() && body.wall == WallCondition::separating; });
  if (has_floors) {
    floors.reset(coefficients.unknown.layout(), pressure::no_floor);
    floors.fill(pressure::no_floor);
  }
  bodies->add_rows(solids, coefficients.unknown, first, regions, has_floors ? &floors : nullptr);
  if (has_floors) coefficients.unknown.layout().halo().gather(floors, 1);
}

/// Give the bodies their velocities under the pressure of liquid and gas. Collective
void Projection::Implementation::push_bodies(const CellField<double>& pressure) {
  if (bodies == nullptr) return;
  bodies->take_pressure(regions, pressure, has_bubbles ? bubble_rows.push() : std::span<const double>{});
}

}  // namespace freshet
