// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/free_surface/surface_distance.hpp"
#include "freshet/free_surface/surface_place.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/grid/kernels/value_beside.hpp"

#include <algorithm>

namespace freshet {

/// Liquid part of an octant whose centre has this signed distance to the surface [cells].
inline float part_of_octant(float phi) {
  return std::clamp(0.5F - 2.0F * phi, 0.0F, 1.0F);
}

/// Whether octants of cells of air may hold liquid; the same on all ranks.
inline bool octants_reach_into_air(const SurfacePlace& surface) {
  return surface.is_between_centres();
}

/// The liquid in the octants, in 2-D the quarters, of the cells in a block and around it: by phi interpolated to their
/// centres, or of voxels by their cells.
template <class Shape>
class SurfaceOctants {
 public:
  static constexpr int n_octants = 1 << Shape::dim;

  /// Set the object to an owned block. \param[in] label  of the cells in the block and 3 around it
  /// \pre ghosts of phi valid to width 3
  void fill(const SurfacePlace& surface, const Tile<Label, Shape, 3>& label, LocalIndex block) {
    label_ = &label;
    reach_into_air_ = octants_reach_into_air(surface);
    if (reach_into_air_) phi_.fill(surface.phi(), block);
  }
  /// Let a cell be air, far from the surface: beyond an open side, or in a block that does not exist.
  void set_air(const Vec3i& cell) { phi_[phi_.extents.at(cell)] = SurfaceDistance::farthest; }
  /// Whether the surface lies so far from the centres of all cells that their octants are full. \pre all are liquid
  bool all_full() const {
    constexpr float deep_enough = -0.5F;  // [cells]
    return !reach_into_air_ || std::ranges::all_of(phi_, [](float phi) { return phi <= deep_enough; });
  }
  /// The answer of octants_reach_into_air().
  bool reach_into_air() const { return reach_into_air_; }
  /// Liquid part of the octants at a cell's centre. \pre reach_into_air()
  float part_at(const Vec3i& cell) const { return part_of_octant(phi_(cell)); }
  /// Liquid parts of a cell's octants. phi is constant towards solid cells (see value_beside()).
  /// \param[in] is_open  is_open(cell): it is not solid \param[out] parts  n_octants values
  template <class IsOpen>
  void find_parts(const Vec3i& cell, IsOpen&& is_open, float* parts) const {
    if (!reach_into_air_) {
      std::fill_n(parts, n_octants, (*label_)(cell) == Label::liquid ? 1.0F : 0.0F);
      return;
    }
    const auto between = [](float own, float other) { return 0.75F * own + 0.25F * other; };
    for (int o = 0; o < n_octants; ++o) {
      const auto beside = [&](unsigned axes) {
        Vec3i place = cell;
        for (int d = 0; d < Shape::dim; ++d) place[d] += (axes >> d & 1U) != 0 ? 2 * (o >> d & 1) - 1 : 0;
        return place;
      };
      float around[n_octants];
      for (unsigned axes = 0; axes < n_octants; ++axes)
        around[axes] = value_beside(
            axes, [&](unsigned part) { return is_open(beside(part)); },
            [&](unsigned part) { return phi_(beside(part)); });
      for (int n = n_octants / 2; n > 0; n /= 2)  // interpolate along x, y, z
        for (int m = 0; m < n; ++m) around[m] = between(around[2 * m], around[2 * m + 1]);
      parts[o] = part_of_octant(around[0]);
    }
  }

 private:
  bool reach_into_air_ = false;
  const Tile<Label, Shape, 3>* label_ = nullptr;
  Tile<float, Shape, 3> phi_;
};

}  // namespace freshet
