// SPDX-License-Identifier: Apache-2.0
#include "choices.hpp"

#include "freshet/config/choices.hpp"
#include "freshet/config/read.hpp"
#include "freshet/core/text.hpp"
#include "freshet/keys/key.hpp"
#include "freshet/pressure/wall_methods.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace freshet {
namespace config {
namespace {

/// A key that a case may leave to the program.
struct Choice {
  const char* key;
  const char* of_older_runs;                      ///< value with which runs computed whose records lack the key
  bool (*is_open)(const Parameters& parameters);  ///< whether the case sets it to a value that leaves the choice
  bool& (*is_chosen)(Parameters& parameters);
  void (*choose)(Parameters& parameters);  ///< depart from the default where the case asks for it
  void (*take)(const Parameters& earlier, Parameters& parameters);  ///< copy the value
};

bool is_prescribed(const Parameters& p) {
  return p.motion.is_prescribed();
}

/// Whether the pressure of liquid that walls hold may be below that of the atmosphere: under a surface with tension,
/// and beside air that has stretched.
bool hangs_on_walls(const Parameters& p) {
  return p.fluid.surface_tension > 0.0 || p.air.bubbles != BubbleModel::off;
}

/// Whether steps that grow and shrink with the flow would change it: waves of a wave maker, sloshing in a moving tank.
bool wants_strang(const Parameters& p) {
  const auto is_paddle = [](const SolidParameters& solid) { return solid.motion.wave.type != WaveType::none; };
  return !is_prescribed(p) && (p.frame.moves() || std::ranges::any_of(p.solids, is_paddle));
}

bool never_open(const Parameters&) {
  return false;
}

const std::array<Choice, 4> choices = {{
    {"labels.surface", "voxels", never_open, [](Parameters& p) -> bool& { return p.labels.surface_is_chosen; },
     [](Parameters& p) { p.labels.choose_surface(is_prescribed(p)); },
     [](const Parameters& earlier, Parameters& p) { p.labels.surface = earlier.labels.surface; }},
    {"pressure.walls.condition", "sticky", never_open,
     [](Parameters& p) -> bool& { return p.pressure.walls.condition_is_chosen; },
     [](Parameters& p) {
       const auto is_free = [](const SolidParameters& solid) { return solid.body.is_free(); };
       if (is_prescribed(p) || hangs_on_walls(p) || std::ranges::any_of(p.solids, is_free))
         p.pressure.walls.condition = WallCondition::sticky;
     },
     [](const Parameters& earlier, Parameters& p) { p.pressure.walls.condition = earlier.pressure.walls.condition; }},
    {"density.correction", "off", never_open, [](Parameters& p) -> bool& { return p.density.correction_is_chosen; },
     [](Parameters& p) {
       // Displacements at the surface take the energy of waves that tension makes, and of all waves where particles
       // come and go at random below the surface.
       if (is_prescribed(p) || p.fluid.surface_tension > 0.0 || p.particles.narrow_band.width > 0)
         p.density.correction = DensityMethod::off;
     },
     [](const Parameters& earlier, Parameters& p) { p.density.correction = earlier.density.correction; }},
    {"time.splitting", "first_order", [](const Parameters& p) { return p.time.splitting == Splitting::automatic; },
     [](Parameters& p) -> bool& { return p.time.splitting_is_chosen; },
     [](Parameters& p) { p.time.splitting = wants_strang(p) ? Splitting::strang : Splitting::first_order; },
     [](const Parameters& earlier, Parameters& p) { p.time.splitting = earlier.time.splitting; }},
}};

/// Whether liquid could not leave a solid of an older run's record.
bool is_sticky(const keys::Value& solid, bool walls_are_sticky) {
  const keys::Table table{solid, ""};
  if (table.gives("body.density") || table.gives("body.mass")) return true;
  const keys::Value* const wall = solid.find("wall");
  if (wall == nullptr || wall->text == "inherit") return walls_are_sticky;
  return wall->text == "sticky";
}

}  // namespace

void choose_open_keys(const keys::Value& root, Parameters& parameters) {
  for (const Choice& choice : choices) {
    bool& is_chosen = choice.is_chosen(parameters);
    is_chosen = !keys::Table{root, ""}.gives(choice.key) || choice.is_open(parameters);
    if (is_chosen) choice.choose(parameters);
  }
  for (SolidParameters& solid : parameters.solids) {
    solid.surface_is_chosen = solid.surface == SolidSurface::automatic;
    if (solid.surface_is_chosen) solid.surface = SolidSurface::fractions;
  }
}

std::vector<std::string> values_of_older_runs(const keys::Value& root) {
  const keys::Table table{root, ""};
  std::vector<std::string> assignments;
  for (const Choice& choice : choices)
    if (!table.gives(choice.key)) assignments.push_back(std::string(choice.key) + "=" + choice.of_older_runs);
  const keys::Value* const solids = root.find("solid");
  if (solids == nullptr || solids->type != keys::Value::Type::array) return assignments;
  const keys::Value* const walls =
      table.gives("pressure.walls.condition") ? root.find("pressure")->find("walls")->find("condition") : nullptr;
  const bool walls_are_sticky = walls == nullptr || walls->text != "separating";
  for (std::size_t i = 0; i < solids->items.size(); ++i) {
    // Records of newer runs name what was chosen. Older ones took whole cells for solids that liquid may leave.
    const keys::Value* const surface = solids->items[i].find("surface");
    if (surface != nullptr && surface->text == "auto" && !is_sticky(solids->items[i], walls_are_sticky))
      assignments.push_back("solid." + std::to_string(i) + ".surface=voxels");
  }
  return assignments;
}

void derive_walls(Parameters& parameters) {
  const WallOptions& walls = parameters.pressure.walls;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t side = 0; side < 2; ++side)
      parameters.domain.wall[axis][side] = choose(walls.face[axis][side], walls.condition);
  parameters.domain.stores_walls = row_of(walls.method).treats_all || !parameters.sources.empty();
}

}  // namespace config

std::vector<std::string> keep_choices(const std::string& earlier_resolved, Parameters& now) {
  const Parameters earlier = parse_recorded(earlier_resolved, "input of the earlier run");
  const Parameters chosen = now;
  for (const config::Choice& choice : config::choices)
    if (choice.is_chosen(now)) choice.take(earlier, now);
  if (now.solids.size() == earlier.solids.size())  // otherwise the run is refused
    for (std::size_t i = 0; i < now.solids.size(); ++i)
      if (now.solids[i].surface_is_chosen) now.solids[i].surface = earlier.solids[i].surface;
  config::derive_walls(now);
  now.input_hash = fnv1a(resolved_toml(now));
  InputChanges kept = compare_inputs(resolved_toml(chosen), now);
  kept.refused.insert(kept.refused.end(), kept.allowed.begin(), kept.allowed.end());
  return kept.refused;
}

}  // namespace freshet
