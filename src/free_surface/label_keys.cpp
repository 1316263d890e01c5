// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/label_options.hpp"
#include "freshet/keys/slots.hpp"

#include <string>

namespace freshet {

void LabelOptions::choose_surface(bool velocity_is_prescribed) {
  if (method != LabelMethod::particles || velocity_is_prescribed) surface = LiquidSurface::voxels;
}

keys::Keys keys_of(LabelOptions& labels) {
  using namespace keys;
  return {
      {"method", choice(labels.method, {"particles", "density"}), "",
       "Which cells are liquid: those with a particle, or those with enough particles close together (Ando, Thuerey & "
       "Tsuruno 2012)."},
      {"alpha", number(labels.alpha, above(0.0, 1.0)), "",
       "With method density, the share of a full cell's density that makes a cell liquid."},
      {"surface", choice(labels.surface, {"voxels", "level_set"}), "",
       "Where the surface of the liquid lies for the pressure: at the centres of the cells of air next to the liquid "
       "(voxels), or at the zero of the signed distance that the particles give (level_set; Gibou et al. 2002). With "
       "level_set, particles that are seeded with jitter are moved at the start until their surface is that of the "
       "liquids' shapes. With labels.method density or a prescribed motion.field the default is voxels."},
  };
}

void check_labels(const LabelOptions& labels, const FluidOptions& fluid, bool velocity_is_prescribed,
                  const keys::Table& table) {
  table.require(labels.method == LabelMethod::particles || labels.surface == LiquidSurface::voxels, "labels.surface",
                "is \"level_set\" with 'labels.method' = \"density\"",
                "the level set says by itself which cells are liquid", "Leave one of them out");
  if (fluid.surface_tension == 0.0 || labels.surface == LiquidSurface::level_set) return;
  std::string voxels = "'labels.surface' = \"voxels\"";  // or the key that makes voxels the default
  if (labels.method == LabelMethod::density)
    voxels = "'labels.method' = \"density\"";
  else if (velocity_is_prescribed)
    voxels = "'motion.field'";
  table.refuse("fluid.surface_tension", "'fluid.surface_tension' is given with " + voxels,
               "the curvature of the surface follows from the level set", "Leave one of them out");
}

}  // namespace freshet
