// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/cell_deposit.hpp"

#include "boxes.hpp"
#include "cell_rim.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"

#include <algorithm>

namespace freshet {

struct CellDeposit::Buffers {
  CellRimPool<Double2> rims;
};

namespace {

/// The place of a particle between two cell centres along one axis: cells i and i + 1, the latter with weight t.
struct Between {
  int i;
  double t;
  explicit Between(double x) : i(static_cast<int>(x + 0.5) - 1), t(x - 0.5 - i) {}  // x + 1/2 is positive
};

void splat(const ParticleReal* x, ParticleIndex n, const std::uint8_t* chosen, CellSums<BlockShape<2>>& sums) {
  using Shape = BlockShape<2>;
  using Sums = CellSums<Shape>;
  std::fill_n(sums.node, Sums::size, Double2{});
  for (ParticleIndex p = 0; p < n; ++p, x += 3) {
    const Double2 one{chosen[Shape::cell(static_cast<int>(x[0]), static_cast<int>(x[1]), 0)] != 0 ? 1.0 : 0.0, 1.0};
    const Between bx(x[0]), by(x[1]);
    Double2* node = &sums.node[Sums::at(bx.i, by.i, 0)];
    node[0] += one * ((1.0 - by.t) * (1.0 - bx.t));
    node[1] += one * ((1.0 - by.t) * bx.t);
    node[Sums::nx] += one * (by.t * (1.0 - bx.t));
    node[Sums::nx + 1] += one * (by.t * bx.t);
  }
}

using Plane = BoxPlane<false, false>;

/// Two planes of boxes, by parity; zero between calls. The compiler must not see that they are thread-local memory: it
/// would ask for their address, with a call, for every particle.
[[gnu::noinline]] BoxSums* block_planes_of_thread() {
  static thread_local BoxSums planes[2 * Plane::size] = {};
  return planes;
}

void splat(const ParticleReal* x, ParticleIndex n, const std::uint8_t* chosen, CellSums<BlockShape<3>>& sums) {
  using Sums = CellSums<BlockShape<3>>;
  constexpr int max_batch = 64;
  BoxSums* const planes = block_planes_of_thread();
  unsigned rows[2] = {};
  std::fill_n(sums.node, Sums::size, Double2{});
  const auto finish = [&](int k) {
    const int odd = k & 1;
    unsigned touched[2] = {~0U, ~0U};
    Plane::move(planes + odd * Plane::size, rows[odd], sums.node + k * Plane::node_plane, touched);
  };
  int k = 0;  // the plane of cells whose particles are being added; they reach planes k and k + 1 of boxes
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
        const BoxVector weights = weights_along_x(along_x.from_center[p]) * weights_along_y(along_y.from_center[p]) *
                                  weights_along_z(along_z.from_center[p]);
        const auto counts = static_cast<ParticleReal>(static_cast<int>(chosen[at.cell[p]] != 0));
        add_to_box(planes[at.box[0][p]], weights, with_ones(counts));
      }
    });
  }
  constexpr int none = -2;
  go_to_plane(none);
}

/// Copy the sums of the block's own cells to the fields, and those of the cells around it to the pool.
template <class Shape>
void store(const CellSums<Shape>& sums, double* all, double* of_chosen, Double2* rim) {
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j)
      for (int i = 0; i < Shape::nx; ++i) {
        const Double2& node = sums.node[CellSums<Shape>::at(i, j, k)];
        all[Shape::cell(i, j, k)] = node[1];
        of_chosen[Shape::cell(i, j, k)] = node[0];
      }
  for (int n = 0; n < CellRim<Shape>::size; ++n) rim[n] = sums.node[cell_rim<Shape>.source[n]];
}

/// Add to a block the sums of its neighbours' particles, in order of direction.
template <class Shape>
void add_rims(const BlockLayout& layout, LocalIndex b, CellRimPool<Double2>& rims, double* all, double* of_chosen) {
  constexpr const CellRim<Shape>& rim = cell_rim<Shape>;
  for (int t = 0; t < n_directions; ++t) {
    const LocalIndex neighbour = layout.neighbours(b)[t];
    if (t == self_direction || neighbour == layout.background()) continue;
    const int back = n_directions - 1 - t;  // from the neighbour to the block
    const Double2* values = rims.rim<Shape>(neighbour);
    for (int n = rim.begin[back]; n < rim.begin[back + 1]; ++n) {
      all[rim.cell[n]] += values[n][1];
      of_chosen[rim.cell[n]] += values[n][0];
    }
  }
}

}  // namespace

CellDeposit::CellDeposit() : buffers_(std::make_unique<Buffers>()) {}
CellDeposit::~CellDeposit() = default;

void CellDeposit::operator()(const ParticleStore& particles, const CellField<std::uint8_t>& chosen,
                             CellField<double>& all, CellField<double>& of_chosen) {
  const BlockLayout& layout = chosen.layout();
  FRESHET_EXPECT(all.is_bound_to(layout) && of_chosen.is_bound_to(layout));
  FRESHET_EXPECT(particles.block_begin().size() == static_cast<std::size_t>(layout.n_owned()) + 1);
  CellRimPool<Double2>& rims = buffers_->rims;
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    rims.bind<Shape>(layout);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const ParticleIndex begin = particles.block_begin()[b];
      CellSums<Shape> sums;
      splat(particles.position() + 3 * begin, particles.block_begin()[b + 1] - begin, chosen.block(b), sums);
      store(sums, all.block(b), of_chosen.block(b), rims.rim<Shape>(b));
    });
    rims.gather();
    parallel_for_blocks(layout.n_owned(),
                        [&](LocalIndex b) { add_rims<Shape>(layout, b, rims, all.block(b), of_chosen.block(b)); });
  });
}

}  // namespace freshet
