// SPDX-License-Identifier: Apache-2.0
#include "freshet/keys/slots.hpp"
#include "freshet/solids/solid_parameters.hpp"

namespace freshet {

keys::Entry entry_of(SolidParameters& solid) {
  using namespace keys;
  Entry entry = entry_of(solid.shape);
  append(
      entry.keys,
      {{"slip", choice(solid.slip, wall_model_names()), "",
        "Whether viscous liquid slips along the surface (free_slip), moves with it (no_slip), or slips and feels the "
        "stress of a turbulent layer (wall_law)."},
       {"wall", choice(solid.wall, {"inherit", "sticky", "separating"}), "",
        "Whether liquid sticks to it or may leave it; inherit: as pressure.walls.condition says."},
       {"surface", choice(solid.surface, {"auto", "fractions", "voxels"}), "",
        "How the grid represents the solid: by open fractions of faces (fractions), or by whole cells (voxels). auto "
        "takes fractions."}});
  append(entry.keys, keys_of(solid.roughness));
  append(entry.keys, keys_of(solid.motion));
  append(entry.keys, in_table("wave", keys_of(solid.motion.wave)));
  append(entry.keys, in_table("body", keys_of(solid.body)));
  entry.checks.emplace_back([&motion = solid.motion, &body = solid.body](const Table& table, int dimension) {
    motion.where = location(table.value, "motion_file");
    check_motion(motion, table, dimension);
    check_body(body, motion.moves(), table, dimension);
  });
  entry.checks.emplace_back(
      [&solid](const Table& table, int) { check_roughness(solid.roughness, model_of(solid.slip).has_law, table, ""); });
  return entry;
}

}  // namespace freshet
