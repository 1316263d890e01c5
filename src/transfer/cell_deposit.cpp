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

/// Sums over the particles of one cell at the centres of the cell and of its neighbours: all of them reach the same
/// centres (some with weight 0), so their sums stay in registers until the last one.
template <class Shape>
class CenterSums {
 public:
  /// \param[in] t  place of a particle in the cell, 0 .. 1 along each axis
  void add(const Double4& t) {
    const Double4 zero{};
    const Double4 from_center = t - 0.5;
    const Double4 after = from_center > zero ? from_center : zero;
    const Double4 before = from_center < zero ? -from_center : zero;
    const Double4 here = 1.0 - (before + after);
    const Double4 along_x{before[0], here[0], after[0], 0.0};
    const double along_y[3] = {before[1], here[1], after[1]};
    const double along_z[3] = {before[2], here[2], after[2]};
    for (int k = 0; k < n_z; ++k) {
      const Double4 along_xz = Shape::dim == 3 ? along_x * along_z[k] : along_x;
      for (int j = 0; j < 3; ++j) sum_[k][j] += along_xz * along_y[j];
    }
  }
  /// \param[in,out] node  the node of the cell
  /// \param[in]     one   what a particle of the cell counts: over all, over the chosen
  void add_to(Double2* node, const Double2& one) const {
    using Sums = CellSums<Shape>;
    for (int k = 0; k < n_z; ++k)
      for (int j = 0; j < 3; ++j) {
        Double2* row = node + (j - 1) * Sums::nx + (Shape::dim == 3 ? k - 1 : 0) * Sums::nx * Sums::ny;
        for (int i = 0; i < 3; ++i) row[i - 1] += one * sum_[k][j][i];
      }
  }

 private:
  static constexpr int n_z = Shape::dim == 3 ? 3 : 1;
  Double4 sum_[n_z][3] = {};  ///< lanes 0 .. 2: centres along x
};

/// A cell of the block.
template <class Shape>
struct CellOf {
  int i, j, k;
  explicit CellOf(const ParticleReal* x)
      : i(static_cast<int>(x[0])), j(static_cast<int>(x[1])), k(Shape::dim == 3 ? static_cast<int>(x[2]) : 0) {}
  bool operator==(const CellOf&) const = default;
};

template <class Shape>
void splat(const ParticleReal* x, ParticleIndex n, const std::uint8_t* chosen, CellSums<Shape>& sums) {
  std::fill_n(sums.node, CellSums<Shape>::size, Double2{});
  for (ParticleIndex p = 0; p < n;) {
    const CellOf<Shape> cell(x + 3 * p);
    CenterSums<Shape> of_cell;
    do {
      of_cell.add(Double4{static_cast<double>(x[3 * p]) - cell.i, static_cast<double>(x[3 * p + 1]) - cell.j,
                          static_cast<double>(x[3 * p + 2]) - cell.k, 0.0});
      ++p;
    } while (p < n && CellOf<Shape>(x + 3 * p) == cell);
    const Double2 one{1.0, chosen[Shape::cell(cell.i, cell.j, cell.k)] != 0 ? 1.0 : 0.0};
    of_cell.add_to(&sums.node[CellSums<Shape>::at(cell.i, cell.j, cell.k)], one);
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
