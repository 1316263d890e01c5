// SPDX-License-Identifier: Apache-2.0
#include "freshet/keys/slots.hpp"
#include "freshet/turbulence/turbulence_options.hpp"

namespace freshet {

double default_constant(TurbulenceModel model) {
  switch (model) {
    case TurbulenceModel::smagorinsky:
      return 0.17;
    case TurbulenceModel::wale:
      return 0.5;
    case TurbulenceModel::mixing_length:
      return 0.4;
    case TurbulenceModel::none:
      break;
  }
  return 0.0;
}

keys::Keys keys_of(TurbulenceOptions& turbulence) {
  using namespace keys;
  return {
      {"model", choice(turbulence.model, {"none", "smagorinsky", "wale", "mixing_length"}), "",
       "Eddy viscosity of the eddies that the grid does not resolve: none; in proportion to the rate of strain "
       "(smagorinsky) or to an invariant that vanishes in shear and at walls (wale), for eddies smaller than a cell; "
       "by the distance from the walls (mixing_length), for flow along walls whose eddies are not resolved at all."},
      {"constant", number(turbulence.constant, {0.0, 1.0}), "",
       "Constant of the model; 0 stands for 0.17 for smagorinsky, 0.5 for wale, 0.4 for mixing_length, as published."},
  };
}

void check_turbulence(const TurbulenceOptions& turbulence, const keys::Table& table) {
  table.require(turbulence.model != TurbulenceModel::none || turbulence.constant == 0.0, "turbulence.constant",
                "is given", "'turbulence.model' is \"none\"", "Choose a model, or leave the constant out");
}

}  // namespace freshet
