// SPDX-License-Identifier: Apache-2.0
#include "viscosity/strain_operator.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"

#include <array>

namespace freshet::viscous {
namespace {

/// A block's coefficients as kernels read them, by its kind.
template <class Shape, Kind kind>
struct Coefficients {
  static constexpr Kind kind_of = kind;
  BlockStress<Shape> stress;
  double viscosity;  ///< viscosity of a uniform block [Pa s]

  double mass(int d, int c) const { return kind == Kind::uniform ? 1.0 : static_cast<double>(stress.mass(d)[c]); }
  double cell(int d, int at) const {
    if constexpr (kind == Kind::uniform) return 2.0 * viscosity;
    return static_cast<double>(stress.template cell<kind>(d)[at]);
  }
  double own_edge(int d, int e, int at) const {
    if constexpr (kind == Kind::uniform) return viscosity;
    if constexpr (kind == Kind::plain) return static_cast<double>(stress.template edge<kind>(pair_of(d, e), 0)[at]);
    return static_cast<double>(stress.template edge<kind>(pair_of(d, e), d < e ? 0 : 1)[at]);
  }
  double cross_edge(int d, int e, int at) const {
    if constexpr (kind == Kind::walled) return static_cast<double>(stress.template edge<kind>(pair_of(d, e), 2)[at]);
    return own_edge(d, e, at);
  }
};

/// Call write(face of the block, its index in tiles) for the faces of some rows.
template <class Shape, class Write>
[[gnu::always_inline]] inline void for_each_face(const TileExtents<Shape>& extents, std::uint64_t rows, Write&& write) {
  for_each_set_row(rows, Shape::rows, [&](int r) {
    const int begin = extents.at(0, r % Shape::ny, r / Shape::ny);
    const int first = block_width * r;
#pragma omp simd
    for (int i = 0; i < Shape::nx; ++i) write(first + i, begin + i);
  });
}

/// Minus dx^2 times the force of the stresses on a face: sums over its two cells and its edges.
template <class Shape, Kind kind, int d>
[[gnu::always_inline]] inline double stress_difference(const Coefficients<Shape, kind>& of,
                                                       const TileExtents<Shape>& extents,
                                                       const FaceTile<double, Shape, 1>& u, int at) {
  const int along = extents.stride(d);
  const double* const own = u[d];
  double sum = of.cell(d, at - along) * (own[at] - own[at - along]) - of.cell(d, at) * (own[at + along] - own[at]);
  const auto add = [&](auto axis) {
    constexpr int e = axis;
    if constexpr (e != d) {
      const int across = extents.stride(e);
      const double* const other = u[e];
      sum += of.own_edge(d, e, at) * (own[at] - own[at - across]) +
             of.cross_edge(d, e, at) * (other[at] - other[at - along]);
      const int above = at + across;
      sum -= of.own_edge(d, e, above) * (own[above] - own[at]) +
             of.cross_edge(d, e, above) * (other[above] - other[above - along]);
    }
  };
  add(std::integral_constant<int, 0>{});
  add(std::integral_constant<int, 1>{});
  if constexpr (Shape::dim == 3) add(std::integral_constant<int, 2>{});
  return sum;
}

template <class Shape, Kind kind, int d, class Number>
void apply_component(const Coefficients<Shape, kind>& of, const TileExtents<Shape>& extents,
                     const FaceTile<double, Shape, 1>& u, std::uint64_t rows, double scale, double mass_factor,
                     Number* y) {
  for_each_face<Shape>(extents, rows, [&](int face, int at) {
    const double mass = of.mass(d, face);
    const double value = mass_factor * mass * u[d][at] + scale * stress_difference<Shape, kind, d>(of, extents, u, at);
    y[face] = static_cast<Number>(mass > 0.0 ? value : 0.0);
  });
}

/// 1 / (W + scale * sum of the stress coefficients of a face), with factors for those of cells, of edges' differences
/// of the component itself, and of their products with other components.
template <class Shape, Kind kind, class Number>
void inverse_of_sums(const Coefficients<Shape, kind>& of, double scale, const double (&factor)[3],
                     Number* const* result) {
  constexpr TileExtents<Shape> extents(1);
  for (int d = 0; d < Shape::dim; ++d)
    for (int k = 0; k < Shape::nz; ++k)
      for (int j = 0; j < Shape::ny; ++j)
        for (int i = 0; i < Shape::nx; ++i) {
          const int at = extents.at(i, j, k);
          const int face = Shape::cell(i, j, k);
          double sum = factor[0] * (of.cell(d, at - extents.stride(d)) + of.cell(d, at));
          for (int e = 0; e < Shape::dim; ++e) {
            if (e == d) continue;
            const int above = at + extents.stride(e);
            sum += factor[1] * (of.own_edge(d, e, at) + of.own_edge(d, e, above)) +
                   factor[2] * (of.cross_edge(d, e, at) + of.cross_edge(d, e, above));
          }
          const double mass = of.mass(d, face);
          result[d][face] = static_cast<Number>(mass > 0.0 ? 1.0 / (mass + scale * sum) : 0.0);
        }
}

/// Call f(coefficients) with the type of the block's kind.
template <class Shape, class Function>
void with_kind(const StressWeights& weights, LocalIndex block, Function&& f) {
  const BlockStress<Shape> stress = weights.block<Shape>(block);
  const double viscosity = weights.uniform_viscosity();
  switch (weights.kind(block)) {
    case Kind::uniform:
      return f(Coefficients<Shape, Kind::uniform>{stress, viscosity});
    case Kind::plain:
      return f(Coefficients<Shape, Kind::plain>{stress, viscosity});
    case Kind::walled:
      return f(Coefficients<Shape, Kind::walled>{stress, viscosity});
    case Kind::none:
      return;
  }
}

}  // namespace

void StrainOperator::reset(const StressWeights& weights, double scale) {
  weights_ = &weights;
  scale_ = scale;
}

template <class Shape, class Number>
void StrainOperator::apply_in_block(const FaceField<Number>& x, LocalIndex block, bool without_mass,
                                    Number* const* y) const {
  constexpr TileExtents<Shape> extents(1);
  const FaceTile<double, Shape, 1> u(x, block);
  const double mass_factor = without_mass ? 0.0 : 1.0;
  with_kind<Shape>(*weights_, block, [&](const auto& of) {
    constexpr Kind kind = std::remove_cvref_t<decltype(of)>::kind_of;
    const auto rows = [&](int d) { return weights_->rows(d, block); };
    apply_component<Shape, kind, 0>(of, extents, u, rows(0), scale_, mass_factor, y[0]);
    apply_component<Shape, kind, 1>(of, extents, u, rows(1), scale_, mass_factor, y[1]);
    if constexpr (Shape::dim == 3) apply_component<Shape, kind, 2>(of, extents, u, rows(2), scale_, mass_factor, y[2]);
  });
  for (const WallDrag& drag : weights_->drags(block)) {
    const int face = drag.face;
    const int at = extents.of_cell(face);
    const double difference = u[drag.axis][at] - (without_mass ? drag.wall_velocity : 0.0);
    y[drag.axis][face] += static_cast<Number>(scale_ * static_cast<double>(drag.coefficient) * difference);
  }
}

template void StrainOperator::apply_in_block<BlockShape<2>>(const FaceField<double>&, LocalIndex, bool,
                                                            double* const*) const;
template void StrainOperator::apply_in_block<BlockShape<3>>(const FaceField<double>&, LocalIndex, bool,
                                                            double* const*) const;
template void StrainOperator::apply_in_block<BlockShape<2>>(const FaceField<float>&, LocalIndex, bool,
                                                            float* const*) const;
template void StrainOperator::apply_in_block<BlockShape<3>>(const FaceField<float>&, LocalIndex, bool,
                                                            float* const*) const;

void StrainOperator::apply(const FaceField<double>& x, FaceField<double>& y, bool without_mass) const {
  const std::vector<LocalIndex>& active = weights_->active();
  with_shape(weights_->layout().domain().dimension(), [&](auto shape) {
    parallel_for_blocks(static_cast<LocalIndex>(active.size()), [&](LocalIndex n) {
      const LocalIndex block = active[static_cast<std::size_t>(n)];
      double* target[3] = {};
      for (int d = 0; d < y.dimension(); ++d) target[d] = y[d].block(block);
      apply_in_block<decltype(shape)>(x, block, without_mass, target);
    });
  });
}

void StrainOperator::diagonal(LocalIndex block, double* result) const {
  with_shape(weights_->layout().domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    double* const target[3] = {result, result + Shape::cells, result + (Shape::dim - 1) * Shape::cells};
    with_kind<Shape>(*weights_, block, [&](const auto& of) { inverse_of_sums(of, scale_, {1.0, 1.0, 0.0}, target); });
    for (int n = 0; n < Shape::dim * Shape::cells; ++n) result[n] = result[n] > 0.0 ? 1.0 / result[n] : 1.0;
    for (const WallDrag& drag : weights_->drags(block))
      target[drag.axis][drag.face] += scale_ * static_cast<double>(drag.coefficient);
  });
}

void StrainOperator::inverse_bound(LocalIndex block, float* const* result) const {
  with_shape(weights_->layout().domain().dimension(), [&](auto shape) {
    with_kind<decltype(shape)>(*weights_, block, [&](const auto& of) {
      inverse_of_sums(of, scale_, {2.0, 2.0, 2.0}, result);
    });
    for (const WallDrag& drag : weights_->drags(block)) {
      float& inverse = result[drag.axis][drag.face];
      inverse = 1.0F / (1.0F / inverse + static_cast<float>(scale_) * drag.coefficient);
    }
  });
}

}  // namespace freshet::viscous
