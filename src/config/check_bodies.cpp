// SPDX-License-Identifier: Apache-2.0
// Checks of bodies that the liquid moves.
#include "check.hpp"
#include "freshet/pressure/wall_methods.hpp"

namespace freshet::config {
namespace {

/// Refuse the options of the case that free bodies do not fit, at the key of the first body.
void check_methods(const Parameters& p, const char* key, const Table& body) {
  const auto refuse = [&](bool is_given, const std::string& option, const char* why, const char* remedy) {
    if (is_given) body.refuse(key, "'" + body.name + key + "' is given with " + option, why, remedy);
  };
  refuse(!row_of(p.pressure.walls.method).is_exact, "another 'pressure.walls.method' than complementarity",
         "the other methods know no walls that the pressure moves", "Leave one of them out");
  refuse(p.frame.moves(), "a '[frame]' that moves", "the forces of a moving tank do not act on bodies yet",
         "Leave one of them out");
  refuse(!p.fluid.rotation.isZero(0.0), "'fluid.rotation'", "the forces of a rotating tank do not act on bodies yet",
         "Leave one of them out");
  refuse(p.motion.field != MotionField::solve, "'motion.field'", "a prescribed flow has no pressure that moves it",
         "Leave one of them out");
}

}  // namespace

void check_bodies(const Parameters& p, const Table& table) {
  bool is_first = true;
  for (std::size_t i = 0; i < p.solids.size(); ++i) {
    const SolidParameters& solid = p.solids[i];
    if (!solid.body.is_free()) continue;
    const Table entry = table.entry("solid", i);
    if (is_first) check_methods(p, solid.body.density ? "body.density" : "body.mass", entry);
    is_first = false;
  }
  check_joints(p.joints, p.solids, p.domain.dimension, table);
  check_moorings(p.moorings, p.solids, p.fluid.gravity, table);
}

}  // namespace freshet::config
