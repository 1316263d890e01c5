// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace freshet {

/// How liquid moves along the wall of a solid: an enumerator for each row of wall_models.
enum class Slip { free_slip, no_slip, wall_law };
/// The condition at a side of the domain: walls, in the order of Slip, and what is no wall.
enum class FaceCondition { free_slip, no_slip, wall_law, periodic, open };

/// What a wall does to the liquid along it. The solver asks these members, never for an enumerator.
struct WallModel {
  const char* name;  ///< in a case file
  bool is_held;      ///< the liquid at the wall has the wall's velocity; viscous solves find the stress
  bool has_law;      ///< liquid slides, and feels the stress of a turbulent layer; see WallLaw
  /// Whether it holds liquid back, so that eddies are smaller near it.
  constexpr bool drags() const { return is_held || has_law; }
};
inline constexpr std::array<WallModel, 3> wall_models = {
    {{"free_slip", false, false}, {"no_slip", true, false}, {"wall_law", false, true}}};

constexpr bool is_wall(FaceCondition condition) {
  return static_cast<std::size_t>(condition) < wall_models.size();
}
constexpr const WallModel& model_of(Slip slip) {
  return wall_models[static_cast<std::size_t>(slip)];
}
/// The model of a side. Sides that are no walls drag as little as walls with free slip.
constexpr const WallModel& model_of(FaceCondition condition) {
  return wall_models[is_wall(condition) ? static_cast<std::size_t>(condition) : 0];
}
/// The names of all models, in the order of their rows.
inline std::vector<std::string> wall_model_names() {
  std::vector<std::string> names;
  for (const WallModel& model : wall_models) names.emplace_back(model.name);
  return names;
}

}  // namespace freshet
