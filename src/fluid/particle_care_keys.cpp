// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/particle_care_options.hpp"
#include "freshet/keys/slots.hpp"

namespace freshet {

keys::Keys keys_of(ReseedingOptions& reseeding) {
  using namespace keys;
  return {
      {"enabled", flag(reseeding.enabled), "",
       "Make particles in liquid cells that hold few, and remove some from liquid cells that hold many."},
      {"min", number(reseeding.min, {1, 512}), "",
       "A cell with fewer particles is filled up to this number, as far as the liquid there lacks particles. The "
       "default is that of cells seeded with 8; with other particles.per_axis, and in 2-D, it is 3/8 of the seeding."},
      {"max", number(reseeding.max, {1, 4096}), "",
       "A cell with more particles is thinned out to this number, as long as no more particles are removed in all than "
       "were made. The default is that of cells seeded with 8, else 12/8 of the seeding."},
      {"cells", choice(reseeding.cells, {"inner", "liquid"}), "",
       "Which cells are treated: those with no air around them, or all liquid cells. With all liquid cells, liquid "
       "that spreads out thin gains volume."},
      {"keep_volume", flag(reseeding.keep_volume), "",
       "Make only as many particles as the liquid lacks, and remove only as many as were made. If false, every such "
       "cell is brought between min and max, and the liquid gains or loses mass."},
  };
}

keys::Keys keys_of(NarrowBandOptions& narrow_band) {
  using namespace keys;
  return {
      {"band", number(narrow_band.width, {0, 8}), "cells",
       "Keep particles only within so many cells of the surface and of bodies; below them the grid alone holds the "
       "liquid (Ferstl et al. 2016). 0: particles everywhere."},
  };
}

keys::Keys keys_of(DistributionOptions& distribution) {
  using namespace keys;
  return {
      {"enabled", flag(distribution.enabled), "",
       "Push particles inside the liquid apart that are too close, by springs; at most a tenth of a cell a step."},
      {"strength", number(distribution.strength, above(0.0, 1.0)), "",
       "Strength of the springs that push particles apart."},
  };
}

}  // namespace freshet
