// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/parallel/contiguous_type.hpp"
#include "freshet/parallel/star_forest.hpp"
#include "freshet/transfer/lanes.hpp"

#include <array>
#include <memory>
#include <vector>

namespace freshet {

/// Sums of a block's particles on the centres of its cells and of one rim around: what a thread works in.
///
/// Node (i, j, k), each from -1 to 8: { over all, over chosen }; in 2-D there is no rim along z.
template <class Shape>
struct CellSums {
  static constexpr int nx = Shape::nx + 2;
  static constexpr int ny = Shape::ny + 2;
  static constexpr int nz = Shape::dim == 3 ? Shape::nz + 2 : 1;
  static constexpr int size = nx * ny * nz;
  static constexpr int at(int i, int j, int k) { return (i + 1) + nx * ((j + 1) + ny * (Shape::dim == 3 ? k + 1 : 0)); }

  alignas(64) Double2 node[size];
};

/// The rim: nodes outside the block, those in the neighbour in direction t from begin[t] to begin[t + 1].
template <class Shape>
struct CellRim {
  static constexpr int size = CellSums<Shape>::size - Shape::cells;
  std::array<int, size> source{};  ///< node of the sums
  std::array<int, size> cell{};    ///< the same in the neighbour
  std::array<int, n_directions + 1> begin{};
};

template <class Shape>
constexpr CellRim<Shape> make_cell_rim() {
  CellRim<Shape> rim;
  int n = 0;
  for (int t = 0; t < n_directions; ++t) {
    rim.begin[t] = n;
    const int offset[3] = {t % 3 - 1, t / 3 % 3 - 1, t / 9 - 1};
    if (t == self_direction || (Shape::dim == 2 && offset[2] != 0)) continue;
    int first[3] = {}, end[3] = {};  // in the neighbour's cells
    for (int axis = 0; axis < 3; ++axis) {
      first[axis] = offset[axis] < 0 ? Shape::n(axis) - 1 : 0;
      end[axis] = offset[axis] > 0 ? 1 : Shape::n(axis);
    }
    for (int k = first[2]; k < end[2]; ++k)
      for (int j = first[1]; j < end[1]; ++j)
        for (int i = first[0]; i < end[0]; ++i, ++n) {
          rim.source[n] =
              CellSums<Shape>::at(i + offset[0] * Shape::nx, j + offset[1] * Shape::ny, k + offset[2] * Shape::nz);
          rim.cell[n] = Shape::cell(i, j, k);
        }
  }
  rim.begin[n_directions] = n;
  return rim;
}

template <class Shape>
constexpr CellRim<Shape> cell_rim = make_cell_rim<Shape>();

/// Rims of owned and ghost blocks: owners write theirs, ghosts get what concerns blocks of this rank.
class CellRimPool {
 public:
  /// Make room for a layout's rims; find who needs which if the layout is a new one. Collective.
  template <class Shape>
  void bind(const BlockLayout& layout);
  /// The rim of a block, owned or ghost, in the order of cell_rim.
  template <class Shape>
  Double2* rim(LocalIndex block) {
    return values_.data() + static_cast<std::size_t>(block) * CellRim<Shape>::size;
  }
  /// Fetch what ghosts have in owned blocks. Collective.
  void gather() { forest_->broadcast(type_.raw(), values_.data(), values_.data()); }

 private:
  ContiguousType type_{MPI_DOUBLE, 2};
  std::uint64_t layout_id_ = 0;
  TrackedVector<Double2, MemoryKind::scratch> values_;
  std::unique_ptr<StarForest> forest_;  ///< element: one node
};

}  // namespace freshet
