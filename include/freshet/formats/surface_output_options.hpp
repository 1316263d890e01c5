// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/keys/declare.hpp"
#include "freshet/meshing/surface_options.hpp"

#include <string>
#include <vector>

namespace freshet {

/// Surfaces that a run writes, or that `freshet mesh` makes of its snapshots.
struct SurfaceOutputOptions {
  double interval = 0.0;                               ///< simulated time between surfaces [s]; 0: the run writes none
  std::string format = "ply";                          ///< ending of the files
  std::vector<std::string> attributes = {"velocity"};  ///< names of the particles' attributes that vertices take over
  SurfaceOptions surface;
};

keys::Keys keys_of(SurfaceOutputOptions& output);
/// Check that the format can hold what the surface's keys ask for. Errors: InputError
void check_format(const SurfaceOutputOptions& output, const keys::Table& table);

}  // namespace freshet
