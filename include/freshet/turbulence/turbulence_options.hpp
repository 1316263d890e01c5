// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/keys/declare.hpp"

namespace freshet {

/// The eddy viscosity of what the grid does not resolve; see EddyViscosity.
enum class TurbulenceModel { none, smagorinsky, wale, mixing_length };

/// Options of the eddy viscosity.
struct TurbulenceOptions {
  TurbulenceModel model = TurbulenceModel::none;
  double constant = 0.0;  ///< constant of the model [1]; 0: default_constant()
};

/// The published constant of a model: 0.17 for Smagorinsky in decaying isotropic turbulence (Lilly 1967), 0.5 for WALE
/// (Nicoud & Ducros 1999, section 4), 0.4 for the mixing length (von Karman's constant).
double default_constant(TurbulenceModel model);

keys::Keys keys_of(TurbulenceOptions& turbulence);
/// Check that a constant has a model. Errors: InputError
void check_turbulence(const TurbulenceOptions& turbulence, const keys::Table& table);

}  // namespace freshet
