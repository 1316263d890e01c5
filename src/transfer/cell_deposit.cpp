// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/cell_deposit.hpp"

#include "boxes.hpp"
#include "cell_rim.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <vector>

namespace freshet {

struct CellDeposit::Buffers {
  explicit Buffers(const std::shared_ptr<ScratchMemory>& memory) : rims(memory), rims_of_pairs(memory) {}
  CellRimPool<double> rims;            ///< sums over all particles
  CellRimPool<Double2> rims_of_pairs;  ///< sums over the particles in chosen cells, and over all particles
  std::vector<std::uint8_t> is_used;   ///< by owned block: 1 if it has particles
};

namespace {

/// Number of doubles at a node: 1, or 2 for a pair.
template <class Node>
constexpr int per_node = static_cast<int>(sizeof(Node) / sizeof(double));
template <class Node>
constexpr bool is_pair = per_node<Node> == 2;
double number_of(double node, int /*n*/) {
  return node;
}
double number_of(const Double2& node, int n) {
  return node[n];
}

/// The fields that receive the numbers of a node.
template <class Node>
using Fields = std::array<CellField<double>*, per_node<Node>>;

/// The place of a particle between two cell centres along one axis: cells i and i + 1, the latter with weight t.
struct Between {
  int i;
  double t;
  explicit Between(double x) : i(static_cast<int>(x + 0.5) - 1), t(x - 0.5 - i) {}  // x + 1/2 is positive
};

/// Add n particles to the sums. \param[in] chosen  by cell of the block; read for pairs only
template <class Node>
void splat(const ParticleReal* x, ParticleIndex n, const std::uint8_t* chosen, CellSums<BlockShape<2>, Node>& sums) {
  using Shape = BlockShape<2>;
  using Sums = CellSums<Shape, Node>;
  for (ParticleIndex p = 0; p < n; ++p, x += 3) {
    Node one;
    if constexpr (is_pair<Node>) {
      const bool counts = chosen[Shape::cell(static_cast<int>(x[0]), static_cast<int>(x[1]), 0)] != 0;
      one = Node{counts ? 1.0 : 0.0, 1.0};
    } else {
      one = 1.0;
    }
    const Between bx(x[0]), by(x[1]);
    Node* node = &sums.node[Sums::at(bx.i, by.i, 0)];
    node[0] += one * ((1.0 - by.t) * (1.0 - bx.t));
    node[1] += one * ((1.0 - by.t) * bx.t);
    node[Sums::nx] += one * (by.t * (1.0 - bx.t));
    node[Sums::nx + 1] += one * (by.t * bx.t);
  }
}

template <class Node>
using Plane = BoxPlane<false, false, per_node<Node>>;

/// Two planes of boxes, by parity; zero between calls. The compiler must not see that they are thread-local memory: it
/// would ask for their address, with a call, for every particle.
template <class Node>
[[gnu::noinline]] typename Plane<Node>::BoxSums* block_planes_of_thread() {
  static thread_local typename Plane<Node>::BoxSums planes[2 * Plane<Node>::size] = {};
  return planes;
}

template <class Node>
void splat(const ParticleReal* x, ParticleIndex n, const std::uint8_t* chosen, CellSums<BlockShape<3>, Node>& sums) {
  constexpr int numbers = per_node<Node>;
  constexpr int max_batch = 64;
  auto* const planes = block_planes_of_thread<Node>();
  unsigned rows[2] = {};
  const auto finish = [&](int k) {
    const int odd = k & 1;
    unsigned touched[2] = {~0U, ~0U};
    Plane<Node>::move(planes + odd * Plane<Node>::size, rows[odd], sums.node + k * Plane<Node>::node_plane, touched);
  };
  int k = 0;  // the plane of cells whose particles are being added, which reach planes k and k + 1 of boxes
  const auto go_to_plane = [&](int next) {
    finish(k);
    if (next != k + 1) finish(k + 1);
    k = next;
  };
  BoxPlaces<Lattices::centers, max_batch> at;
  const auto& along_x = at.axis[0];
  const auto& along_y = at.axis[1];
  const auto& along_z = at.axis[2];
  for (ParticleIndex first = 0; first < n; first += max_batch) {
    const int n_batch = static_cast<int>(std::min<ParticleIndex>(max_batch, n - first));
    at.load(x + 3 * first, n_batch);
    at.for_each_plane(n_batch, [&](int next, int begin, int end) {
      if (next != k) go_to_plane(next);
      for (unsigned& of_parity : rows) of_parity |= at.center_rows;
      for (int p = begin; p < end; ++p) {
        const auto in_plane =
            weights_along<0, numbers>(along_x.from_center[p]) * weights_along<1, numbers>(along_y.from_center[p]);
        const auto weights_z = weights_along<2, numbers>(along_z.from_center[p]);
        if constexpr (is_pair<Node>) {
          const auto counts = static_cast<ParticleReal>(static_cast<int>(chosen[at.cell[p]] != 0));
          add_to_box(planes[at.box[0][p]], in_plane * weights_z, with_ones(counts));
        } else {
          add_to_box(planes[at.box[0][p]], in_plane, weights_z);
        }
      }
    });
  }
  constexpr int none = -2;
  go_to_plane(none);
}

/// Subtract the contributions of some particles to cells for which they do not count.
template <class Shape, class Node>
void leave_out(const std::vector<ExtraPoint>& points, const std::uint8_t* chosen, CellSums<Shape, Node>& sums) {
  for (const ExtraPoint& point : points) {
    int cell[3] = {}, first[3] = {};
    double weight[3][2] = {{1.0, 0.0}, {1.0, 0.0}, {1.0, 0.0}};
    for (int d = 0; d < Shape::dim; ++d) {
      const Between between(point.x[d]);
      cell[d] = static_cast<int>(point.x[d]);
      first[d] = between.i;
      weight[d][0] = 1.0 - between.t;
      weight[d][1] = between.t;
    }
    Node one;
    if constexpr (is_pair<Node>) {
      one = Node{chosen[Shape::cell(cell[0], cell[1], cell[2])] != 0 ? 1.0 : 0.0, 1.0};
    } else {
      one = 1.0;
    }
    for (int k = 0; k < (Shape::dim == 3 ? 2 : 1); ++k)
      for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 2; ++i) {
          const int node[3] = {first[0] + i, first[1] + j, first[2] + k};
          const int direction = direction_index(node[0] - cell[0], node[1] - cell[1], node[2] - cell[2]);
          if ((point.cells >> direction & 1U) == 0) continue;
          sums.node[CellSums<Shape, Node>::at(node[0], node[1], node[2])] -=
              one * (weight[0][i] * weight[1][j] * weight[2][k]);
        }
  }
}

/// Copy the sums of the block's own cells to the fields, and the sums of the cells around the block to the pool.
template <class Shape, class Node>
void store(const CellSums<Shape, Node>& sums, LocalIndex b, const Fields<Node>& fields, Node* rim) {
  for (int n = 0; n < per_node<Node>; ++n) {
    double* const values = fields[static_cast<std::size_t>(n)]->block(b);
    for (int k = 0; k < Shape::nz; ++k)
      for (int j = 0; j < Shape::ny; ++j) {
        const Node* row = &sums.node[CellSums<Shape, Node>::at(0, j, k)];
        for (int i = 0; i < Shape::nx; ++i) values[Shape::cell(i, j, k)] = number_of(row[i], n);
      }
  }
  for (int n = 0; n < CellRim<Shape>::size; ++n) rim[n] = sums.node[cell_rim<Shape>.source[n]];
}

/// Add the sums of the neighbours' particles to a block, in order of direction.
template <class Shape, class Node>
void add_rims(const BlockLayout& layout, LocalIndex b, const std::vector<std::uint8_t>& is_used,
              CellRimPool<Node>& rims, const Fields<Node>& fields) {
  constexpr const CellRim<Shape>& rim = cell_rim<Shape>;
  for (int t = 0; t < n_directions; ++t) {
    const LocalIndex neighbour = layout.neighbours(b)[t];
    if (t == self_direction || neighbour == layout.background()) continue;
    if (neighbour < layout.n_owned() && is_used[static_cast<std::size_t>(neighbour)] == 0) continue;
    const int back = n_directions - 1 - t;  // the direction from the neighbour to the block
    const Node* node = rims.template rim<Shape>(neighbour);
    for (int n = 0; n < per_node<Node>; ++n) {
      double* const values = fields[static_cast<std::size_t>(n)]->block(b);
      for (int r = rim.begin[back]; r < rim.begin[back + 1]; ++r) values[rim.cell[r]] += number_of(node[r], n);
    }
  }
}

/// Sum the particles of all blocks. \param[in] chosen  read for pairs only, else null
template <class Node>
void deposit(const ParticleStore& particles, const ExtraPoints& left_out, const CellField<std::uint8_t>* chosen,
             CellRimPool<Node>& rims, std::vector<std::uint8_t>& is_used, const Fields<Node>& fields) {
  const BlockLayout& layout = fields[0]->layout();
  FRESHET_EXPECT(particles.block_begin().size() == static_cast<std::size_t>(layout.n_owned()) + 1);
  is_used.resize(static_cast<std::size_t>(layout.n_owned()));
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    rims.template bind<Shape>(layout);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const ParticleIndex begin = particles.block_begin()[b];
      const ParticleIndex n = particles.block_begin()[b + 1] - begin;
      is_used[static_cast<std::size_t>(b)] = n > 0 ? 1 : 0;
      if (n == 0) {
        for (CellField<double>* field : fields) std::fill_n(field->block(b), Shape::cells, 0.0);
        if (layout.touches_ghosts(b)) std::fill_n(rims.template rim<Shape>(b), CellRim<Shape>::size, Node{});
        return;
      }
      CellSums<Shape, Node> sums;
      std::fill_n(sums.node, CellSums<Shape, Node>::size, Node{});
      const std::uint8_t* chosen_cells = chosen != nullptr ? chosen->block(b) : nullptr;
      splat(particles.position() + 3 * begin, n, chosen_cells, sums);
      if (!left_out.empty()) leave_out<Shape>(left_out[static_cast<std::size_t>(b)], chosen_cells, sums);
      store(sums, b, fields, rims.template rim<Shape>(b));
    });
    rims.gather();
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) { add_rims<Shape>(layout, b, is_used, rims, fields); });
  });
}

}  // namespace

CellDeposit::CellDeposit(std::shared_ptr<ScratchMemory> memory)
    : buffers_(std::make_unique<Buffers>(or_own(std::move(memory)))) {}
CellDeposit::~CellDeposit() = default;

void CellDeposit::operator()(const ParticleStore& particles, const ExtraPoints& left_out, CellField<double>& all) {
  deposit(particles, left_out, nullptr, buffers_->rims, buffers_->is_used, {&all});
}

void CellDeposit::operator()(const ParticleStore& particles, const ExtraPoints& left_out,
                             const CellField<std::uint8_t>& chosen, CellField<double>& all,
                             CellField<double>& of_chosen) {
  FRESHET_EXPECT(all.is_bound_to(chosen.layout()) && of_chosen.is_bound_to(chosen.layout()));
  deposit(particles, left_out, &chosen, buffers_->rims_of_pairs, buffers_->is_used, {&of_chosen, &all});
}

}  // namespace freshet
