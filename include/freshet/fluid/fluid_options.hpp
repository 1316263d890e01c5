// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

namespace freshet {

enum class LabelMethod { particles, density };
enum class LiquidSurface { voxels, level_set };
enum class VortexMethod { confinement, weights };

/// The liquid and the forces on it.
struct FluidOptions {
  double density = 1000.0;        ///< [kg/m^3]
  Vec3 gravity{0.0, -9.81, 0.0};  ///< [m/s^2]
  Vec3 rotation = Vec3::Zero();   ///< of the frame of reference, for the Coriolis force [rad/s]
};

/// Which cells are liquid.
struct LabelOptions {
  LabelMethod method = LabelMethod::particles;
  double alpha = 0.2;  ///< density: part of a full cell's content that makes a cell liquid
  LiquidSurface surface = LiquidSurface::voxels;
};

/// The vortex boost.
struct VortexOptions {
  double boost = 0.0;  ///< 0: off
  VortexMethod method = VortexMethod::confinement;
};

}  // namespace freshet
