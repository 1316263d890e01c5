// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"

namespace freshet::meshing {

/// Replace a function by the signed distance to its zero, |grad phi| = 1, up to `band` cells from it.
///
/// Cells next to the zero get phi / |grad phi|, which is off by O(dx^2); the others the solution of the upwind
/// equation, by sweeps in each block in the eight directions and exchanges of the blocks' rims until nothing changes.
/// In a band of a fixed number of cells the error is O(dx^2). The bits do not depend on ranks or threads: blocks see
/// their neighbours as they were after the exchange before.
/// \param[in,out] phi   in units of cells; on return ghosts are valid to width 2, background no_value
/// \param[in]     band  [cells]; values are cut there, with their sign
/// \return exchanges. Parallel: collective; OpenMP.  Source: Zhao 2005 (fast sweeping), Russo & Smereka 2000
int redistance(CellField<float>& phi, float band);

}  // namespace freshet::meshing
