// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/linear/level_link.hpp"
#include "pressure/multigrid/checkerboard.hpp"

#include <array>
#include <cstdint>
#include <span>

/// Transfer between a block's cells and their aggregates in the parent block, both in checkerboard order.
///
/// P is piecewise constant: a cell takes its aggregate's value. In P^T A P a weight between two aggregates is the sum W
/// of the weights of the faces between them, and the excess of the diagonal over the weights, which ties an aggregate
/// to p = 0, is the sum of its cells' excesses. That is exact for a solution that is constant in each aggregate, as on
/// both sides of a hole in a wall, and twice too large for a smooth one. So weights are conductances in series: half of
/// the path between the centres of two aggregates leads through the faces inside them. With V and V' the sums of the
/// weights of these faces across the same axis,
///
///     w = W / (1 + (q + q') / 2),  q = min(W, V) / max(W, V):
///
/// W / 2 in a full body, and W if W is far less than V or if nothing lies behind the face (V = 0). For the excess, V is
/// the mean over the axes, and only half of the path is inside. The coarse operator thus lies between P^T A P / 2 and
/// P^T A P.
namespace freshet::pressure {

/// The parent's cells that are aggregates of a block's cells, each once.
std::span<const std::int16_t> aggregates_of(int dimension, const ParentPlace& place);

/// parent = scale P^T fine over one child's aggregates, for values of the even cells only or of both colours.
template <class Shape>
void restrict_even(const ParentPlace& place, const float* fine_even, float scale, float* parent);
template <class Shape>
void restrict_all(const ParentPlace& place, const float* fine, float scale, float* parent);

/// W: the weights of an aggregate's faces, summed from those of its cells' outer faces.
template <class Shape>
void restrict_weights(const ParentPlace& place, const Weight* fine, float scale, Weight* parent);
/// V: the weights of the faces inside an aggregate across each axis, as floats rounded to weights; 0 along an axis that
/// is not coarsened.
template <class Shape>
void restrict_inner_weights(const ParentPlace& place, const Weight* fine, float scale,
                            const std::array<float*, 3>& parent);

/// Turn W into w, divided by its value in a full body, so that 1 stays 1.
/// \param[in] inner  for each axis V of the block and its neighbours, cells of both colours
/// \param[in,out] weight  weights of the block: W, on return w
template <class Shape>
void put_in_series(const std::array<ColourStar, Shape::dim>& inner, Weight* weight);
/// Turn sums of excesses into excesses in series, in the same way.
template <class Shape>
void put_excess_in_series(const std::array<const float*, 3>& inner, const float* sum, float* excess);

/// fine += P parent in the even cells whose entry in inverse_even is not 0.
template <class Shape>
void prolong_even(const ParentPlace& place, const float* parent, const float* inverse_even, float* fine_even);

}  // namespace freshet::pressure
