// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/solids/solids.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace freshet {

/// A face of the grid on which the stress of a wall law acts.
struct WallFace {
  std::int16_t face;  ///< number in its block
  std::int8_t axis;
  std::int16_t body;  ///< index of the body; below 0: -1 - (2 axis + side) of a side of the domain
  float distance;     ///< distance of its centre from the wall, above 0 [cells]
  float area;         ///< area of the wall that the face stands for, over that of a face
  float normal[3];    ///< normal of the wall, towards the liquid
  float roughness;    ///< equivalent diameter of sand grains [m]
};

/// The faces beside walls with a wall law, and the distance from walls that hold liquid back.
///
/// At a side of the domain they are the faces along it in the first layer of cells, half a cell away. At a body they
/// are the faces in a layer one cell thick around it, whatever its shape and its representation on the grid: a face at
/// the distance s stands for an area of w(s) j dx^2, where w rises from 0 at s = 0 to 1 at dx / 4 and falls from 1 at
/// dx to 0 at 5/4 dx. Its sum over points one cell apart is 1. j is the area of the wall over that of the surface at
/// the distance s to whose points it is nearest, (1 - s h_1) (1 - s h_2) with this surface's curvatures h: 1 at plane
/// walls, (R / (R + s))^2 at a ball. So the areas of all faces add up to that of the wall. A velocity on the grid is a
/// mean over a cell: faces nearer than dx / 4 count as this far away.
class WallFaces {
 public:
  static constexpr float least_distance = 0.25F;  ///< at which the velocity of nearer faces counts [cells]

  /// \param[in] roughness  of the sides of the domain: equivalent diameter of sand grains [m]
  /// \param[in] reach  within how many cells of a wall distances() are known; 0: nowhere
  WallFaces(double roughness, float reach) : roughness_(roughness), reach_(reach) {}

  /// Whether any wall has a wall law. The same on all ranks
  static bool any(const Domain& domain, const std::vector<SolidBody>& bodies);
  /// Find all faces and distances, unless neither the layout nor a body has changed since the last time.
  /// Parallel: local; OpenMP
  void update(const BlockLayout& layout, const SolidFields& solids);

  const std::vector<WallFace>& of(LocalIndex owned_block) const {
    return faces_[static_cast<std::size_t>(owned_block)];
  }
  /// Distances of the cells' centres from the nearest wall with no slip or a wall law [cells]; null: no wall is near.
  const float* distances(LocalIndex owned_block) const {
    return has_distances_[static_cast<std::size_t>(owned_block)] != 0 ? distance_.block(owned_block) : nullptr;
  }

 private:
  template <class Shape>
  void find_faces(const BlockLayout& layout, const SolidFields& solids, LocalIndex block);
  template <class Shape>
  void add_sides(const BlockLayout& layout, LocalIndex block);
  template <class Shape>
  void find_distances(const BlockLayout& layout, const SolidFields& solids, LocalIndex block);

  double roughness_;
  float reach_;
  std::uint64_t layout_id_ = 0;
  std::vector<std::vector<WallFace>> faces_;  ///< by owned block
  std::vector<std::uint8_t> has_distances_;   ///< by owned block
  CellField<float> distance_;
};

}  // namespace freshet
