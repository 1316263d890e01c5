// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/star.hpp"
#include "freshet/particles/particle_store.hpp"

#include <algorithm>
#include <cstdint>

/// Cells of a narrow band that count as full whatever particles they hold, see NarrowBand::below_core().
namespace freshet {

/// Whether a block has such cells. \param[in] zones  of NarrowBand::below_core(); null: there are none
template <class Shape>
bool has_cells_below_core(const CellField<std::uint8_t>* zones, LocalIndex b) {
  if (zones == nullptr) return false;
  const std::uint8_t* const zone = zones->block(b);
  return std::any_of(zone, zone + Shape::cells, [](std::uint8_t mark) { return mark != 0; });
}

/// Call f(cell, n, x, u) for each such cell of a block: it lacks n particles of a full cell (n < 0: it has too many), x
/// is its centre [m], u the mean velocity of its faces [m/s]. Sums over particles and over f are those of full cells.
/// \param[in] velocity  ghosts valid to width 1 \param[in] particles  sorted state
template <class Shape, class Function>
void for_each_below_core(const CellField<std::uint8_t>& zones, const FaceField<double>& velocity,
                         const ParticleStore& particles, LocalIndex b, int per_cell, Function&& f) {
  const Domain& domain = velocity.layout().domain();
  const std::uint32_t* const begin = particles.cell_begin().data() + static_cast<std::size_t>(b) * Shape::cells;
  const std::uint8_t* const zone = zones.block(b);
  const Vec3 corner = velocity.layout().first_cell(b).template cast<double>();
  const FaceStar<double> faces = star_of(velocity, b);
  for (int c = 0; c < Shape::cells; ++c) {
    const GlobalIndex n = per_cell - static_cast<GlobalIndex>(begin[c + 1] - begin[c]);
    if (zone[c] == 0 || n == 0) continue;
    const Vec3i place = Shape::place(c);
    Vec3 u = Vec3::Zero();
    for (int d = 0; d < Shape::dim; ++d) {
      const int stride = Shape::stride(d), last = Shape::n(d) - 1;
      const Star<double>& face = faces[d];
      u[d] = 0.5 * (face.self[c] + (place[d] < last ? face.self[c + stride] : face.high[d][c - last * stride]));
    }
    const Vec3 at = place.template cast<double>() + Vec3::Constant(0.5);
    f(c, n, Vec3(domain.origin() + domain.dx() * (corner + at)), u);
  }
}

}  // namespace freshet
