// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/scratch_memory.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/border_exchange.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/transfer/lanes.hpp"
#include "freshet/transfer/moment_deposit.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace freshet {

/// Scratch memory of a thread: sums over a block's particles at the centres of its cells and of one layer of
/// cells around.
///
/// Node (i, j, k) has indices from -1 to 8; in 2-D k is 0. \tparam Node  the sums at a node
template <class Shape, class Node = double>
struct CellSums {
  static constexpr int nx = Shape::nx + 2;
  static constexpr int ny = Shape::ny + 2;
  static constexpr int nz = Shape::dim == 3 ? Shape::nz + 2 : 1;
  static constexpr int size = nx * ny * nz;
  static constexpr int at(int i, int j, int k) { return (i + 1) + nx * ((j + 1) + ny * (Shape::dim == 3 ? k + 1 : 0)); }

  alignas(64) Node node[size];
};

/// The rim: nodes outside the block. Those in the neighbour in direction t are begin[t] .. begin[t + 1] - 1.
template <class Shape>
struct CellRim {
  static constexpr int size = CellSums<Shape>::size - Shape::cells;
  std::array<int, size> source{};  ///< index of the node in CellSums
  std::array<int, size> cell{};    ///< index of the node as a cell of the neighbour
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
    int first[3] = {}, end[3] = {};  // range of the neighbour's cells
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

/// Rims of owned and ghost blocks. Owners write their rims; ghosts receive the part that lies in blocks of this rank.
/// \tparam Node  the sums at a node, which consist of doubles only
template <class Node>
class CellRimPool {
 public:
  explicit CellRimPool(std::shared_ptr<ScratchMemory> memory) : memory_(or_own(std::move(memory))) {}
  /// Take memory for the rims of a layout; for a new layout, set up the exchange. Collective.
  template <class Shape>
  void bind(const BlockLayout& layout);
  /// The rim of a block, owned or ghost, in the order of cell_rim.
  template <class Shape>
  Node* rim(LocalIndex block) {
    return values_ + static_cast<std::size_t>(block) * CellRim<Shape>::size;
  }
  /// Receive the rims of ghosts that lie in owned blocks. Collective.
  void gather() {
    const BorderExchange::Array rims(values_);
    border_->begin({&rims, 1});
    border_->end({&rims, 1});
  }

 private:
  std::uint64_t layout_id_ = 0;
  std::shared_ptr<ScratchMemory> memory_;
  Node* values_ = nullptr;
  std::unique_ptr<BorderExchange> border_;  ///< exchanges nodes
};

}  // namespace freshet
