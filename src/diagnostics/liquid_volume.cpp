// SPDX-License-Identifier: Apache-2.0
#include "freshet/diagnostics/liquid_volume.hpp"

#include "freshet/fluid/inner_cells.hpp"
#include "freshet/grid/block_shape.hpp"

#include <algorithm>

namespace freshet {
namespace {

/// The volume of the liquid in a block, in cells.
template <class Shape>
double open_inner_cells(const BlockLayout& layout, const SolidFields& solids, LocalIndex b, const std::uint8_t* inner) {
  const PaddedExtents<Shape> extents(1);
  double open[(Shape::nx + 2) * (Shape::ny + 2) * (Shape::dim == 3 ? Shape::nz + 2 : 1)];
  find_open_parts(layout, solids, b, extents, open);
  double sum = 0.0;
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j)
      for (int i = 0; i < Shape::nx; ++i)
        if (inner[Shape::cell(i, j, k)] != 0) sum += open[extents.at(i, j, k)];
  return sum;
}

template <class Shape>
ParticleIndex count_outside(const ParticleReal* x, ParticleIndex n, const std::uint8_t* inner) {
  ParticleIndex outside = 0;
  for (ParticleIndex p = 0; p < n; ++p, x += 3) {
    const int k = Shape::dim == 3 ? static_cast<int>(x[2]) : 0;
    outside += inner[Shape::cell(static_cast<int>(x[0]), static_cast<int>(x[1]), k)] == 0 ? 1 : 0;
  }
  return outside;
}

}  // namespace

ExactSum liquid_volume_here(const ParticleStore& particles, const LabelField& labels, const SolidFields& solids,
                            const CellField<std::uint8_t>& inner, int per_cell) {
  const BlockLayout& layout = labels.layout();
  const LocalIndex n_owned = layout.n_owned();
  ExactSum total;
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
#pragma omp parallel
    {
      ExactSum part;
#pragma omp for schedule(static)
      for (LocalIndex b = 0; b < n_owned; ++b) {
        const ParticleIndex begin = particles.block_begin()[b];
        const ParticleIndex n = particles.block_begin()[b + 1] - begin;
        if (n == 0) continue;  // a block without particles has no liquid
        const std::uint8_t* marks = inner.block(b);
        const bool any_outside = std::find(marks, marks + Shape::cells, std::uint8_t{0}) != marks + Shape::cells;
        const ParticleIndex outside =
            any_outside ? count_outside<Shape>(particles.position() + 3 * begin, n, marks) : ParticleIndex{0};
        part.add(open_inner_cells<Shape>(layout, solids, b, marks) + static_cast<double>(outside) / per_cell);
      }
#pragma omp critical(freshet_liquid_volume)
      total.add(part);
    }
  });
  return total;
}

}  // namespace freshet
