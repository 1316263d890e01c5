// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/layout.hpp"
#include "splat.hpp"

#include <array>

/// The rim: nodes of SplatSums outside the block, grouped by the neighbour in which they lie.
///
/// A row of the rim holds 8 momenta, then 8 weights, of consecutive nodes along an axis; the row of a corner has one
/// node. Component d has no sums in the layer before the block along d: neighbours there get no row of it.
namespace freshet {

constexpr int rim_row_size = 2 * block_width;  ///< numbers of a row

/// The places of a row's nodes: in the sums of their block, and in the neighbour that contains them.
struct RimRow {
  int source = 0;
  int source_stride = 0;
  int cell = 0;
  int cell_stride = 0;
  int n = 0;
  int axis = 3;             ///< axis along which the nodes are consecutive; 3: a corner
  int first_z = 0;          ///< plane of SplatSums::touched that holds the nodes, or the first of them
  int first_bit = 0;        ///< bit of the nodes, or of the first of them, in that plane
  std::uint64_t cells = 0;  ///< rows of cells that contain the nodes, bit j + 8 k
};

/// The rows of component d that lie in the neighbour in direction t: begin[t] <= row < begin[t + 1].
template <class Shape>
struct RimRows {
  static constexpr int n_rows = Shape::dim == 3 ? 52 : 5;
  std::array<RimRow, n_rows> row{};
  std::array<int, n_directions + 1> begin{};
};

/// Append the rows that lie in the neighbour at `offset`.
template <class Shape>
constexpr void append_rim_rows(const int (&offset)[3], RimRows<Shape>& rows, int& n) {
  using Sums = SplatSums<Shape>;
  int along = 3;  // axis of the rows; 3: a corner
  int source[3] = {}, cell[3] = {}, n_across[3] = {1, 1, 1};
  for (int axis = Shape::dim - 1; axis >= 0; --axis) {
    source[axis] = offset[axis] < 0 ? -1 : offset[axis] * Shape::n(axis);
    cell[axis] = offset[axis] < 0 ? Shape::n(axis) - 1 : 0;
    if (offset[axis] != 0) continue;
    n_across[axis] = Shape::n(axis);
    along = axis;
  }
  RimRow row;
  row.n = 1;
  if (along < 3) {
    row.n = n_across[along];
    row.source_stride = Sums::stride(along);
    row.cell_stride = Shape::stride(along);
    n_across[along] = 1;
  }
  for (int k = 0; k < n_across[2]; ++k)
    for (int j = 0; j < n_across[1]; ++j) {
      row.source = Sums::at(source[0], source[1] + j, source[2] + k);
      row.cell = Shape::cell(cell[0], cell[1] + j, cell[2] + k);
      row.first_bit = source[1] + j + 1;
      row.first_z = Shape::dim == 3 ? source[2] + k + 1 : 0;
      row.axis = along;
      row.cells = 0;
      for (int m = 0; m < row.n; ++m) row.cells |= std::uint64_t{1} << (row.cell + m * row.cell_stride) / Shape::nx;
      rows.row[n++] = row;
    }
}

template <class Shape>
constexpr RimRows<Shape> make_rim_rows(int d) {
  RimRows<Shape> rows;
  int n = 0;
  for (int t = 0; t < n_directions; ++t) {
    rows.begin[t] = n;
    const int offset[3] = {t % 3 - 1, t / 3 % 3 - 1, t / 9 - 1};
    if (t == self_direction || offset[d] < 0 || (Shape::dim == 2 && offset[2] != 0)) continue;
    append_rim_rows(offset, rows, n);
  }
  rows.begin[n_directions] = n;
  return rows;
}

/// Bit n is set if the sums of node n of a row are defined; else they count as zero.
template <class Shape>
unsigned defined_nodes(const SplatSums<Shape>& sums, int d, const RimRow& row) {
  const unsigned* touched = &sums.touched[d][row.first_z];
  const unsigned every = (1U << row.n) - 1;
  if (row.axis == 1) return *touched >> row.first_bit & every;
  if (row.axis != 2) return (*touched >> row.first_bit & 1U) != 0 ? every : 0U;
  unsigned defined = 0;
  for (int n = 0; n < row.n; ++n) defined |= (touched[n] >> row.first_bit & 1U) << n;
  return defined;
}

/// The rows of each component; the third component has none in 2-D.
template <class Shape>
constexpr std::array<RimRows<Shape>, 3> rim_rows{make_rim_rows<Shape>(0), make_rim_rows<Shape>(1),
                                                 Shape::dim == 3 ? make_rim_rows<Shape>(2) : RimRows<Shape>{}};

/// Number of rows of all components of a block; component d starts at row d * RimRows::n_rows.
template <class Shape>
constexpr int rim_rows_per_block = Shape::dim* RimRows<Shape>::n_rows;

}  // namespace freshet
