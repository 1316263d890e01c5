// SPDX-License-Identifier: Apache-2.0
#include "freshet/solids/cut_off.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/solids/wall_sides.hpp"

namespace freshet {
namespace {

template <class Shape>
void find_in_block(const ParticleStore& particles, const SolidFields& solids, const BlockLayout& layout, LocalIndex b,
                   std::vector<ExtraPoint>& cut_off) {
  cut_off.clear();
  const WallSides<Shape> sides(solids, layout, b);
  if (!sides.has_walls()) return;
  for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p) {
    const ParticleReal* at = particles.position() + 3 * p;
    const Vec3 x(at[0], at[1], at[2]);
    const Vec3i cell(static_cast<int>(x[0]), static_cast<int>(x[1]), Shape::dim == 3 ? static_cast<int>(x[2]) : 0);
    if (!sides.is_walled(cell)) continue;
    cut_off.push_back({{x[0], x[1], x[2]}, {cell.x(), cell.y(), cell.z()}, ~sides.cells_beside(cell, x)});
  }
}

}  // namespace

void find_cut_off(const ParticleStore& particles, const SolidFields& solids, const BlockLayout& layout,
                  ExtraPoints& cut_off) {
  cut_off.resize(static_cast<std::size_t>(layout.n_owned()));
  with_shape(layout.domain().dimension(), [&](auto shape) {
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      find_in_block<decltype(shape)>(particles, solids, layout, b, cut_off[static_cast<std::size_t>(b)]);
    });
  });
}

}  // namespace freshet
