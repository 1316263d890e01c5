// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/grid/wall_model.hpp"
#include "freshet/grid/wall_roughness.hpp"
#include "freshet/keys/declare.hpp"

#include <array>

namespace freshet {

enum class WallCondition { sticky, separating };  ///< separating: liquid may leave the wall

/// The simulated box.
struct DomainOptions {
  int dimension = 3;
  Vec3i cells = Vec3i::Constant(1);                        ///< number of cells along each axis; z is 1 in 2-D
  double cell_size = 1.0;                                  ///< [m]
  Vec3 origin = Vec3::Zero();                              ///< low corner [m]
  std::array<std::array<FaceCondition, 2>, 3> boundary{};  ///< [axis][0 low, 1 high]; z is ignored in 2-D
  std::array<std::array<WallCondition, 2>, 3> wall{};  ///< [axis][side], for faces that are walls; from pressure.walls
  WallRoughness wall_roughness;                        ///< roughness of the sides with a wall law
  bool stores_walls = false;  ///< whether a layer of lattice cells behind each high wall stores its faces

  double thickness() const { return dimension == 2 ? cell_size : 1.0; }  ///< as Domain::thickness() [m]
};

keys::Keys keys_of(DomainOptions& domain);
/// Check that the domain's coordinates tell cells apart. Errors: InputError
void check_coordinates(const DomainOptions& domain, const keys::Table& table);
/// Check that a periodic side has its opposite, and whole blocks of cells in between. Errors: InputError
void check_periodic_axis(const DomainOptions& domain, int axis, const keys::Table& table);

}  // namespace freshet
