// SPDX-License-Identifier: Apache-2.0
#include "redistance.hpp"

#include "block_cells.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "lattice.hpp"

#include <atomic>
#include <vector>

namespace freshet::meshing {
namespace {

constexpr int one_pad_strides[3] = {1, OnePad::extents.nx, OnePad::extents.nx* OnePad::extents.nx};

bool is_next_to_zero(const float* psi) {
  for (const int stride : one_pad_strides)
    if ((psi[0] < 0.0F) != (psi[stride] < 0.0F) || (psi[0] < 0.0F) != (psi[-stride] < 0.0F)) return true;
  return false;
}

/// |psi| / |grad psi|. Along an axis on which psi changes its sign beside the cell, the slope is that between the two
/// cells. So the zero between them stays where linear interpolation has it, and the distance is bounded where liquid is
/// thinner than two cells.
float distance_to_zero(const float* psi) {
  float square = 0.0F;
  for (const int stride : one_pad_strides) {
    const float up = psi[stride] - psi[0], down = psi[0] - psi[-stride];
    float across = 0.0F;
    if ((psi[0] < 0.0F) != (psi[stride] < 0.0F)) across = std::abs(up);
    if ((psi[0] < 0.0F) != (psi[-stride] < 0.0F)) across = std::max(across, std::abs(down));
    const float slope = across > 0.0F ? across : 0.5F * (up + down);
    square += slope * slope;
  }
  return std::abs(psi[0]) / std::sqrt(square);
}

/// The solution d of sum_a max(d - m_a, 0)^2 = 1, where m_a is the smaller neighbour along axis a.
float upwind(float a, float b, float c) {
  if (a > b) std::swap(a, b);
  if (b > c) std::swap(b, c);
  if (a > b) std::swap(a, b);
  float d = a + 1.0F;
  if (d <= b) return d;
  d = 0.5F * (a + b + std::sqrt(2.0F - (a - b) * (a - b)));
  if (d <= c) return d;
  const float sum = a + b + c;
  return (sum + std::sqrt(std::max(0.0F, sum * sum - 3.0F * (a * a + b * b + c * c - 1.0F)))) / 3.0F;
}

/// Sweep through the block in each of the eight directions. \return whether any value became smaller
bool sweep(float* d, const std::uint8_t* fixed) {
  bool changed = false;
  for (int direction = 0; direction < 8; ++direction)
    for (int kk = 0; kk < 8; ++kk)
      for (int jj = 0; jj < 8; ++jj)
        for (int ii = 0; ii < 8; ++ii) {
          const int i = (direction & 1) != 0 ? 7 - ii : ii, j = (direction & 2) != 0 ? 7 - jj : jj,
                    k = (direction & 4) != 0 ? 7 - kk : kk;
          if (fixed[Block3::cell(i, j, k)] != 0) continue;
          float* here = d + OnePad::extents.at(i, j, k);
          const float x = std::min(here[-1], here[1]),
                      y = std::min(here[-one_pad_strides[1]], here[one_pad_strides[1]]),
                      z = std::min(here[-one_pad_strides[2]], here[one_pad_strides[2]]);
          if (std::min({x, y, z}) + 0.57F >= here[0]) continue;  // 1/sqrt(3) is the least step
          const float value = upwind(x, y, z);
          if (value < here[0]) {
            here[0] = value;
            changed = true;
          }
        }
  return changed;
}

}  // namespace

int redistance(CellField<float>& phi, float band) {
  const BlockLayout& layout = phi.layout();
  layout.halo().gather(phi, 1);
  CellField<float> now(layout, no_value), next(layout, no_value);  // |phi|
  std::vector<std::uint8_t> fixed(static_cast<std::size_t>(layout.n_owned()) * block_cells, 0);
  std::vector<std::uint8_t> active(static_cast<std::size_t>(layout.n_owned()), 0), changed(active);
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    OnePad psi;
    fill_with_nearest(phi, b, psi);
    for (int c = 0; c < block_cells; ++c) {
      const float* here = psi.data() + OnePad::extents.at(c & 7, c >> 3 & 7, c >> 6);
      const bool is_fixed = is_next_to_zero(here);
      fixed[static_cast<std::size_t>(b) * block_cells + static_cast<std::size_t>(c)] = is_fixed ? 1 : 0;
      now.block(b)[c] = is_fixed ? std::min(band, distance_to_zero(here)) : band;
      if (is_fixed) active[static_cast<std::size_t>(b)] = 1;
    }
    std::copy_n(now.block(b), block_cells, next.block(b));
  });
  int exchanges = 0;
  for (bool any = true; any; ++exchanges) {
    layout.halo().gather(now, 1);
    std::fill(changed.begin(), changed.end(), std::uint8_t{0});
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const LocalIndex* neighbours = layout.neighbours(b);
      const bool wanted = std::any_of(neighbours, neighbours + n_directions, [&](LocalIndex n) {
        return n < layout.n_owned() ? active[static_cast<std::size_t>(n)] != 0 : n < layout.n_blocks();
      });
      if (!wanted) return;
      OnePad d;
      fill_with_nearest(now, b, d);
      const std::uint8_t* is_fixed = fixed.data() + static_cast<std::size_t>(b) * block_cells;
      bool any_change = false;
      while (sweep(d.data(), is_fixed)) any_change = true;
      if (!any_change) return;
      changed[static_cast<std::size_t>(b)] = 1;
      for (int c = 0; c < block_cells; ++c) next.block(b)[c] = d[OnePad::extents.at(c & 7, c >> 3 & 7, c >> 6)];
    });
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      if (changed[static_cast<std::size_t>(b)] != 0) std::copy_n(next.block(b), block_cells, now.block(b));
    });
    active.swap(changed);
    any = layout.comm().any(std::find(active.begin(), active.end(), std::uint8_t{1}) != active.end());
  }
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    for (int c = 0; c < block_cells; ++c) phi.block(b)[c] = std::copysign(now.block(b)[c], phi.block(b)[c]);
  });
  layout.halo().gather(phi, 2);
  return exchanges;
}

}  // namespace freshet::meshing
