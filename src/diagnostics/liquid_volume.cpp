// SPDX-License-Identifier: Apache-2.0
#include "freshet/diagnostics/liquid_volume.hpp"

#include "freshet/core/contracts.hpp"
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

/// Number of particles of a block in cells that are not inner ones.
template <class Shape>
ParticleIndex count_outside(const std::uint32_t* cell_begin, const std::uint8_t* inner) {
  std::uint32_t outside = 0;
  for (int c = 0; c < Shape::cells; ++c) outside += inner[c] == 0 ? cell_begin[c + 1] - cell_begin[c] : 0;
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
    FRESHET_EXPECT(particles.cell_begin().size() == static_cast<std::size_t>(n_owned) * Shape::cells + 1);
    const std::uint32_t* const cell_begin = particles.cell_begin().data();
#pragma omp parallel
    {
      ExactSum part;
#pragma omp for schedule(static)
      for (LocalIndex b = 0; b < n_owned; ++b) {
        const ParticleIndex begin = particles.block_begin()[b];
        if (particles.block_begin()[b + 1] == begin) continue;  // a block without particles has no liquid
        const std::uint8_t* marks = inner.block(b);
        const ParticleIndex outside =
            count_outside<Shape>(cell_begin + static_cast<std::size_t>(b) * Shape::cells, marks);
        part.add(open_inner_cells<Shape>(layout, solids, b, marks) + static_cast<double>(outside) / per_cell);
      }
#pragma omp critical(freshet_liquid_volume)
      total.add(part);
    }
  });
  return total;
}

}  // namespace freshet
