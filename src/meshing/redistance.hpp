// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"

namespace freshet::meshing {

/// Replace a function by the signed distance to its zero, |grad phi| = 1, up to `band` cells from the zero.
///
/// Cells next to the zero get phi / |grad phi|, with an error of O(dx^2). The others get the solution of the upwind
/// equation: each block sweeps in the eight directions, and blocks exchange their rims until nothing changes. In a band
/// of a fixed number of cells the error is O(dx^2). The bits do not depend on ranks or threads: blocks use the values
/// of their neighbours at the last exchange.
/// \param[in,out] phi   [cells]; on return ghosts are valid to width 2, background no_value
/// \param[in]     band  [cells]; values are cut at +-band
/// \return number of exchanges. Parallel: collective; OpenMP.  Source: Zhao 2005 (fast sweeping), Russo & Smereka 2000
int redistance(CellField<float>& phi, float band);

}  // namespace freshet::meshing
