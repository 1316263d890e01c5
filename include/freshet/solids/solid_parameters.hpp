// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/motion_parameters.hpp"
#include "freshet/geometry/shape_parameters.hpp"
#include "freshet/grid/domain_options.hpp"
#include "freshet/grid/wall_model.hpp"
#include "freshet/keys/declare.hpp"
#include "freshet/solids/body_parameters.hpp"

namespace freshet {

/// Representation on the grid: cut cells or whole ones; automatic: the program chooses, when it has read the case.
enum class SolidSurface { automatic, fractions, voxels };
enum class WallChoice { inherit, sticky, separating };  ///< inherit: as pressure.walls.condition says

/// The condition of one wall, given the condition of all walls.
inline WallCondition choose(WallChoice choice, WallCondition inherited) {
  if (choice == WallChoice::inherit) return inherited;
  return choice == WallChoice::sticky ? WallCondition::sticky : WallCondition::separating;
}

/// An obstacle at rest or moving as the case says, or a body that the liquid moves.
struct SolidParameters {
  ShapeParameters shape;
  SolidSurface surface = SolidSurface::automatic;
  bool surface_is_chosen = false;  ///< whether the case leaves the surface to the program
  MotionParameters motion;
  Slip slip = Slip::free_slip;
  WallChoice wall = WallChoice::inherit;
  BodyParameters body;
  WallRoughness roughness;  ///< roughness of a wall with a law
};

keys::Entry entry_of(SolidParameters& solid);

}  // namespace freshet
