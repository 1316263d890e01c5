// SPDX-License-Identifier: Apache-2.0
#include "viscosity/stress_weights.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "viscosity/block_scene.hpp"
#include "viscosity/box_stress.hpp"

#include <algorithm>
#include <cmath>

namespace freshet::viscous {
namespace {

/// Call f(cell) for the cells of a block and of the layer around it on its low and high sides, as asked for.
template <class Shape, class Function>
void for_each_padded(bool with_low, bool with_high, Function&& f) {
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  const int low = with_low ? -1 : 0;
  const int high = with_high ? block_width + 1 : block_width;
  for (int k = z * low; k < (z != 0 ? high : 1); ++k)
    for (int j = low; j < high; ++j)
      for (int i = low; i < high; ++i) f(Vec3i(i, j, k));
}

/// Find the drags of thin walls along the faces of a block.
template <class Shape>
void find_drags(const BlockScene<Shape>& scene, const SolidFields& solids, const BlockLayout& layout, LocalIndex block,
                std::vector<WallDrag>& drags) {
  if (!scene.has_thin_walls()) return;
  const Vec3i first = layout.first_cell(block);
  for_each_padded<Shape>(false, false, [&](const Vec3i& cell) {
    for_each_wall_drag(scene, layout.domain(), first, cell, [&](int e, int, int, double coefficient, const Vec3& x) {
      drags.push_back({static_cast<std::int8_t>(e), static_cast<std::int16_t>(Shape::cell(cell)),
                       static_cast<float>(coefficient), solids.velocity_at(x)[e]});
    });
  });
}

struct AnyFaces {
  bool unknown = false;
  bool held = false;
};

/// Write the masses of a block's faces, or what holds them. \return which kinds of faces there are
template <class Shape>
AnyFaces write_masses(const BlockScene<Shape>& scene, float* masses) {
  AnyFaces any;
  for (int d = 0; d < Shape::dim; ++d)
    for (int c = 0; c < Shape::cells; ++c) {
      const Vec3i cell = Shape::place(c);
      FaceState state = scene.state(d, cell);
      if (state == FaceState::held && !scene.is_beside_liquid(d, cell)) state = FaceState::dry;
      float& mass = masses[d * Shape::cells + c];
      if (state == FaceState::unknown) mass = static_cast<float>(scene.mass(d, cell));
      if (state == FaceState::held) mass = scene.is_held_by_body(d, cell) ? held_by_body : held_otherwise;
      any.unknown = any.unknown || state == FaceState::unknown;
      any.held = any.held || state == FaceState::held;
    }
  return any;
}

}  // namespace

template <class Shape>
Kind StressWeights::build(const ViscousLiquid& liquid, LocalIndex block, Values& values,
                          std::vector<WallDrag>& drags) const {
  static thread_local BlockScene<Shape> scene;
  switch (scene.look_at(liquid, *layout_, block)) {
    case BlockScene<Shape>::Content::dry:
      return Kind::none;
    case BlockScene<Shape>::Content::full:
      return Kind::uniform;
    case BlockScene<Shape>::Content::mixed:
      break;
  }
  constexpr TileExtents<Shape> extents(1);
  constexpr int masses = BlockStress<Shape>::masses;
  constexpr int padded = BlockStress<Shape>::padded;
  values.assign(BlockStress<Shape>::size(Kind::walled), 0.0F);
  float* const cells = values.data() + masses;
  float* const edges = cells + Shape::dim * padded;
  bool is_plain = true;
  const AnyFaces any = write_masses(scene, values.data());
  if (!any.unknown) {
    values.resize(any.held ? masses : 0);
    values.shrink_to_fit();
    return Kind::none;
  }
  find_drags(scene, liquid.solids, *layout_, block, drags);
  for_each_padded<Shape>(true, false, [&](const Vec3i& cell) {
    const int at = extents.at(cell);
    float first = 0.0F;
    for (int d = 0; d < Shape::dim; ++d) {
      const auto value = static_cast<float>(cell_stress(scene, d, cell));
      cells[d * padded + at] = value;
      if (d == 0) first = value;
      is_plain = is_plain && value == first;
    }
  });
  for_each_padded<Shape>(false, true, [&](const Vec3i& cell) {
    const int at = extents.at(cell);
    for (int e = 1; e < Shape::dim; ++e)
      for (int d = 0; d < e; ++d) {
        const EdgeStress stress = edge_stress(scene, d, e, cell);
        float* const of_pair = edges + 3 * pair_of(d, e) * padded + at;
        of_pair[0] = static_cast<float>(stress.low);
        of_pair[padded] = static_cast<float>(stress.high);
        of_pair[2 * padded] = static_cast<float>(stress.cross);
        is_plain = is_plain && stress.low == stress.cross && stress.high == stress.cross;
      }
  });
  if (!is_plain) return Kind::walled;
  for (int pair = 0; pair < n_pairs(Shape::dim); ++pair)  // keep component 0 of each edge
    std::copy_n(edges + 3 * pair * padded, padded, cells + (1 + pair) * padded);
  values.resize(BlockStress<Shape>::size(Kind::plain));
  values.shrink_to_fit();
  return Kind::plain;
}

void StressWeights::rebuild(const ViscousLiquid& liquid) {
  rebuild(liquid, [](LocalIndex) { return true; });
}

void StressWeights::rebuild(const ViscousLiquid& liquid, const std::function<bool(LocalIndex)>& is_wanted) {
  layout_ = &liquid.labels.layout();
  viscosity_ = static_cast<double>(static_cast<float>(liquid.viscosity));  // rounded as in blocks of other kinds
  layout_->halo().gather(liquid.labels, 3);
  liquid.surface.refresh(3);
  const auto n_owned = static_cast<std::size_t>(layout_->n_owned());
  kind_.assign(n_owned, Kind::none);
  values_.resize(n_owned);
  drags_.resize(n_owned);
  with_shape(layout_->domain().dimension(), [&](auto shape) {
    parallel_for_blocks(layout_->n_owned(), [&](LocalIndex block) {
      Values& values = values_[static_cast<std::size_t>(block)];
      std::vector<WallDrag>& drags = drags_[static_cast<std::size_t>(block)];
      values.clear();
      drags.clear();
      if (is_wanted(block))
        kind_[static_cast<std::size_t>(block)] = build<decltype(shape)>(liquid, block, values, drags);
    });
  });
  find_active();
}

void StressWeights::find_active() {
  const int cells = layout_->cells_per_block();
  const int dimension = layout_->domain().dimension();
  rows_.assign(static_cast<std::size_t>(layout_->n_owned()), {});
  std::vector<int> n_unknowns(rows_.size(), 0);
  parallel_for_blocks(layout_->n_owned(), [&](LocalIndex block) {
    if (kind(block) == Kind::none) return;
    for (int d = 0; d < dimension; ++d)
      for (int c = 0; c < cells; ++c) {
        const bool is_unknown = mass(d, block, c) > 0.0;
        rows_[static_cast<std::size_t>(block)][static_cast<std::size_t>(d)] |= std::uint64_t{is_unknown}
                                                                               << c / block_width;
        n_unknowns[static_cast<std::size_t>(block)] += is_unknown ? 1 : 0;
      }
  });
  active_.clear();
  n_unknowns_ = 0;
  for (LocalIndex block = 0; block < layout_->n_owned(); ++block) {
    n_unknowns_ += n_unknowns[static_cast<std::size_t>(block)];
    if (kind(block) != Kind::none) active_.push_back(block);
  }
}

double StressWeights::mass(int axis, LocalIndex block, int face) const {
  if (kind(block) == Kind::uniform) return 1.0;
  const Values& values = values_[static_cast<std::size_t>(block)];
  return values.empty()
             ? 0.0
             : static_cast<double>(values[static_cast<std::size_t>(axis * layout_->cells_per_block() + face)]);
}

}  // namespace freshet::viscous
