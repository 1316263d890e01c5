// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/field.hpp"

#include <algorithm>

namespace freshet {

/// Extents of a block with `pad` cells around it; in 2-D there is no pad along z.
template <class Shape>
struct PaddedExtents {
  int pad;
  int nx, ny, nz;
  explicit PaddedExtents(int pad_cells)
      : pad(pad_cells),
        nx(Shape::nx + 2 * pad_cells),
        ny(Shape::ny + 2 * pad_cells),
        nz(Shape::dim == 3 ? Shape::nz + 2 * pad_cells : 1) {}
  int size() const { return nx * ny * nz; }
  /// Index of block cell (i, j, k), each from -pad.
  int at(int i, int j, int k) const { return (i + pad) + nx * ((j + pad) + ny * (Shape::dim == 3 ? k + pad : 0)); }
};

/// Copy a block and `pad` cells of its 26 neighbours into a dense array, x fastest.
///
/// Cells of blocks that do not exist get the field's background value. \pre ghosts valid to width `pad`; 1 <= pad <= 8
template <class Shape, class T, class U>
void fill_padded(const CellField<T>& field, LocalIndex owned_block, const PaddedExtents<Shape>& extents, U* padded) {
  const BlockLayout& layout = field.layout();
  const LocalIndex* neighbours = layout.neighbours(owned_block);
  const int pad = extents.pad;
  const int z_begin = Shape::dim == 3 ? -1 : 0;
  const int z_end = Shape::dim == 3 ? 1 : 0;
  for (int dz = z_begin; dz <= z_end; ++dz) {
    const int k0 = dz < 0 ? Shape::nz - pad : 0;
    const int k1 = dz > 0 ? pad : Shape::nz;
    for (int dy = -1; dy <= 1; ++dy) {
      const int j0 = dy < 0 ? Shape::ny - pad : 0;
      const int j1 = dy > 0 ? pad : Shape::ny;
      for (int dx = -1; dx <= 1; ++dx) {
        const int i0 = dx < 0 ? Shape::nx - pad : 0;
        const int i1 = dx > 0 ? pad : Shape::nx;
        const T* source = field.block(neighbours[direction_index(dx, dy, dz)]);
        for (int k = k0; k < k1; ++k)
          for (int j = j0; j < j1; ++j) {
            const T* row = source + Shape::cell(0, j, k);
            U* target = padded + extents.at(dx * Shape::nx, dy * Shape::ny + j, dz * Shape::nz + k);
            for (int i = i0; i < i1; ++i) target[i] = static_cast<U>(row[i]);
          }
      }
    }
  }
}

/// Give a padded velocity component its values beyond the domain's faces.
///
/// Normal component (component == axis): faces beyond a wall mirror with changed sign about the wall (which holds 0);
/// beyond an open face the value at the face goes on. Tangential: free slip mirrors, no slip mirrors with changed sign,
/// open goes on. Periodic axes need nothing. \param[in] first_cell domain cell of the block's cell (0,0,0)
/// Source: Bridson 2008, section 4 (solid boundaries)
template <class Shape>
void apply_domain_faces(const Domain& domain, const Vec3i& first_cell, int component,
                        const PaddedExtents<Shape>& extents, double* padded);

}  // namespace freshet
