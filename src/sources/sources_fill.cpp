// SPDX-License-Identifier: Apache-2.0
// Sources: fills, which keep a region full.
#include "freshet/core/counter_random.hpp"
#include "freshet/particles/locate.hpp"
#include "freshet/sources/sources.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

/// Call f(place) for the lattice points of a box, x fastest.
template <class Function>
void for_each_in(const CellBox& box, Function&& f) {
  Vec3i at;
  for (at.z() = box.lower.z(); at.z() < box.upper.z(); ++at.z())
    for (at.y() = box.lower.y(); at.y() < box.upper.y(); ++at.y())
      for (at.x() = box.lower.x(); at.x() < box.upper.x(); ++at.x()) f(at);
}

}  // namespace

Vec3i Sources::sub_cells() const {
  return {per_axis_, per_axis_, domain_.dimension() == 3 ? per_axis_ : 1};
}

/// Number of a sub-cell in its block.
std::size_t Sources::slot(const Vec3i& sub_cell) const {
  const Vec3i n = domain_.block_cells().cwiseProduct(sub_cells());
  return static_cast<std::size_t>(sub_cell.x() + n.x() * (sub_cell.y() + n.y() * sub_cell.z()));
}

/// The blocks that the bounds of a shape touch.
CellBox Sources::fill_blocks(const Shape& shape) const {
  const Box bounds = shape.bounds();
  CellBox box{Vec3i::Zero(), Vec3i::Ones()};
  for (int axis = 0; axis < domain_.dimension(); ++axis) {
    const int width = domain_.block_cells()[axis];
    const double n_blocks = (domain_.cells()[axis] + width - 1) / width;
    const auto block_at = [&](double x) { return std::floor((x - domain_.origin()[axis]) / (domain_.dx() * width)); };
    box.lower[axis] = static_cast<int>(std::clamp(block_at(bounds.lower[axis]), 0.0, n_blocks));
    box.upper[axis] = static_cast<int>(std::clamp(block_at(bounds.upper[axis]) + 1.0, 0.0, n_blocks));
  }
  return box;
}

/// Number, in its block, of the sub-cell that holds a place.
std::size_t Sources::slot_of(const ParticleReal* x) const {
  const Vec3i n = sub_cells();
  const Vec3i in_block = domain_.block_cells().cwiseProduct(n);
  Vec3i sub;
  for (int axis = 0; axis < 3; ++axis)
    sub[axis] = std::clamp(static_cast<int>(static_cast<double>(x[axis]) * n[axis]), 0, in_block[axis] - 1);
  return slot(sub);
}

std::vector<std::uint8_t>& Sources::taken_in(const BlockLayout& layout, BlockKey key, const ParticleStore& particles,
                                             const std::vector<Made>& made, TakenSubCells& taken) const {
  const auto [found, is_new] = taken.try_emplace(key);
  std::vector<std::uint8_t>& slots = found->second;
  if (!is_new) return slots;
  slots.assign(static_cast<std::size_t>(domain_.block_cells().cwiseProduct(sub_cells()).prod()), 0);
  const LocalIndex b = layout.find_owned(key);
  if (b != layout.background()) {
    const auto begin = particles.block_begin().begin() + b;
    for (ParticleIndex p = begin[0]; p < begin[1]; ++p) slots[slot_of(particles.position() + 3 * p)] = 1;
  }
  for (const Made& other : made)
    if (other.key == key) slots[slot_of(other.particle.position)] = 1;
  return slots;
}

void Sources::fill_block(int index, const Vec3i& block, std::vector<std::uint8_t>& taken,
                         std::vector<Made>& made) const {
  const Source& source = sources_[static_cast<std::size_t>(index)];
  const Vec3i first = block.cwiseProduct(domain_.block_cells());
  const Vec3i n_cells = (domain_.cells() - first).cwiseMin(domain_.block_cells());
  const Vec3i n = sub_cells();
  for_each_in({Vec3i::Zero(), n_cells.cwiseProduct(n)}, [&](const Vec3i& sub) {
    if (taken[slot(sub)] != 0) return;
    const Vec3i in_domain = first.cwiseProduct(n) + sub;
    const CellRandom random(seed_ + static_cast<std::uint64_t>(index) + 1, in_domain);
    Vec3 x;
    for (int axis = 0; axis < 3; ++axis) {
      const double jitter = axis < domain_.dimension() ? source.parameters.jitter : 0.0;
      const double in_cell = 0.5 + jitter * (random.uniform(static_cast<std::uint64_t>(axis)) - 0.5);
      x[axis] = domain_.origin()[axis] + domain_.dx() * (in_domain[axis] + in_cell) / n[axis];
    }
    if (source.shape->exact_distance(x) >= 0.0 || !is_free(x)) return;
    const std::optional<Place> place = locate(domain_, x);
    if (!place || place->key != morton_key(block)) return;
    made.push_back(make(*place, index));
    taken[slot(sub)] = 1;
  });
}

void Sources::fill(const BlockLayout& layout, int index, const ParticleStore& particles, TakenSubCells& taken,
                   std::vector<Made>& made) const {
  const Shape& shape = *sources_[static_cast<std::size_t>(index)].shape;
  const Vec3 half = 0.5 * domain_.dx() * domain_.block_cells().cast<double>();
  for_each_in(fill_blocks(shape), [&](const Vec3i& block) {
    const BlockKey key = morton_key(block);
    if (layout.splitters().owner(key) != layout.comm().rank()) return;
    const Vec3 corner = domain_.origin() + 2.0 * half.cwiseProduct(block.cast<double>());
    if (shape.signed_distance(corner + half) > half.norm()) return;
    fill_block(index, block, taken_in(layout, key, particles, made, taken), made);
  });
}

}  // namespace freshet
