// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/keys/declare.hpp"

namespace freshet {

enum class ReseededCells { inner, liquid };

/// Limits of the number of particles in a liquid cell.
struct ReseedingOptions {
  bool enabled = false;
  int min = 3;  ///< a liquid cell with fewer particles gets new ones; a case's own default is scaled to its seeding
  int max = 12;
  ReseededCells cells = ReseededCells::inner;
  bool keep_volume = true;  ///< reseeding does not change the liquid's volume
};

/// The springs that spread particles evenly.
struct DistributionOptions {
  bool enabled = false;
  double strength = 0.2;  ///< strength of the springs
};

/// Where particles are kept; see NarrowBand.
struct NarrowBandOptions {
  int width = 0;  ///< largest distance of particles from the surface and from bodies [cells]; 0: everywhere
  bool is_filled_at_start = false;  ///< no key: particles lie everywhere until the first step, so that they can be set
};

keys::Keys keys_of(NarrowBandOptions& narrow_band);
keys::Keys keys_of(ReseedingOptions& reseeding);
keys::Keys keys_of(DistributionOptions& distribution);

}  // namespace freshet
