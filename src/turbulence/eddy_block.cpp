// SPDX-License-Identifier: Apache-2.0
#include "turbulence/eddy_block.hpp"

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/kernels/outside_cells.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/turbulence/eddy_rates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet::turbulence {

template <class Shape>
bool EddyBlock<Shape>::look_at(const EddyInput& flow, LocalIndex block) {
  const Label* const own = flow.labels.block(block);
  if (std::find(own, own + Shape::cells, Label::liquid) == own + Shape::cells) return false;
  const Tile<Label, Shape, 1> label(flow.labels, block);
  for (int n = 0; n < size; ++n)
    content_[n] = label[n] == Label::liquid ? holds_liquid : label[n] == Label::solid ? holds_solid : holds_air;
  look_outside(flow.labels.layout(), block);
  Tile<std::uint8_t, Shape, 1> air;
  for (int n = 0; n < size; ++n) {
    liquid_[n] = content_[n] == holds_liquid ? 1.0F : 0.0F;
    air[n] = content_[n] == holds_air ? 1 : 0;
  }
  collect_bits_around(extents, air.data());
  for (int n = first; n < end; ++n) near_air_[n] = air[n - first];
  return true;
}

/// Set cells beyond the domain to solid or air, and cells without a block to air.
template <class Shape>
void EddyBlock<Shape>::look_outside(const BlockLayout& layout, LocalIndex block) {
  const Domain& domain = layout.domain();
  const Vec3i begin = layout.first_cell(block);
  for_each_outside_cell<Shape>(
      layout, block, 1,
      [&](const Vec3i& cell) {
        content_[extents.at(cell)] = domain.outside_is_solid(begin + cell) ? holds_solid : holds_air;
      },
      [&](const Vec3i& cell) { content_[extents.at(cell)] = holds_air; });
}

template <class Shape>
void EddyBlock<Shape>::read(const EddyInput& flow, LocalIndex block) {
  const auto scale = static_cast<float>(flow.dt / flow.labels.layout().domain().dx());
  const bool any_solid = std::find(content_, content_ + size, holds_solid) != content_ + size;
  const bool any_cut =
      flow.solids.is_near_thin_wall(block) || (flow.solids.any_fractions() && flow.solids.nearest(block) < 3.0F);
  for (int d = 0; d < Shape::dim; ++d) {
    fill_tile(flow.velocity[d], block, extents, u_[d]);
    std::fill_n(open_[d], size, 1.0F);
    if (any_cut) {
      const Tile<float, Shape, 1> open(flow.solids.open_fraction()[d], block);
      for (int n = 0; n < size; ++n) open_[d][n] = open[n] >= 0.5F ? 1.0F : 0.0F;
    }
    if (any_solid) {
      const Tile<float, Shape, 1> of_solid(flow.solids.velocity()[d], block);
      const Tile<std::uint8_t, Shape, 1> wall(flow.solids.wall()[d], block);
      for (int n = 0; n < size; ++n) {
        const bool may_leave = is_wall_face(wall[n]) && (wall[n] & may_separate) != 0;
        if ((wall[n] & one_solid) != 0 && !may_leave) u_[d][n] = of_solid[n];
      }
    }
    for (int n = 0; n < size; ++n) u_[d][n] *= scale;
  }
}

template <class Shape>
float EddyBlock<Shape>::range() const {
  constexpr int lanes = 16;
  constexpr float far = std::numeric_limits<float>::max();
  float widest = 0.0F;
  for (int d = 0; d < Shape::dim; ++d) {
    float lowest[lanes], highest[lanes];
    std::fill_n(lowest, lanes, far);
    std::fill_n(highest, lanes, -far);
    const auto take = [&](int lane, int n) {
      const bool is_wet = liquid_[n] + liquid_[n - extents.stride(d)] > 0.0F;
      lowest[lane] = std::min(lowest[lane], is_wet ? u_[d][n] : far);
      highest[lane] = std::max(highest[lane], is_wet ? u_[d][n] : -far);
    };
    int n = extents.stride(d);
    for (; n + lanes <= size; n += lanes)
      for (int lane = 0; lane < lanes; ++lane) take(lane, n + lane);
    for (; n < size; ++n) take(0, n);
    widest = std::max(widest, *std::max_element(highest, highest + lanes) - *std::min_element(lowest, lowest + lanes));
  }
  return widest;
}

/// Differences across the edges along the third axis, at the low corner of each cell along d and e.
template <class Shape>
void EddyBlock<Shape>::find_edges(int d, int e) {
  const int along = extents.stride(d), across = extents.stride(e);
  for (int n = along + across; n < size; ++n) {
    const float wet = liquid_[n] * liquid_[n - along] * liquid_[n - across] * liquid_[n - along - across];
    const float open = open_[d][n] * open_[d][n - across] * open_[e][n] * open_[e][n - along];
    counts_[n] = wet * open;
    of_d_[n] = counts_[n] * (u_[d][n] - u_[d][n - across]);
    of_e_[n] = counts_[n] * (u_[e][n] - u_[e][n - along]);
  }
}

/// Call add(n, du_d / dx_e, du_e / dx_d) for all cells with the means over their four edges that count.
template <class Shape>
template <class Add>
void EddyBlock<Shape>::for_each_gradient(int d, int e, Add&& add) {
  find_edges(d, e);
  const int along = extents.stride(d), across = extents.stride(e);
  const auto around = [along, across](const float* of, int n) {
    return of[n] + of[n + along] + of[n + across] + of[n + along + across];
  };
  for (int n = first; n < end; ++n) {
    const float share = 1.0F / std::max(1.0F, around(counts_, n));
    add(n, share * around(of_d_, n), share * around(of_e_, n));
  }
}

template <class Shape>
void EddyBlock<Shape>::find_shear_rates() {
  std::fill_n(strain_, size, 0.0F);
  std::fill_n(rotation_, size, 0.0F);
  for (int d = 0; d < Shape::dim; ++d)
    for (int n = first; n < end; ++n) {
      const float stretch = u_[d][n + extents.stride(d)] - u_[d][n];
      strain_[n] += 2.0F * stretch * stretch;
    }
  for (int e = 1; e < Shape::dim; ++e)
    for (int d = 0; d < e; ++d)
      for_each_gradient(d, e, [this](int n, float of_d, float of_e) {
        strain_[n] += (of_d + of_e) * (of_d + of_e);
        rotation_[n] += (of_d - of_e) * (of_d - of_e);
      });
  for (int n = first; n < end; ++n) rate_[n] = std::sqrt(strain_[n]) * acting_part(strain_[n], rotation_[n]);
}

template <class Shape>
void EddyBlock<Shape>::find_wale_rates() {
  if (Shape::dim == 2)
    for (float(&of)[size] : gradient_) std::fill_n(of, size, 0.0F);
  for (int d = 0; d < Shape::dim; ++d)
    for (int n = first; n < end; ++n) gradient_[4 * d][n] = u_[d][n + extents.stride(d)] - u_[d][n];
  for (int e = 1; e < Shape::dim; ++e)
    for (int d = 0; d < e; ++d)
      for_each_gradient(d, e, [this, d, e](int n, float of_d, float of_e) {
        gradient_[3 * d + e][n] = of_d;
        gradient_[3 * e + d][n] = of_e;
      });
  for (int n = first; n < end; ++n) {
    float g[9];
    for (int c = 0; c < 9; ++c) g[c] = gradient_[c][n];
    rate_[n] = wale_rate(g);
  }
}

template <class Shape>
void EddyBlock<Shape>::find_forces(const float* viscosity, const float* of_normals) {
  for (int d = 0; d < Shape::dim; ++d) {
    const int along = extents.stride(d);
    for (int n = 0; n < end; ++n) stress_[n] = 2.0F * of_normals[n] * liquid_[n] * (u_[d][n + along] - u_[d][n]);
    for (int n = first; n < end; ++n) force_[d][n] = stress_[n] - stress_[n - along];
  }
  for (int e = 1; e < Shape::dim; ++e)
    for (int d = 0; d < e; ++d) {
      find_edges(d, e);
      const int along = extents.stride(d), across = extents.stride(e);
      for (int n = along + across; n < size; ++n) {
        const float mean =
            0.25F * (viscosity[n] + viscosity[n - along] + viscosity[n - across] + viscosity[n - along - across]);
        stress_[n] = mean * (of_d_[n] + of_e_[n]);
      }
      for (int n = first; n < end; ++n) {
        force_[d][n] += stress_[n + across] - stress_[n];
        force_[e][n] += stress_[n + along] - stress_[n];
      }
    }
}

template class EddyBlock<BlockShape<2>>;
template class EddyBlock<BlockShape<3>>;

}  // namespace freshet::turbulence
