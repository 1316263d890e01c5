// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/real_lanes.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/transfer/lanes.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

/// Sums by box, for trilinear weights in 3-D.
///
/// A box is the space between eight neighbouring nodes of one lattice: the faces of a component, or the cell centres. A
/// particle reaches the nodes of its box only. So each box sums the contributions of its particles to its eight
/// corners, in 8 or 16 adjacent numbers: a particle adds one whole vector without a branch, wherever it lies and
/// whatever lies before it. Corners of neighbouring boxes that are the same node are added up once for each plane of
/// boxes, not for each cell.
///
/// The sums of a box are particle reals: sums of a few weights, each as accurate as positions and velocities. Sums of
/// boxes are doubles.
namespace freshet {

template <class Number, int n>
struct VectorOf {
  using Type [[gnu::vector_size(n * sizeof(Number))]] = Number;
};

/// The numbers of a node and the vectors of the kernels. A node has two numbers, the sum of the weighted values and the
/// sum of the weights, or only the latter.
template <int per_node>
struct BoxOf {
  /// Count of the numbers of a box: those at the corners at low x, then those at high x. Each half holds the numbers of
  /// the nodes at low y and then at high y, for each of these at low z and then at high z.
  static constexpr int numbers = 8 * per_node;
  using Vector = typename VectorOf<ParticleReal, numbers>::Type;
  using Side = typename VectorOf<double, 4 * per_node>::Type;  ///< numbers of four corners with the same x
  using Edge = typename VectorOf<double, 2 * per_node>::Type;  ///< numbers of two of these corners with the same y
  using Node = std::conditional_t<per_node == 1, double, Double2>;

  /// The sums at the corners of one box.
  struct Sums {
    alignas(numbers * sizeof(ParticleReal)) ParticleReal number[numbers];
  };

  [[gnu::always_inline]] static Edge low_y(const Side& side) { return half<0>(side, OfEdge{}); }
  [[gnu::always_inline]] static Edge high_y(const Side& side) { return half<2 * per_node>(side, OfEdge{}); }
  [[gnu::always_inline]] static Node low_z(const Edge& edge) { return corner<0>(edge); }
  [[gnu::always_inline]] static Node high_z(const Edge& edge) { return corner<per_node>(edge); }

 private:
  using OfEdge = std::make_index_sequence<2 * per_node>;
  template <int first, std::size_t... n>
  [[gnu::always_inline]] static Edge half(const Side& side, std::index_sequence<n...>) {
    return __builtin_shufflevector(side, side, (first + n)...);
  }
  template <int first>
  [[gnu::always_inline]] static Node corner(const Edge& edge) {
    if constexpr (per_node == 1) return edge[first];
    if constexpr (per_node == 2) return Double2{edge[first], edge[first + 1]};
  }
};

/// One plane of boxes normal to z. Along x and along y the nodes are the lattice's faces or cell centres.
///
/// Along an axis of faces box i reaches from face i to face i + 1; along an axis of centres box i reaches from the
/// centre of cell i - 1 to the centre of cell i.
/// \tparam per_node  numbers of a node
template <bool faces_along_x, bool faces_along_y, int per_node = 2>
struct BoxPlane {
  using Of = BoxOf<per_node>;
  using Node = typename Of::Node;
  using BoxSums = typename Of::Sums;
  static constexpr int nx = faces_along_x ? block_width : block_width + 1;
  static constexpr int ny = faces_along_y ? block_width : block_width + 1;
  static constexpr int first_x = faces_along_x ? 0 : -1;  ///< index of the node at low x of box 0
  static constexpr int first_y = faces_along_y ? 0 : -1;

  static constexpr int size = nx * ny;
  static constexpr int node_row = block_width + 2;
  static constexpr int node_plane = node_row * node_row;

  /// Add the sums to nodes and set them to zero.
  /// \param[in,out] box      the plane's boxes, x fastest
  /// \param[in,out] rows     bit j: row j of boxes may differ from zero
  /// \param[in,out] nodes    the plane of nodes at low z, from node (-1, -1), 10 nodes a row; the next plane follows
  /// \param[in,out] touched  for both planes, bit j: row j - 1 of nodes is defined, else it counts as zero
  static void move(BoxSums* box, unsigned& rows, Node* nodes, unsigned* touched) {
    using Side = typename Of::Side;
    using Edge = typename Of::Edge;
    if (rows == 0) return;
    Edge at_high_y[nx + 1] = {};  // sums of the last row of boxes, at low z and at high z
    bool is_pending = false;
    for (int j = 0; j <= ny; ++j) {
      const bool has_boxes = (rows >> j & 1U) != 0;
      if (!has_boxes && !is_pending) continue;
      const int node_j = j + 1 + first_y;
      Node* low_z = nodes + node_j * node_row;
      for (int z = 0; z < 2; ++z) {
        if ((touched[z] >> node_j & 1U) == 0) std::fill_n(low_z + z * node_plane, node_row, Node{});
        touched[z] |= 1U << node_j;
      }
      low_z += 1 + first_x;
      Node* high_z = low_z + node_plane;
      if (!has_boxes) {
        for (int i = 0; i <= nx; ++i) {
          low_z[i] += Of::low_z(at_high_y[i]);
          high_z[i] += Of::high_z(at_high_y[i]);
          at_high_y[i] = Edge{};
        }
        is_pending = false;
        continue;
      }
      BoxSums* const row = box + j * nx;
      const Side zero{};
      Side at_low_x = zero;  // sums of the box before
      for (int i = 0; i <= nx; ++i) {
        Side sum = at_low_x;
        if (i < nx) {
          sum += load<Side>(row[i].number);
          at_low_x = load<Side>(row[i].number + Of::numbers / 2);
          row[i] = BoxSums{};
        }
        const Edge low_y = at_high_y[i] + Of::low_y(sum);
        low_z[i] += Of::low_z(low_y);
        high_z[i] += Of::high_z(low_y);
        at_high_y[i] = Of::high_y(sum);
      }
      is_pending = true;
    }
    rows = 0;
  }
};

namespace detail {

/// 1 - t in the lanes of corners at the low side of an axis, t in the others; the side changes every `stride` lanes.
template <int stride, class Vector, std::size_t... lane>
[[gnu::always_inline]] inline Vector alternate(ParticleReal t, std::index_sequence<lane...>) {
  return Vector{(lane / stride % 2 == 0 ? ParticleReal(1) : ParticleReal(0))...} +
         t * Vector{(lane / stride % 2 == 0 ? ParticleReal(-1) : ParticleReal(1))...};
}

}  // namespace detail

/// Weights of the corners along an axis, in the lanes of a box. \param[in] t  distance from the low side, 0 .. 1
template <int axis, int per_node = 2>
[[gnu::always_inline]] inline typename BoxOf<per_node>::Vector weights_along(ParticleReal t) {
  constexpr int stride = per_node * (axis == 0 ? 4 : axis == 1 ? 2 : 1);
  return detail::alternate<stride, typename BoxOf<per_node>::Vector>(t, std::make_index_sequence<8 * per_node>{});
}

/// { number, 1 } in every pair of lanes.
[[gnu::always_inline]] inline BoxOf<2>::Vector with_ones(ParticleReal number) {
  using Vector = BoxOf<2>::Vector;
  return Vector{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1} +
         number * Vector{1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0};
}

/// Add a particle's weights at the corners, times the weighted numbers.
template <class Sums, class Vector>
[[gnu::always_inline]] inline void add_to_box(Sums& box, const Vector& weights, const Vector& weighted) {
  Vector sum;
  static_assert(sizeof sum == sizeof box.number);
  std::memcpy(&sum, box.number, sizeof sum);
  sum += weights * weighted;
  std::memcpy(box.number, &sum, sizeof sum);
}

/// The nodes that particles are added to.
enum class Lattices {
  faces,    ///< faces of the three components
  centers,  ///< cell centres
};

/// The places of up to `size` particles of a block, axis by axis.
template <Lattices lattices, int size>
struct BoxPlaces {
  /// Distances along one axis from the low face of the cell, and from the next lower centre. [cells]
  struct Axis {
    ParticleReal from_face[size], from_center[size];
  };
  alignas(64) Axis axis[3];  ///< from_face is set for faces only
  std::uint32_t cell[size];  ///< cell in the block
  /// Index of the particle's box, from the start of the planes of each lattice. A lattice that has centres along z has
  /// two planes, for even and for odd numbers of boxes along z.
  std::uint32_t box[lattices == Lattices::faces ? 3 : 1][size];
  unsigned cell_rows = 0, center_rows = 0;  ///< bit j: a particle lies in row j of cells, of boxes

  /// \param[in] x  relative to the block, in [0, 8) [cells]
  void load(const ParticleReal* x, int n) {
    using Real = ParticleReal;
    using Vector = Lanes<Real>;
    using Numbers = LaneIndices<Real>;
    constexpr int width = n_lanes<Real>;
    static_assert(size % width == 0);
    constexpr int n_c = block_width + 1;
    Numbers in_cells{}, in_boxes{};
    const Numbers one = Numbers{} + 1;
    const auto save = [](const auto& lanes, auto* target) { std::memcpy(target, &lanes, sizeof(lanes)); };
    for (int p = 0; p < n; p += width) {
      const ParticleReal* from = x + 3 * static_cast<std::ptrdiff_t>(p);
      const LaneTriple<Real> at = p + width <= n ? load_triples<Real>(from) : load_last_triples<Real>(from, n - p);
      Numbers of_cell[3], of_box[3];
      for (int d = 0; d < 3; ++d) {
        const Vector raised = at[d] + Real(0.5);
        of_cell[d] = convert<Numbers>(at[d]);
        of_box[d] = convert<Numbers>(raised);
        if (lattices == Lattices::faces) save(at[d] - convert<Vector>(of_cell[d]), axis[d].from_face + p);
        save(raised - convert<Vector>(of_box[d]), axis[d].from_center + p);
      }
      save((of_cell[2] * block_width + of_cell[1]) * block_width + of_cell[0], cell + p);
      const Numbers odd = of_box[2] & 1;
      if constexpr (lattices == Lattices::faces) {
        save((odd * n_c + of_box[1]) * block_width + of_cell[0], box[0] + p);
        save((odd * block_width + of_cell[1]) * n_c + of_box[0], box[1] + p);
        save(of_box[1] * n_c + of_box[0], box[2] + p);
      } else {
        save((odd * n_c + of_box[1]) * n_c + of_box[0], box[0] + p);
      }
      in_cells |= one << of_cell[1];
      in_boxes |= one << of_box[1];
    }
    cell_rows = center_rows = 0;
    for (int lane = 0; lane < width; ++lane) {
      cell_rows |= static_cast<unsigned>(in_cells[lane]);
      center_rows |= static_cast<unsigned>(in_boxes[lane]);
    }
  }

  /// Call f(k, begin, end) for each run of the n particles that lies in one plane k of cells.
  template <class Function>
  void for_each_plane(int n, Function f) const {
    constexpr unsigned per_plane = block_width * block_width;
    for (int begin = 0, end = 0; begin < n; begin = end) {
      const unsigned k = cell[begin] / per_plane;
      for (end = begin + 1; end < n && cell[end] / per_plane == k;) ++end;
      f(static_cast<int>(k), begin, end);
    }
  }
};

}  // namespace freshet
