// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/label_planes.hpp"
#include "freshet/fluid/solids.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/layout.hpp"

#include <cstdint>
#include <vector>

namespace freshet {

/// The fields of the flow on the blocks of one layout.
///
/// The velocity and the pressure are kept from step to step and from layout to layout; the other fields are computed
/// anew in each step.
struct FlowFields {
  FaceField<double> velocity;      ///< u^n, u*, u^{n+1} in the course of a step [m/s]
  FaceField<double> velocity_old;  ///< u^n as the deposit gave it [m/s]
  FaceField<double>
      weight;  ///< particles on each face, if the step reads them; after the forces it is free for other uses
  CellField<double> pressure;           ///< of the last projection [Pa]
  LabelField labels;                    ///< liquid, air or solid
  LabelPlanes label_planes;             ///< of `labels` as bits, in steps with a level set or open fractions
  LabelField occupied;                  ///< as labels, where some particles lie in cells of air; spray is liquid in it
  CellField<float> surface_distance;    ///< [cells], with labels.surface = "level_set"; ghosts valid to width 1
  CellField<float> curvature;           ///< [1/cell], with fluid.surface_tension; ghosts valid to width 1
  CellField<std::uint8_t> inner_cells;  ///< 1 inside the liquid, see find_inner_cells(); owned
  SolidFields solids;

  /// Move over to the next layout: velocity and pressure go along, the others start empty.
  /// Parallel: collective. \pre the layout that the fields are bound to still exists
  void carry_to(const BlockLayout& next, const std::vector<SolidBody>& bodies, double time);
};

/// p *= factor, owned cells and ghosts. Parallel: local; OpenMP
void scale_field(CellField<double>& field, double factor);
/// p += q, likewise.
void add_field(const CellField<double>& q, CellField<double>& p);

}  // namespace freshet
