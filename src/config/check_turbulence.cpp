// SPDX-License-Identifier: Apache-2.0
// Checks of the eddy viscosity and of walls with a wall law.
#include "check.hpp"
#include "freshet/gauges/gauge.hpp"
#include "freshet/keys/slots.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace freshet {
namespace {

bool side_has_wall_law(const DomainOptions& domain, std::size_t axis, std::size_t side) {
  return axis < static_cast<std::size_t>(domain.dimension) && model_of(domain.boundary[axis][side]).has_law;
}

bool any_side_has_wall_law(const DomainOptions& domain) {
  bool any = false;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const std::size_t side : {0U, 1U}) any = any || side_has_wall_law(domain, axis, side);
  return any;
}

}  // namespace

double largest_viscosity(const Parameters& parameters) {
  return *config::viscosities_of(parameters).rbegin();
}

bool has_wall_law(const Parameters& parameters) {
  return any_side_has_wall_law(parameters.domain) ||
         std::ranges::any_of(parameters.solids,
                             [](const SolidParameters& solid) { return model_of(solid.slip).has_law; });
}

namespace config {
namespace {

/// Refuse what a turbulent flow cannot be. \param[in] key  key that makes the flow turbulent
void check_flow(const Parameters& p, const std::string& key, const Table& table) {
  table.require(!p.motion.is_prescribed(), "motion.field", "is given with '" + key + "'",
                "no stress acts on a prescribed flow", "Leave one of them out");
}

/// A smooth wall's stress follows from the viscosity, which several liquids do not have in common.
void check_smooth(const Parameters& p, const WallRoughness& wall, const Table& entry, const std::string& key) {
  const std::set<double> viscosities = viscosities_of(p);
  entry.require(wall.is_given() || *viscosities.begin() > 0.0, key, "is \"wall_law\" without a roughness",
                "the stress at a smooth wall follows from the viscosity, which is 0",
                "Give fluid.viscosity (water: 0.001), or a roughness of the wall");
  entry.require(viscosities.size() == 1, key, "is \"wall_law\"",
                "the liquids have several viscosities, and the law holds for one",
                "Choose \"free_slip\" or \"no_slip\"");
}

}  // namespace

void check_turbulent(const Parameters& p, const Table& table) {
  check_turbulence(p.turbulence, table);
  check_roughness(p.domain.wall_roughness, any_side_has_wall_law(p.domain), table, "domain.");
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const std::size_t side : {0U, 1U})
      if (const std::string key = "domain.boundary." + keys::side_name(axis, side);
          side_has_wall_law(p.domain, axis, side)) {
        check_flow(p, key, table);
        check_smooth(p, p.domain.wall_roughness, table, key);
      }
  for (std::size_t i = 0; i < p.solids.size(); ++i) {
    if (!model_of(p.solids[i].slip).has_law) continue;
    check_flow(p, "solid." + std::to_string(i) + ".slip", table);
    check_smooth(p, p.solids[i].roughness, table.entry("solid", i), "slip");
  }
  for (std::size_t i = 0; i < p.gauges.size(); ++i)
    table.entry("gauge", i)
        .require(gauge_type(p.gauges[i].type).needs != GaugeNeeds::wall_law || has_wall_law(p), "type",
                 std::string("is \"") + gauge_type(p.gauges[i].type).name + "\"",
                 "no wall has the condition \"wall_law\"", "Choose \"wall_law\" for a wall, or another type");
  if (p.turbulence.model == TurbulenceModel::none) return;
  check_flow(p, "turbulence.model", table);
  bool any_wall =
      std::ranges::any_of(p.solids, [](const SolidParameters& solid) { return model_of(solid.slip).drags(); });
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(p.domain.dimension); ++axis)
    for (const std::size_t side : {0U, 1U}) any_wall = any_wall || model_of(p.domain.boundary[axis][side]).drags();
  table.require(p.turbulence.model != TurbulenceModel::mixing_length || any_wall, "turbulence.model",
                "is \"mixing_length\"", "no wall holds liquid back, and the length is that from the nearest such wall",
                "Choose \"wall_law\" or \"no_slip\" for a wall, or another model");
}

}  // namespace config
}  // namespace freshet
