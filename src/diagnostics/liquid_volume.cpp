// SPDX-License-Identifier: Apache-2.0
#include "freshet/diagnostics/liquid_volume.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/fluid/below_core.hpp"
#include "freshet/fluid/inner_cells.hpp"
#include "freshet/grid/block_shape.hpp"

#include <algorithm>

namespace freshet {
namespace {

/// Volume of liquid in the inner cells of a block. [cells]
template <class Shape>
double open_inner_cells(const LabelField& labels, const SolidFields& solids, LocalIndex b, const std::uint8_t* inner) {
  double full[Shape::cells];
  find_full_parts<Shape>(labels, solids, b, full);
  double sum = 0.0;
  for (int c = 0; c < Shape::cells; ++c)
    if (inner[c] != 0) sum += full[c];
  return sum;
}

/// Count the particles of a block outside of inner cells; a cell counts at most `densest` times those of a full cell.
template <class Shape>
ParticleIndex count_outside(const std::uint32_t* cell_begin, const std::uint8_t* inner, int per_cell) {
  constexpr std::uint32_t densest = 2;  // spray, and cells beside the surface, may be denser than liquid by chance
  const std::uint32_t most = densest * static_cast<std::uint32_t>(per_cell);
  std::uint32_t outside = 0;
  for (int c = 0; c < Shape::cells; ++c) {
    const std::uint32_t n = cell_begin[c + 1] - cell_begin[c];
    outside += inner[c] != 0 ? 0 : n < most ? n : most;
  }
  return outside;
}

}  // namespace

ExactSum liquid_volume_here(const ParticleStore& particles, const LabelField& labels, const SolidFields& solids,
                            const CellField<std::uint8_t>& inner, int per_cell, const CellField<std::uint8_t>* bulk) {
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
        const bool is_empty = particles.block_begin()[b + 1] == begin;
        if (is_empty && !has_cells_below_core<Shape>(bulk, b)) continue;
        const std::uint8_t* marks = inner.block(b);
        const ParticleIndex outside =
            count_outside<Shape>(cell_begin + static_cast<std::size_t>(b) * Shape::cells, marks, per_cell);
        part.add(open_inner_cells<Shape>(labels, solids, b, marks) + static_cast<double>(outside) / per_cell);
      }
#pragma omp critical(freshet_liquid_volume)
      total.add(part);
    }
  });
  return total;
}

}  // namespace freshet
