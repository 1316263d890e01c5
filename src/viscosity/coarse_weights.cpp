// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/halo.hpp"
#include "viscosity/behind_wall.hpp"
#include "viscosity/coarse_link.hpp"
#include "viscosity/stress_weights.hpp"

#include <algorithm>
#include <array>

namespace freshet::viscous {
namespace {

/// Stress coefficients of a block's cells and edges; the largest of several components.
template <class Shape>
struct FineNumbers {
  const StressWeights& weights;
  LocalIndex block;
  Kind kind = weights.kind(block);
  BlockStress<Shape> stress = weights.block<Shape>(block);
  PaddedExtents<Shape> extents{1};

  double cell(const Vec3i& place) const {
    const int at = extents.at(place.x(), place.y(), place.z());
    if (kind == Kind::uniform) return 2.0 * weights.uniform_viscosity();
    if (kind == Kind::plain) return static_cast<double>(stress.template cell<Kind::plain>(0)[at]);
    if (kind == Kind::none) return 0.0;
    float largest = 0.0F;
    for (int d = 0; d < Shape::dim; ++d) largest = std::max(largest, stress.template cell<Kind::walled>(d)[at]);
    return static_cast<double>(largest);
  }
  double edge(int pair, const Vec3i& place) const {
    const int at = extents.at(place.x(), place.y(), place.z());
    if (kind == Kind::uniform) return weights.uniform_viscosity();
    if (kind == Kind::plain) return static_cast<double>(stress.template edge<Kind::plain>(pair, 0)[at]);
    if (kind == Kind::none) return 0.0;
    return static_cast<double>(
        std::max(stress.template edge<Kind::walled>(pair, 0)[at], stress.template edge<Kind::walled>(pair, 1)[at]));
  }
};

/// Give edges on a no-slip wall at a high face of the domain the stress across half a cell. Perhaps no block owns them,
/// so that the exchange between levels leaves them out.
/// \param[in] first  coordinates of the block's cell 0
template <class Shape>
void fill_high_walls(const Domain& finest, int factor, const Vec3i& first, float* edges) {
  const PaddedExtents<Shape> extents(1);
  const int stride[3] = {1, extents.nx, extents.nx * extents.ny};
  constexpr int padded = BlockStress<Shape>::padded;
  for (int axis = 0; axis < Shape::dim; ++axis) {
    if (finest.condition(axis, 1) != FaceCondition::no_slip) continue;
    const int wall = (finest.cells()[axis] + factor - 1) / factor - first[axis];  // first edge at or behind the wall
    if (wall < 0 || wall > block_width) continue;
    Vec3i from = Vec3i::Zero();
    Vec3i to(block_width + 1, block_width + 1, Shape::dim == 3 ? block_width + 1 : 1);
    from[axis] = wall;
    to[axis] = wall + 1;
    for (int k = from.z(); k < to.z(); ++k)
      for (int j = from.y(); j < to.y(); ++j)
        for (int i = from.x(); i < to.x(); ++i)
          for (int other = 0; other < Shape::dim; ++other) {
            if (other == axis) continue;
            float* const edge = edges + pair_of(axis, other) * padded + extents.at(i, j, k);
            edge[0] = std::max(edge[0], 2.0F * edge[-stride[axis]]);
          }
  }
}

/// Call f(number, coordinates) for all cells of a block.
template <class Shape, class Function>
void for_each_cell(Function&& f) {
  for (int c = 0; c < Shape::cells; ++c)
    f(c, Vec3i(c % Shape::nx, c / Shape::nx % Shape::ny, c / (Shape::nx * Shape::ny)));
}

/// Weighted sum over n[d] fine neighbours along each axis d, from the offset first[d] on.
struct Stencil {
  int first[3] = {0, 0, 0};
  int n[3] = {1, 1, 1};
  std::array<std::array<double, 3>, 3> weight{{{1.0}, {1.0}, {1.0}}};

  void take_both(int d) { set(d, 0, 2, {0.5, 0.5, 0.0}); }
  void take_box(int d) { set(d, -1, 3, {0.25, 0.5, 0.25}); }
  void set(int d, int from, int count, const std::array<double, 3>& values) {
    first[d] = from;
    n[d] = count;
    weight[static_cast<std::size_t>(d)] = values;
  }
};

/// coarse = stencil applied to fine, octant by octant. \pre ghosts of fine valid to width 1
template <class Shape>
void coarsen_field(const CellField<float>& fine, const Stencil& stencil, const CoarseLink& link,
                   CellField<float>& coarse) {
  const PaddedExtents<Shape> extents(1);
  link.collect(coarse, [&](LocalIndex block, float* octant) {
    float padded[1000];
    fill_padded(fine, block, extents, padded);
    for (int k = 0; k < (Shape::dim == 3 ? 4 : 1); ++k)
      for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 4; ++i) {
          double sum = 0.0;
          for (int c = 0; c < stencil.n[2]; ++c)
            for (int b = 0; b < stencil.n[1]; ++b)
              for (int a = 0; a < stencil.n[0]; ++a)
                sum += stencil.weight[0][static_cast<std::size_t>(a)] * stencil.weight[1][static_cast<std::size_t>(b)] *
                       stencil.weight[2][static_cast<std::size_t>(c)] *
                       static_cast<double>(padded[extents.at(2 * i + stencil.first[0] + a, 2 * j + stencil.first[1] + b,
                                                             2 * k + stencil.first[2] + c)]);
          octant[Shape::cell(i, j, k)] = static_cast<float>(sum);
        }
  });
}

}  // namespace

template <class Shape>
Kind StressWeights::build_coarse(const FaceField<float>& mass, const FaceField<float>& held,
                                 const CellField<float>& cell, const std::array<CellField<float>, 3>& edge,
                                 const std::array<CellField<float>, 3>& edge_centre, const Domain& finest, int factor,
                                 LocalIndex block, Values& values) const {
  constexpr int masses = BlockStress<Shape>::masses;
  constexpr int padded = BlockStress<Shape>::padded;
  constexpr float least_mass = 0.01F;
  const PaddedExtents<Shape> extents(1);
  const int stride[3] = {1, extents.nx, extents.nx * extents.ny};
  values.assign(BlockStress<Shape>::size(Kind::plain), 0.0F);
  float* const cells = values.data() + masses;
  float* const edges = cells + padded;
  float is_held[3][padded];
  for (int d = 0; d < Shape::dim; ++d) fill_padded(held[d], block, extents, is_held[d]);
  fill_padded(cell, block, extents, cells);
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  for (int e = 1; e < Shape::dim; ++e)
    for (int d = 0; d < e; ++d) {
      const auto pair = static_cast<std::size_t>(pair_of(d, e));
      float* const target = edges + pair_of(d, e) * padded;
      float centre[padded];
      fill_padded(edge[pair], block, extents, target);
      fill_padded(edge_centre[pair], block, extents, centre);
      for (int k = 0; k < Shape::nz + z; ++k)
        for (int j = 0; j < Shape::ny + 1; ++j)
          for (int i = 0; i < Shape::nx + 1; ++i) {
            const int at = extents.at(i, j, k);
            const bool any_held = is_held[d][at] > 0.0F || is_held[d][at - stride[e]] > 0.0F || is_held[e][at] > 0.0F ||
                                  is_held[e][at - stride[d]] > 0.0F;
            if (any_held) target[at] = centre[at];
          }
    }
  if (layout_->touches_boundary(block)) fill_high_walls<Shape>(finest, factor, layout_->first_cell(block), edges);
  bool any = false;
  bool any_held = false;
  bool is_uniform = true;
  for_each_cell<Shape>([&](int c, const Vec3i& place) {
    const int at = extents.at(place.x(), place.y(), place.z());
    for (int d = 0; d < Shape::dim; ++d) {
      float& value = values[static_cast<std::size_t>(d * Shape::cells + c)];
      float stress = cells[at] + cells[at - stride[d]];
      for (int e = 0; e < Shape::dim; ++e)
        if (e != d) stress += edges[pair_of(d, e) * padded + at] + edges[pair_of(d, e) * padded + at + stride[e]];
      if (is_held[d][at] > 0.0F) {
        value = held_otherwise;
        any_held = true;
      } else if (stress > 0.0F) {
        value = std::max(least_mass, mass[d].block(block)[c]);
        any = true;
      }
      is_uniform = is_uniform && value == 1.0F;
    }
  });
  if (!any) {
    values.resize(any_held ? masses : 0);
    return Kind::none;
  }
  const auto viscosity = static_cast<float>(viscosity_);
  for (int k = -z; is_uniform && k < Shape::nz + z; ++k)
    for (int j = -1; j < Shape::ny + 1; ++j)
      for (int i = -1; i < Shape::nx + 1; ++i) {
        const int at = extents.at(i, j, k);
        const bool is_low = i < Shape::nx && j < Shape::ny && k < Shape::nz;
        const bool is_high = i >= 0 && j >= 0 && k >= 0;
        if (is_low) is_uniform = is_uniform && cells[at] == 2.0F * viscosity;
        for (int pair = 0; is_high && pair < n_pairs(Shape::dim); ++pair)
          is_uniform = is_uniform && edges[pair * padded + at] == viscosity;
      }
  if (!is_uniform) return Kind::plain;
  values.clear();
  return Kind::uniform;
}

void StressWeights::coarsen(const StressWeights& fine, const CoarseLink& link, const BlockLayout& layout,
                            const Domain& finest, int factor) {
  layout_ = &layout;
  viscosity_ = fine.viscosity_;
  const BlockLayout& fine_layout = fine.layout();
  CellField<float> number(fine_layout, 0.0F);
  FaceField<float> mass(layout, 0.0F), held(layout, 0.0F);
  CellField<float> cell(layout, 0.0F);
  std::array<CellField<float>, 3> edge, edge_centre;
  const auto n_owned = static_cast<std::size_t>(layout.n_owned());
  kind_.assign(n_owned, Kind::none);
  values_.resize(n_owned);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const auto set_number = [&](auto&& value) {  // value(numbers of the block, cell, its coordinates)
      parallel_for_blocks(fine_layout.n_owned(), [&](LocalIndex block) {
        const FineNumbers<Shape> numbers{fine, block};
        for_each_cell<Shape>(
            [&](int c, const Vec3i& place) { number.block(block)[c] = static_cast<float>(value(numbers, c, place)); });
      });
      fine_layout.halo().gather(number, 1);
    };
    const auto put = [&](const Stencil& stencil, CellField<float>& target) {
      target.reset(layout, 0.0F);
      target.fill(0.0F);
      coarsen_field<Shape>(number, stencil, link, target);
    };
    for (int d = 0; d < Shape::dim; ++d) {
      Stencil box, face;
      for (int e = 0; e < Shape::dim; ++e) e == d ? box.take_box(e) : box.take_both(e);
      for (int e = 0; e < Shape::dim; ++e)
        if (e != d) face.take_both(e);
      set_number([d](const auto& of, int c, const Vec3i&) { return std::max(0.0, of.weights.mass(d, of.block, c)); });
      put(box, mass[d]);
      // Faces that the domain's walls hold follow from positions on each level: cells behind walls may lie in no block.
      set_number([&](const auto& of, int c, const Vec3i& place) {
        const bool is_held = of.weights.mass(d, of.block, c) < 0.0 &&
                             !is_behind_wall(finest, factor / 2, d, fine_layout.first_cell(of.block) + place);
        return is_held ? 1.0 : 0.0;
      });
      put(face, held[d]);
      parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
        if (!layout.touches_boundary(block)) return;
        for_each_cell<Shape>([&](int c, const Vec3i& place) {
          if (is_behind_wall(finest, factor, d, layout.first_cell(block) + place)) held[d].block(block)[c] = 1.0F;
        });
      });
    }
    layout.halo().gather(held, 1);
    Stencil whole;
    for (int d = 0; d < Shape::dim; ++d) whole.take_both(d);
    set_number([](const auto& of, int, const Vec3i& place) { return of.cell(place); });
    put(whole, cell);
    layout.halo().gather(cell, 1);
    for (int e = 1; e < Shape::dim; ++e)
      for (int d = 0; d < e; ++d) {
        const auto pair = static_cast<std::size_t>(pair_of(d, e));
        Stencil box, centre;
        for (int axis = 0; axis < Shape::dim; ++axis) {
          if (axis == d || axis == e) {
            box.take_box(axis);
          } else {
            box.take_both(axis);
            centre.take_both(axis);
          }
        }
        set_number([pair](const auto& of, int, const Vec3i& place) { return of.edge(static_cast<int>(pair), place); });
        put(box, edge[pair]);
        put(centre, edge_centre[pair]);
        layout.halo().gather(edge[pair], 1);
        layout.halo().gather(edge_centre[pair], 1);
      }
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      const auto n = static_cast<std::size_t>(block);
      kind_[n] = build_coarse<Shape>(mass, held, cell, edge, edge_centre, finest, factor, block, values_[n]);
    });
  });
  find_active();
}

}  // namespace freshet::viscous
