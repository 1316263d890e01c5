// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/kernels/tile.hpp"
#include "freshet/solids/solids.hpp"
#include "freshet/turbulence/eddy_viscosity.hpp"

namespace freshet::turbulence {

/// Content of a cell.
enum CellContent : std::uint8_t { holds_air, holds_liquid, holds_solid };

/// The velocity in a block and a layer of cells around it, its gradient, and the stress of the eddy viscosity.
///
/// Velocities are in cells a step, and viscosities in dx^2 / dt. A difference across an edge counts if all four cells
/// at the edge hold liquid and its four faces are at least half open. Then neither a wall nor the surface is there.
template <class Shape>
class EddyBlock {
 public:
  static constexpr TileExtents<Shape> extents{1};
  static constexpr int size = extents.size(), first = extents.first(), end = extents.end();

  /// Read the cells. \return whether there is liquid in the block. \pre ghosts of the labels are valid to width 1
  bool look_at(const EddyInput& flow, LocalIndex block);
  /// Read the velocity. \pre look_at() of the same block; its ghosts are valid to width 1
  void read(const EddyInput& flow, LocalIndex block);
  /// The largest difference of a component between any two faces beside liquid. [cells a step]
  float range() const;
  /// Find shear_rate(), or wale_rate(), in all cells of the block.
  void find_shear_rates();
  void find_wale_rates();
  float rate(int n) const { return rate_[n]; }
  bool is_liquid(int n) const { return content_[n] == holds_liquid; }
  /// Whether a cell of the block holds liquid and none of the cells around it air.
  bool is_inside(int n) const { return is_liquid(n) && near_air_[n] == 0; }

  /// Find the force of the stress on the block's faces. \param[in] viscosity  of all cells [dx^2 / dt]
  /// \param[in] of_normals  that of normal stresses, 0 in cells beside air [dx^2 / dt]
  void find_forces(const float* viscosity, const float* of_normals);
  /// Change of the velocity of face n of component d by the stress; 0 unless liquid is on both sides. [cells a step]
  float change(int d, int n) const { return liquid_[n] * liquid_[n - extents.stride(d)] * open_[d][n] * force_[d][n]; }

 private:
  void look_outside(const BlockLayout& layout, LocalIndex block);
  void find_edges(int d, int e);
  template <class Add>
  void for_each_gradient(int d, int e, Add&& add);

  std::uint8_t content_[size];
  std::uint8_t near_air_[size];
  float liquid_[size];    ///< 1 in cells of liquid, 0 in others
  float open_[3][size];   ///< 1 on faces that are at least half open, 0 on others
  float u_[3][size];      ///< velocity, with the solids' on held faces [cells a step]
  float counts_[size];    ///< 1 on edges that count, 0 on others
  float of_d_[size];      ///< du_d / dx_e on edges
  float of_e_[size];      ///< du_e / dx_d on edges
  float strain_[size];    ///< |S|^2
  float rotation_[size];  ///< |R|^2
  float gradient_[9][size];
  float rate_[size];
  float stress_[size];
  float force_[3][size];
};

}  // namespace freshet::turbulence
