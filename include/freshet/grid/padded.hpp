// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/field.hpp"

#include <algorithm>
#include <cstdint>

namespace freshet {

/// Number of cells of a block with `pad` cells around it; in 2-D there is no pad along z.
template <class Shape>
constexpr int padded_size(int pad) {
  return (Shape::nx + 2 * pad) * (Shape::ny + 2 * pad) * (Shape::dim == 3 ? Shape::nz + 2 * pad : 1);
}

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
  /// Distance of two cells beside each other along an axis.
  int stride(int axis) const { return axis == 0 ? 1 : axis == 1 ? nx : nx * ny; }
  /// Index of the cell (i, j, k) of the block; indices begin at -pad.
  int at(int i, int j, int k) const { return (i + pad) + nx * ((j + pad) + ny * (Shape::dim == 3 ? k + pad : 0)); }
  int at(const Vec3i& cell) const { return at(cell.x(), cell.y(), cell.z()); }
  int of_cell(int c) const { return at(c % Shape::nx, c / Shape::nx % Shape::ny, c / (Shape::nx * Shape::ny)); }
  /// The cell (i, j, k) with an index.
  Vec3i place(int n) const { return {n % nx - pad, n / nx % ny - pad, Shape::dim == 3 ? n / (nx * ny) - pad : 0}; }
};

/// A block with one cell around it, as PaddedExtents of 1, with all numbers known at compile time.
template <class Shape>
struct BlockWithRim {
  static constexpr int z_rim = Shape::dim == 3 ? 1 : 0;  ///< layers of cells below the block and above it
  static constexpr int nx = Shape::nx + 2;
  static constexpr int ny = Shape::ny + 2;
  static constexpr int nz = Shape::nz + 2 * z_rim;
  static constexpr int size = nx * ny * nz;
  static constexpr int first = 1 + nx * (1 + ny * z_rim);  ///< index of the block's first cell
  static constexpr int end = size - first;                 ///< index beyond the block's last cell
  static constexpr int stride(int axis) { return axis == 0 ? 1 : axis == 1 ? nx : nx * ny; }
  static constexpr int at(int i, int j, int k) { return first + i + nx * (j + ny * (z_rim * k)); }
  static constexpr int of_cell(int c) {
    return at(c % Shape::nx, c / Shape::nx % Shape::ny, c / (Shape::nx * Shape::ny));
  }
};

namespace detail {

/// fill_padded() for a pad known at compile time, or for any pad if static_pad is 0.
template <class Shape, int static_pad, class T, class U>
void fill_padded(const CellField<T>& field, const LocalIndex* neighbours, const PaddedExtents<Shape>& extents,
                 U* padded) {
  const int pad = static_pad > 0 ? static_pad : extents.pad;
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  for (int dz = -z; dz <= z; ++dz) {
    const int k_end = dz > 0 ? pad : Shape::nz;
    for (int dy = -1; dy <= 1; ++dy) {
      const T* before = field.block(neighbours[direction_index(-1, dy, dz)]) + Shape::nx - pad;
      const T* here = field.block(neighbours[direction_index(0, dy, dz)]);
      const T* after = field.block(neighbours[direction_index(1, dy, dz)]);
      const int j_end = dy > 0 ? pad : Shape::ny;
      for (int k = dz < 0 ? Shape::nz - pad : 0; k < k_end; ++k)
        for (int j = dy < 0 ? Shape::ny - pad : 0; j < j_end; ++j) {
          const int row = Shape::cell(0, j, k);
          U* target = padded + extents.at(-pad, dy * Shape::ny + j, dz * Shape::nz + k);
          for (int i = 0; i < pad; ++i) target[i] = static_cast<U>(before[row + i]);
          for (int i = 0; i < Shape::nx; ++i) target[pad + i] = static_cast<U>(here[row + i]);
          for (int i = 0; i < pad; ++i) target[pad + Shape::nx + i] = static_cast<U>(after[row + i]);
        }
    }
  }
}

}  // namespace detail

/// Copy a block and `pad` cells of its 26 neighbours into a dense array, x fastest.
///
/// Cells of blocks that do not exist get the field's background value.
/// \pre ghosts valid to width `pad`; 1 <= pad <= 8
template <class Shape, class T, class U>
void fill_padded(const CellField<T>& field, LocalIndex owned_block, const PaddedExtents<Shape>& extents, U* padded) {
  const LocalIndex* neighbours = field.layout().neighbours(owned_block);
  if (extents.pad == 1) return detail::fill_padded<Shape, 1>(field, neighbours, extents, padded);
  if (extents.pad == 2) return detail::fill_padded<Shape, 2>(field, neighbours, extents, padded);
  detail::fill_padded<Shape, 0>(field, neighbours, extents, padded);
}

/// Collect the bits of the 3^dim cells around each cell of a block. The union for cell (i, j, k) is afterwards at the
/// place of cell (i - 1, j - 1, k - 1), in 2-D (i - 1, j - 1). Other elements are unspecified.
/// \param[in,out] bits  padded by 1, as fill_padded leaves it
template <class Shape>
void collect_bits_around(const PaddedExtents<Shape>& extents, std::uint8_t* bits) {
  const int size = extents.size();
  for (int axis = 0; axis < Shape::dim; ++axis) {
    const int stride = extents.stride(axis);
    for (int n = 0; n + 2 * stride < size; ++n)
      bits[n] = static_cast<std::uint8_t>(bits[n] | bits[n + stride] | bits[n + 2 * stride]);
  }
}

/// The velocity at the centre of a face: the other components are means of their four nearest faces.
/// \param[in] u  components one after the other, each as fill_padded leaves it; pad >= 1
template <class Block>
Vec3 velocity_at_face(const double* u, const PaddedExtents<Block>& extents, int d, int i, int j, int k) {
  const int stride[3] = {1, extents.nx, Block::dim == 3 ? extents.nx * extents.ny : 0};
  const int here = extents.at(i, j, k);
  Vec3 result = Vec3::Zero();
  for (int e = 0; e < Block::dim; ++e) {
    const double* component = u + e * extents.size() + here;
    result[e] =
        e == d
            ? component[0]
            : 0.25 * (component[0] + component[stride[e]] + component[-stride[d]] + component[stride[e] - stride[d]]);
  }
  return result;
}

/// Set a padded velocity component beyond the domain's faces.
///
/// Normal component (component == axis): the face on a wall becomes 0, but keeps its value where liquid may leave the
/// wall; a face beyond a wall gets the mirrored value with opposite sign, one beyond an open face the value at the open
/// face. Tangential components: free slip mirrors the value, an open face repeats it, and no slip mirrors it about the
/// velocity at the wall. That is extrapolated linearly from the two nearest samples and lies between 0 and the nearest:
/// a boundary layer far thinner than a cell must not slow down all particles of a cell. Between two such walls one cell
/// apart it is 0. Beyond an edge of two such walls stands the mean of what the two orders of mirroring give. No value
/// is larger than the one mirrored and the nearest one, so that the largest velocity of the faces bounds the paths of
/// particles also there. Periodic axes need no change.
/// \param[in] first_cell  domain cell of the block's cell (0,0,0)
/// \tparam Number  double or float
/// Source: Bridson 2008, section 4 (solid boundaries)
template <class Shape, class Number>
void apply_domain_faces(const Domain& domain, const Vec3i& first_cell, int component,
                        const PaddedExtents<Shape>& extents, Number* padded);

}  // namespace freshet
