// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"

namespace freshet::meshing {

constexpr int block_cells = BlockShape<3>::cells;
constexpr int block_rows = BlockShape<3>::rows;

}  // namespace freshet::meshing
