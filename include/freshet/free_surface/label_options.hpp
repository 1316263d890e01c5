// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/forces/fluid_options.hpp"
#include "freshet/keys/declare.hpp"

namespace freshet {

enum class LabelMethod { particles, density };
enum class LiquidSurface { voxels, level_set };

/// How cells are labelled as liquid, and where the surface lies.
struct LabelOptions {
  LabelMethod method = LabelMethod::particles;
  double alpha = 0.2;  ///< density: part of a full cell's content that makes a cell liquid
  LiquidSurface surface = LiquidSurface::level_set;
  bool surface_is_chosen = false;  ///< whether the case leaves the surface to the program

  /// Choose the surface of a case that leaves it to the program.
  void choose_surface(bool velocity_is_prescribed);
};

keys::Keys keys_of(LabelOptions& labels);
/// Check that the labels' options fit each other and the surface tension. Errors: InputError
void check_labels(const LabelOptions& labels, const FluidOptions& fluid, bool velocity_is_prescribed,
                  const keys::Table& table);

}  // namespace freshet
