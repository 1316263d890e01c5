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
  static constexpr TileExtents<Shape> extents{1};

  double cell(const Vec3i& place) const {
    const int at = extents.at(place);
    if (kind == Kind::uniform) return 2.0 * weights.uniform_viscosity();
    if (kind == Kind::plain) return static_cast<double>(stress.template cell<Kind::plain>(0)[at]);
    if (kind == Kind::none) return 0.0;
    float largest = 0.0F;
    for (int d = 0; d < Shape::dim; ++d) largest = std::max(largest, stress.template cell<Kind::walled>(d)[at]);
    return static_cast<double>(largest);
  }
  double edge(int pair, const Vec3i& place) const {
    const int at = extents.at(place);
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
  constexpr TileExtents<Shape> extents(1);
  constexpr int padded = BlockStress<Shape>::padded;
  for (int axis = 0; axis < Shape::dim; ++axis) {
    if (!model_of(finest.condition(axis, 1)).is_held) continue;
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
            edge[0] = std::max(edge[0], 2.0F * edge[-extents.stride(axis)]);
          }
  }
}

/// Call f(number, coordinates) for all cells of a block.
template <class Shape, class Function>
void for_each_cell(Function&& f) {
  for (int c = 0; c < Shape::cells; ++c) f(c, Shape::place(c));
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
  link.collect(coarse, [&](LocalIndex block, float* octant) {
    const Tile<float, Shape, 1> tile(fine, block);
    for (int k = 0; k < (Shape::dim == 3 ? 4 : 1); ++k)
      for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 4; ++i) {
          double sum = 0.0;
          for (int c = 0; c < stencil.n[2]; ++c)
            for (int b = 0; b < stencil.n[1]; ++b)
              for (int a = 0; a < stencil.n[0]; ++a)
                sum += stencil.weight[0][static_cast<std::size_t>(a)] * stencil.weight[1][static_cast<std::size_t>(b)] *
                       stencil.weight[2][static_cast<std::size_t>(c)] *
                       static_cast<double>(tile(2 * i + stencil.first[0] + a, 2 * j + stencil.first[1] + b,
                                                2 * k + stencil.first[2] + c));
          octant[Shape::cell(i, j, k)] = static_cast<float>(sum);
        }
  });
}

/// Means of the finer level's coefficients on a coarse level. Those that blocks read around them have ghosts of
/// width 1.
struct Means {
  Means(const BlockLayout& coarse, const Domain& finest_domain, int width)
      : layout(coarse),
        finest(finest_domain),
        factor(width),
        mass(coarse, 0.0F),
        held(coarse, 0.0F),
        cell(coarse, 0.0F) {}

  const BlockLayout& layout;
  const Domain& finest;                         ///< domain of the finest level
  int factor;                                   ///< width of a coarse cell in cells of the finest level
  FaceField<float> mass;                        ///< mean over the box around a face
  FaceField<float> held;                        ///< share of the fine faces on a face that a solid holds
  CellField<float> cell;                        ///< mean of the stress in a cell [Pa s]
  std::array<CellField<float>, 3> edge;         ///< by pair of axes, mean of the stress around an edge [Pa s]
  std::array<CellField<float>, 3> edge_centre;  ///< by pair of axes, mean of the stress on an edge [Pa s]
};

/// Sets the means of a coarse level. Functions are collective; OpenMP
template <class Shape>
class MeansOver {
 public:
  MeansOver(const StressWeights& fine, const CoarseLink& link, Means& means)
      : fine_(fine), link_(link), to_(means), number_(fine.layout(), 0.0F) {}

  void set_faces(int d) {
    Stencil box, face;
    for (int e = 0; e < Shape::dim; ++e) e == d ? box.take_box(e) : box.take_both(e);
    for (int e = 0; e < Shape::dim; ++e)
      if (e != d) face.take_both(e);
    set_number([d](const auto& of, int c, const Vec3i&) { return std::max(0.0, of.weights.mass(d, of.block, c)); });
    put(box, to_.mass[d]);
    // Faces that the domain's walls hold follow from positions on each level: cells behind walls may lie in no block.
    set_number([&](const auto& of, int c, const Vec3i& place) {
      const bool is_held = of.weights.mass(d, of.block, c) < 0.0 &&
                           !is_behind_wall(to_.finest, to_.factor / 2, d, fine_.layout().first_cell(of.block) + place);
      return is_held ? 1.0 : 0.0;
    });
    put(face, to_.held[d]);
    parallel_for_blocks(to_.layout.n_owned(), [&](LocalIndex block) {
      if (!to_.layout.touches_boundary(block)) return;
      for_each_cell<Shape>([&](int c, const Vec3i& place) {
        if (is_behind_wall(to_.finest, to_.factor, d, to_.layout.first_cell(block) + place))
          to_.held[d].block(block)[c] = 1.0F;
      });
    });
  }
  void set_cells() {
    Stencil whole;
    for (int d = 0; d < Shape::dim; ++d) whole.take_both(d);
    set_number([](const auto& of, int, const Vec3i& place) { return of.cell(place); });
    put(whole, to_.cell);
    to_.layout.halo().gather(to_.cell, 1);
  }
  void set_edges(int d, int e) {
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
    put(box, to_.edge[pair]);
    put(centre, to_.edge_centre[pair]);
    to_.layout.halo().gather(to_.edge[pair], 1);
    to_.layout.halo().gather(to_.edge_centre[pair], 1);
  }

 private:
  /// Set the fine numbers to value(numbers of the block, cell, its coordinates).
  template <class Value>
  void set_number(Value&& value) {
    parallel_for_blocks(fine_.layout().n_owned(), [&](LocalIndex block) {
      const FineNumbers<Shape> numbers{fine_, block};
      for_each_cell<Shape>(
          [&](int c, const Vec3i& place) { number_.block(block)[c] = static_cast<float>(value(numbers, c, place)); });
    });
    fine_.layout().halo().gather(number_, 1);
  }
  void put(const Stencil& stencil, CellField<float>& target) {
    target.reset(to_.layout, 0.0F);
    target.fill(0.0F);
    coarsen_field<Shape>(number_, stencil, link_, target);
  }

  const StressWeights& fine_;
  const CoarseLink& link_;
  Means& to_;
  CellField<float> number_;  ///< the fine numbers whose means come next
};

/// Turns the means of one coarse block into its coefficients.
template <class Shape>
class CoarseBlock {
 public:
  CoarseBlock(const Means& means, LocalIndex block, StressWeights::Values& values)
      : means_(means), block_(block), values_(values) {
    values.assign(BlockStress<Shape>::size(Kind::plain), 0.0F);
    cells_ = values.data() + BlockStress<Shape>::masses;
    edges_ = cells_ + padded;
    is_held_.fill(means.held, block);
    fill_tile(means.cell, block, extents_, cells_);
    for (int e = 1; e < Shape::dim; ++e)
      for (int d = 0; d < e; ++d) set_edges(d, e);
    if (means.layout.touches_boundary(block))
      fill_high_walls<Shape>(means.finest, means.factor, means.layout.first_cell(block), edges_);
  }

  /// Set the masses, and drop the numbers that the block's kind implies. \param[in] viscosity  of uniform blocks [Pa s]
  Kind finish(double viscosity) {
    bool any = false;
    bool any_held = false;
    bool is_uniform = true;
    for_each_cell<Shape>([&](int c, const Vec3i& place) {
      const int at = extents_.at(place);
      for (int d = 0; d < Shape::dim; ++d) {
        float& value = values_[static_cast<std::size_t>(d * Shape::cells + c)];
        if (is_held_[d][at] > 0.0F) {
          value = held_otherwise;
          any_held = true;
        } else if (stress_beside(d, at) > 0.0F) {
          value = std::max(least_mass, means_.mass[d].block(block_)[c]);
          any = true;
        }
        is_uniform = is_uniform && value == 1.0F;
      }
    });
    if (!any) {
      values_.resize(any_held ? BlockStress<Shape>::masses : 0);
      return Kind::none;
    }
    if (!is_uniform || !has_one_viscosity(static_cast<float>(viscosity))) return Kind::plain;
    values_.clear();
    return Kind::uniform;
  }

 private:
  static constexpr int padded = BlockStress<Shape>::padded;
  static constexpr float least_mass = 0.01F;
  static constexpr int z = Shape::dim == 3 ? 1 : 0;  ///< layers of cells around the block along the third axis

  /// Set the stress on the edges of a pair of axes.
  void set_edges(int d, int e) {
    const auto pair = static_cast<std::size_t>(pair_of(d, e));
    float* const target = edges_ + pair_of(d, e) * padded;
    fill_tile(means_.edge[pair], block_, extents_, target);
    const Tile<float, Shape, 1> centre(means_.edge_centre[pair], block_);
    for (int k = 0; k < Shape::nz + z; ++k)
      for (int j = 0; j < Shape::ny + 1; ++j)
        for (int i = 0; i < Shape::nx + 1; ++i) {
          const int at = extents_.at(i, j, k);
          const bool any_held = is_held_[d][at] > 0.0F || is_held_[d][at - extents_.stride(e)] > 0.0F ||
                                is_held_[e][at] > 0.0F || is_held_[e][at - extents_.stride(d)] > 0.0F;
          if (any_held) target[at] = centre[at];
        }
  }
  /// Sum of the stress in the cells and on the edges beside a face.
  float stress_beside(int d, int at) const {
    float stress = cells_[at] + cells_[at - extents_.stride(d)];
    for (int e = 0; e < Shape::dim; ++e)
      if (e != d) {
        const float* const edge = edges_ + pair_of(d, e) * padded + at;
        stress += edge[0] + edge[extents_.stride(e)];
      }
    return stress;
  }
  /// Whether cells and edges in the block and around it have the stress of this viscosity.
  bool has_one_viscosity(float viscosity) const {
    for (int k = -z; k < Shape::nz + z; ++k)
      for (int j = -1; j < Shape::ny + 1; ++j)
        for (int i = -1; i < Shape::nx + 1; ++i) {
          const int at = extents_.at(i, j, k);
          const bool is_low = i < Shape::nx && j < Shape::ny && k < Shape::nz;
          const bool is_high = i >= 0 && j >= 0 && k >= 0;
          if (is_low && cells_[at] != 2.0F * viscosity) return false;
          for (int pair = 0; is_high && pair < n_pairs(Shape::dim); ++pair)
            if (edges_[pair * padded + at] != viscosity) return false;
        }
    return true;
  }

  const Means& means_;
  LocalIndex block_;
  StressWeights::Values& values_;
  static constexpr TileExtents<Shape> extents_{1};
  float* cells_ = nullptr;  ///< stress in cells, in values_
  float* edges_ = nullptr;  ///< stress on edges, in values_
  FaceTile<float, Shape, 1> is_held_;
};

}  // namespace

void StressWeights::coarsen(const StressWeights& fine, const CoarseLink& link, const BlockLayout& layout,
                            const Domain& finest, int factor) {
  layout_ = &layout;
  viscosity_ = fine.viscosity_;
  kind_.assign(static_cast<std::size_t>(layout.n_owned()), Kind::none);
  values_.resize(kind_.size());
  Means means(layout, finest, factor);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    MeansOver<Shape> over(fine, link, means);
    for (int d = 0; d < Shape::dim; ++d) over.set_faces(d);
    layout.halo().gather(means.held, 1);
    over.set_cells();
    for (int e = 1; e < Shape::dim; ++e)
      for (int d = 0; d < e; ++d) over.set_edges(d, e);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      const auto n = static_cast<std::size_t>(block);
      kind_[n] = CoarseBlock<Shape>(means, block, values_[n]).finish(viscosity_);
    });
  });
  find_active();
}

}  // namespace freshet::viscous
