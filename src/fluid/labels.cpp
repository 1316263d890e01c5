// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/labels.hpp"

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/halo.hpp"

#include <algorithm>

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
  return n_liquid;
}

}  // namespace freshet
