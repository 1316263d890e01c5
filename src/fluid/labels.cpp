// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/labels.hpp"

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/halo.hpp"

#include <algorithm>
#include <atomic>

namespace freshet {
namespace {

template <class Shape>
GlobalIndex label_block(const ParticleReal* x, ParticleIndex begin, ParticleIndex end, const std::uint8_t* solid,
                        Label* label) {
  for (int c = 0; c < Shape::cells; ++c) label[c] = Label::air;
  for (ParticleIndex p = begin; p < end; ++p) {
    const int i = static_cast<int>(x[3 * p]);
    const int j = static_cast<int>(x[3 * p + 1]);
    const int k = Shape::dim == 3 ? static_cast<int>(x[3 * p + 2]) : 0;
    label[Shape::cell(i, j, k)] = Label::liquid;
  }
  GlobalIndex n_liquid = 0;
  for (int c = 0; c < Shape::cells; ++c) {
    if (solid[c] != 0) label[c] = Label::solid;
    n_liquid += label[c] == Label::liquid ? 1 : 0;
  }
  return n_liquid;
}

/// Cells that a body fills by more than half often hold no particle below the surface: they are liquid if the cell that
/// the body's surface looks at is. \return how many became liquid
template <class Shape>
GlobalIndex fill_cut_cells(const SolidFields& solids, LabelField& labels) {
  const BlockLayout& layout = labels.layout();
  const LocalIndex n_owned = layout.n_owned();
  constexpr Label found = static_cast<Label>(3);  // liquid that none of its neighbours may count as such yet
  GlobalIndex n_filled = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 8) reduction(+ : n_filled)
    for (LocalIndex b = 0; b < n_owned; ++b)
      for (const CutCell& cut : solids.cut_cells(b)) {
        const std::atomic_ref<Label> label(labels.block(b)[cut.cell]);
        if (label.load(std::memory_order_relaxed) != Label::air) continue;
        Vec3i cell(cut.cell % Shape::nx, cut.cell / Shape::nx % Shape::ny, cut.cell / (Shape::nx * Shape::ny));
        cell += direction_offset(cut.outlook);
        Vec3i side = Vec3i::Zero();
        for (int d = 0; d < Shape::dim; ++d) side[d] = cell[d] < 0 ? -1 : cell[d] >= Shape::n(d) ? 1 : 0;
        for (int d = 0; d < Shape::dim; ++d) cell[d] -= side[d] * Shape::n(d);
        const LocalIndex slot = layout.neighbours(b)[direction_index(side.x(), side.y(), side.z())];
        const std::atomic_ref<Label> seen(labels.block(slot)[Shape::cell(cell.x(), cell.y(), cell.z())]);
        if (seen.load(std::memory_order_relaxed) != Label::liquid) continue;
        label.store(found, std::memory_order_relaxed);
        ++n_filled;
      }
#pragma omp for schedule(dynamic, 8)
    for (LocalIndex b = 0; b < n_owned; ++b)
      for (const CutCell& cut : solids.cut_cells(b))
        if (labels.block(b)[cut.cell] == found) labels.block(b)[cut.cell] = Label::liquid;
  }
  return n_filled;
}

}  // namespace

GlobalIndex label_cells(const ParticleStore& particles, const SolidFields& solids, LabelField& labels) {
  const BlockLayout& layout = labels.layout();
  GlobalIndex n_liquid = 0;
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const LocalIndex n_owned = layout.n_owned();
#pragma omp parallel for schedule(static) reduction(+ : n_liquid)
    for (LocalIndex b = 0; b < n_owned; ++b)
      n_liquid += label_block<Shape>(particles.position(), particles.block_begin()[b], particles.block_begin()[b + 1],
                                     solids.is_solid().block(b), labels.block(b));
  });
  layout.halo().gather(labels, 1);
  if (!solids.any_fractions()) return n_liquid;
  with_shape(layout.domain().dimension(),
             [&](auto shape) { n_liquid += fill_cut_cells<decltype(shape)>(solids, labels); });
  layout.halo().gather(labels, 1);
  return n_liquid;
}

}  // namespace freshet
