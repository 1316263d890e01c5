// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/layout.hpp"
#include "freshet/pressure/poisson.hpp"

#include <string>

/// The liquids of the pressure benchmark, in a closed box of n^3 cells: functions of the cell, alike on any ranks.
namespace freshet::test {

enum class PressureCase {
  dam,    ///< waves and drops after a dam has broken
  box,    ///< full but for the layer of cells below the lid: the longest way to the surface
  sheet,  ///< a wavy sheet of 2 to 3 cells through the middle, a film of 1 to 3 cells on a wall
  spray   ///< separate drops of 1 to 6 cells radius, and ligaments
};
enum class CoefficientKind {
  unit,      ///< every face of the box open, its walls closed
  general,   ///< a tilted bed and a boulder cut cells, and every other face is partly closed too
  level_set  ///< as unit, and the surface lies anywhere between the centres of liquid cells and cells of air
};

PressureCase pressure_case_named(const std::string& name);        ///< InputError for an unknown name
CoefficientKind coefficient_kind_named(const std::string& name);  ///< likewise

/// One pressure system, distributed as a run distributes it: blocks that hold liquid and those around them exist, and
/// ranks get stretches of equal cost.
class PressureSystem {
 public:
  /// Parallel: collective; OpenMP over blocks
  PressureSystem(const Communicator& comm, PressureCase kind, int n, CoefficientKind coefficient_kind);

  BlockLayout layout;
  FaceField<float> open_fraction;
  CellField<float> distance;  ///< to the surface [cells]; read with CoefficientKind::level_set
  PoissonCoefficients coefficients;
  /// What one step under gravity leaves to project: a falling column, smooth waves and noise on every face
  CellField<double> right_hand_side;
};

}  // namespace freshet::test
