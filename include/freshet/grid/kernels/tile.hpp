// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/field.hpp"

#include <cstdint>

namespace freshet {

/// Extents of a tile: a block with `pad` cells around it, x fastest. In 2-D there is no pad along z.
template <class Shape>
struct TileExtents {
  int pad;
  int nx, ny, nz;
  constexpr explicit TileExtents(int pad_cells)
      : pad(pad_cells),
        nx(Shape::nx + 2 * pad_cells),
        ny(Shape::ny + 2 * pad_cells),
        nz(Shape::dim == 3 ? Shape::nz + 2 * pad_cells : 1) {}
  constexpr int size() const { return nx * ny * nz; }
  /// Distance of two cells beside each other along an axis.
  constexpr int stride(int axis) const { return axis == 0 ? 1 : axis == 1 ? nx : nx * ny; }
  /// Index of the cell (i, j, k) of the block; i, j and k begin at -pad.
  constexpr int at(int i, int j, int k) const {
    return (i + pad) + nx * ((j + pad) + ny * (Shape::dim == 3 ? k + pad : 0));
  }
  int at(const Vec3i& cell) const { return at(cell.x(), cell.y(), cell.z()); }
  /// Index of cell number c of the block.
  constexpr int of_cell(int c) const {
    return at(c % Shape::nx, c / Shape::nx % Shape::ny, c / (Shape::nx * Shape::ny));
  }
  constexpr int first() const { return at(0, 0, 0); }     ///< index of the block's first cell
  constexpr int end() const { return size() - first(); }  ///< index beyond the block's last cell
  /// The cell (i, j, k) with an index.
  Vec3i place(int n) const { return {n % nx - pad, n / nx % ny - pad, Shape::dim == 3 ? n / (nx * ny) - pad : 0}; }
};

namespace detail {

/// fill_tile() for a pad known at compile time, or for any pad if static_pad is 0.
template <class Shape, int static_pad, class T, class U>
void fill_tile(const CellField<T>& field, const LocalIndex* neighbours, const TileExtents<Shape>& extents, U* values) {
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
          U* target = values + extents.at(-pad, dy * Shape::ny + j, dz * Shape::nz + k);
          for (int i = 0; i < pad; ++i) target[i] = static_cast<U>(before[row + i]);
          for (int i = 0; i < Shape::nx; ++i) target[pad + i] = static_cast<U>(here[row + i]);
          for (int i = 0; i < pad; ++i) target[pad + Shape::nx + i] = static_cast<U>(after[row + i]);
        }
    }
  }
}

}  // namespace detail

/// Copy a block and `pad` cells of its 26 neighbours into a dense array, where the width is known at run time only or
/// the array is not a Tile.
///
/// Cells of blocks that do not exist get the field's background value.
/// \pre ghosts valid to width `pad`; 1 <= pad <= 8
template <class Shape, class T, class U>
void fill_tile(const CellField<T>& field, LocalIndex owned_block, const TileExtents<Shape>& extents, U* values) {
  const LocalIndex* neighbours = field.layout().neighbours(owned_block);
  if (extents.pad == 1) return detail::fill_tile<Shape, 1>(field, neighbours, extents, values);
  if (extents.pad == 2) return detail::fill_tile<Shape, 2>(field, neighbours, extents, values);
  if (extents.pad == 4) return detail::fill_tile<Shape, 4>(field, neighbours, extents, values);
  detail::fill_tile<Shape, 0>(field, neighbours, extents, values);
}

/// Values of the cells of a block and of `pad` cells around it, as a copy.
template <class T, class Shape, int pad>
class Tile {
 public:
  static constexpr TileExtents<Shape> extents{pad};
  static constexpr int size = extents.size();

  Tile() = default;  ///< values are undefined
  /// \pre ghosts valid to width `pad`
  template <class U>
  Tile(const CellField<U>& field, LocalIndex owned_block) {
    fill(field, owned_block);
  }
  /// Cells of blocks that do not exist get the field's background value. \pre ghosts valid to width `pad`
  template <class U>
  void fill(const CellField<U>& field, LocalIndex owned_block) {
    fill_tile(field, owned_block, extents, values_);
  }

  /// The value with an index of the extents.
  T& operator[](int n) { return values_[n]; }
  const T& operator[](int n) const { return values_[n]; }
  /// The value of the cell (i, j, k) of the block; i, j and k begin at -pad.
  const T& operator()(int i, int j, int k) const { return values_[extents.at(i, j, k)]; }
  const T& operator()(const Vec3i& cell) const { return values_[extents.at(cell)]; }
  T* data() { return values_; }
  const T* data() const { return values_; }
  T* begin() { return values_; }
  T* end() { return values_ + size; }
  const T* begin() const { return values_; }
  const T* end() const { return values_ + size; }

 private:
  T values_[size];
};

/// Values of the low faces along each axis of the cells of a Tile, as a copy: a tile for each axis, one after another.
template <class T, class Shape, int pad>
class FaceTile {
 public:
  static constexpr TileExtents<Shape> extents{pad};
  static constexpr int size = extents.size();  ///< faces of one axis

  FaceTile() = default;  ///< values are undefined
  /// \pre ghosts valid to width `pad`
  template <class U>
  FaceTile(const FaceField<U>& field, LocalIndex owned_block) {
    fill(field, owned_block);
  }
  /// \pre ghosts valid to width `pad`
  template <class U>
  void fill(const FaceField<U>& field, LocalIndex owned_block) {
    for (int d = 0; d < Shape::dim; ++d) fill_tile(field[d], owned_block, extents, (*this)[d]);
  }

  /// The faces of an axis; [d][n] is the face with index n of the extents.
  T* operator[](int d) { return values_ + d * size; }
  const T* operator[](int d) const { return values_ + d * size; }
  T* data() { return values_; }
  const T* data() const { return values_; }

 private:
  T values_[Shape::dim * size];
};

/// Collect the bits of the 3^dim cells around each cell of a block. The union for cell (i, j, k) is afterwards at the
/// place of cell (i - 1, j - 1, k - 1), in 2-D (i - 1, j - 1). Other elements are unspecified.
template <class Shape>
void collect_bits_around(const TileExtents<Shape>& extents, std::uint8_t* bits) {
  const int size = extents.size();
  for (int axis = 0; axis < Shape::dim; ++axis) {
    const int stride = extents.stride(axis);
    for (int n = 0; n + 2 * stride < size; ++n)
      bits[n] = static_cast<std::uint8_t>(bits[n] | bits[n + stride] | bits[n + 2 * stride]);
  }
}

}  // namespace freshet
