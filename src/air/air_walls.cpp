// SPDX-License-Identifier: Apache-2.0
#include "freshet/air/air_walls.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

// Distances between a block and a surface. [cells]
constexpr double marked_within = 1.0;   ///< the block counts as near the liquid: it holds a wall or what is beside one
constexpr double rounding = 1e-3;       ///< room for that of marked_within
constexpr double checked_within = 2.0;  ///< the block must exist after a motion, which ends about where bodies are seen
constexpr double made_within = 4.0;     ///< the block is made with others; bodies move on before more are needed

/// Half the diagonal of a cube of 2^level blocks along each axis. [cells]
double half_diagonal(const Domain& domain, int level) {
  Vec3 width = domain.block_cells().cast<double>();
  for (int d = 0; d < domain.dimension(); ++d) width[d] *= 1 << level;
  return 0.5 * width.norm();
}

}  // namespace

AirWalls::Part AirWalls::part_of(const Splitters& splitters) const {
  const std::vector<BlockKey> first = splitters.first_keys();
  const auto r = static_cast<std::size_t>(rank_);
  return {first[r], r + 1 < first.size() ? first[r + 1] : std::numeric_limits<BlockKey>::max()};
}

/// Call visit(key) for the blocks of a part that a surface comes near. \param[in] within  how near [cells]
template <class Visit>
void AirWalls::search(const Shape& shape, double within, const Part& part, Visit&& visit) const {
  int level = 0;
  while (1 << level < domain_.lattice().maxCoeff()) ++level;
  search_cube(shape, within, part, Vec3i::Zero(), level, visit);
}

/// Search a cube of 2^level blocks along each axis. The distance of a single block decides as it is; where it is a
/// bound, that of a cube around the block may be a closer one. \param[in] first  the cube's lowest block
template <class Visit>
void AirWalls::search_cube(const Shape& shape, double within, const Part& part, const Vec3i& first, int level,
                           Visit& visit) const {
  const BlockKey begin = morton_key(first);
  if (((first - domain_.lattice()).array() >= 0).any()) return;
  if (begin >= part.end || begin + (BlockKey{1} << 3 * level) <= part.begin) return;
  const Vec3i cells = domain_.block_cells();
  Vec3 middle = 0.5 * cells.cast<double>();  // [cells]
  for (int d = 0; d < domain_.dimension(); ++d) middle[d] = (first[d] + 0.5 * (1 << level)) * cells[d];
  const double distance = shape.signed_distance(domain_.origin() + domain_.dx() * middle) / domain_.dx();
  const double slack = level == 0 ? 0.0 : shape.slack() / domain_.dx();
  if (!(std::abs(distance) < half_diagonal(domain_, level) + within + slack)) return;
  if (level == 0) return visit(begin);
  for (int child = 0; child < 1 << domain_.dimension(); ++child)
    search_cube(shape, within, part, first + (1 << (level - 1)) * Vec3i(child & 1, child >> 1 & 1, child >> 2),
                level - 1, visit);
}

std::vector<BlockKey> AirWalls::blocks(const Splitters& splitters) {
  if (!is_on_) return {};
  const Part part = part_of(splitters);
  std::vector<BlockKey> keys;
  const auto add = [&keys](BlockKey key) { keys.push_back(key); };
  if (part != of_resting_) {
    for (const SolidBody& body : *bodies_)
      if (!body.motion) search(*body.shape_at(time_), marked_within + rounding, part, add);
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    resting_.swap(keys);
    of_resting_ = part;
  }
  keys = resting_;
  for (const SolidBody& body : *bodies_)
    if (body.motion) search(*body.shape_at(time_), made_within, part, add);
  return keys;
}

bool AirWalls::lacks_blocks(const BlockLayout& layout) {
  if (!is_on_) return false;
  if (layout_id_ != layout.id()) of_layout_ = part_of(layout.splitters());
  layout_id_ = layout.id();
  bool lacks = false;
  const auto look_for = [&](BlockKey key) { lacks = lacks || layout.find_owned(key) == layout.background(); };
  for (const SolidBody& body : *bodies_)
    if (body.motion) search(*body.shape_at(time_), checked_within, of_layout_, look_for);
  return lacks;
}

void AirWalls::mark(const SolidFields& solids, const BlockLayout& layout, std::vector<std::uint8_t>& near) {
  if (solids.bodies().empty()) return;
  const double half = half_diagonal(layout.domain(), 0);
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    if (std::abs(static_cast<double>(solids.nearest(b)) + half) < half + marked_within)
      near[static_cast<std::size_t>(b)] = 1;
}

}  // namespace freshet
