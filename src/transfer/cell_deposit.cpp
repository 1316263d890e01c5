// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/cell_deposit.hpp"

#include "cell_rim.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"

#include <algorithm>

namespace freshet {

struct CellDeposit::Buffers {
  CellRimPool rims;
};

namespace {

/// The place of a particle between two cell centres along one axis: cells i and i + 1, the latter with weight t.
struct Between {
  int i;
  double t;
  explicit Between(double x) : i(static_cast<int>(x + 0.5) - 1), t(x - 0.5 - i) {}  // x + 1/2 is positive
};

template <class Shape>
void splat(const ParticleReal* x, ParticleIndex n, const std::uint8_t* chosen, CellSums<Shape>& sums) {
  using Sums = CellSums<Shape>;
  std::fill_n(sums.node, Sums::size, Double2{});
  for (ParticleIndex p = 0; p < n; ++p, x += 3) {
    const int k_cell = Shape::dim == 3 ? static_cast<int>(x[2]) : 0;
    const int cell = Shape::cell(static_cast<int>(x[0]), static_cast<int>(x[1]), k_cell);
    const Double2 one{1.0, chosen[cell] != 0 ? 1.0 : 0.0};
    const Between bx(x[0]), by(x[1]), bz(x[2]);
    Double2* node = &sums.node[Sums::at(bx.i, by.i, bz.i)];
    const auto add_row = [&](Double2* row, double weight) {
      row[0] += one * (weight * (1.0 - bx.t));
      row[1] += one * (weight * bx.t);
    };
    const auto add_plane = [&](Double2* plane, double weight) {
      add_row(plane, weight * (1.0 - by.t));
      add_row(plane + Sums::nx, weight * by.t);
    };
    if constexpr (Shape::dim == 2) {
      add_plane(node, 1.0);
    } else {
      add_plane(node, 1.0 - bz.t);
      add_plane(node + Sums::nx * Sums::ny, bz.t);
    }
  }
}

/// Copy the sums of the block's own cells to the fields, and those of the cells around it to the pool.
template <class Shape>
void store(const CellSums<Shape>& sums, double* all, double* of_chosen, Double2* rim) {
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j)
      for (int i = 0; i < Shape::nx; ++i) {
        const Double2& node = sums.node[CellSums<Shape>::at(i, j, k)];
        all[Shape::cell(i, j, k)] = node[0];
        of_chosen[Shape::cell(i, j, k)] = node[1];
      }
  for (int n = 0; n < CellRim<Shape>::size; ++n) rim[n] = sums.node[cell_rim<Shape>.source[n]];
}

/// Add to a block the sums of its neighbours' particles, in order of direction.
template <class Shape>
void add_rims(const BlockLayout& layout, LocalIndex b, CellRimPool& rims, double* all, double* of_chosen) {
  constexpr const CellRim<Shape>& rim = cell_rim<Shape>;
  for (int t = 0; t < n_directions; ++t) {
    const LocalIndex neighbour = layout.neighbours(b)[t];
    if (t == self_direction || neighbour == layout.background()) continue;
    const int back = n_directions - 1 - t;  // from the neighbour to the block
    const Double2* values = rims.rim<Shape>(neighbour);
    for (int n = rim.begin[back]; n < rim.begin[back + 1]; ++n) {
      all[rim.cell[n]] += values[n][0];
      of_chosen[rim.cell[n]] += values[n][1];
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
  CellRimPool& rims = buffers_->rims;
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
