// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pressure/multigrid/checkerboard.hpp"

#include <array>
#include <cstdint>
#include <span>

/// Between a block's cells and their aggregates in the parent block, both in checkerboard order.
///
/// P is piecewise constant: a cell takes its aggregate's value. In P^T A P a weight between two aggregates is the sum W
/// of the weights of the faces between them, and the excess of the diagonal over the weights, which ties an aggregate
/// to p = 0, is the sum of its cells' excesses. That is right for what is constant in each aggregate, as it is on both
/// sides of a hole in a wall, and twice too much for what varies smoothly. So weights are conductances in series: from
/// the centre of one aggregate to that of the next, half of the way leads through the faces inside each of the two.
/// With V and V' the sums of the weights of these faces across the same axis,
///
///     w = W / (1 + (q + q') / 2),  q = min(W, V) / max(W, V):
///
/// half of W in a full body, W itself where W is far less than V, and where an aggregate has nothing behind the face
/// (V = 0). For the excess, V is the mean over the axes, and only one half of the way is inside. The coarse operator is
/// so between P^T A P / 2 and P^T A P.
namespace freshet::pressure {

struct ParentPlace;

/// The parent's cells that a block's cells belong to, each once.
std::span<const std::int16_t> aggregates_of(int dimension, const ParentPlace& place);

/// coarse = scale P^T fine over one child's aggregates, for values of the even cells only, or of both colours.
template <class Shape>
void restrict_even(const ParentPlace& place, const float* fine_even, float scale, float* parent);
template <class Shape>
void restrict_all(const ParentPlace& place, const float* fine, float scale, float* parent);

/// The weights of an aggregate's faces: W, from those of its cells' outer faces.
template <class Shape>
void restrict_weights(const ParentPlace& place, const Weight* fine, float scale, Weight* parent);
/// The weights of the faces inside an aggregate across each axis: V, as floats that are weights. 0 along an axis that
/// is not coarsened.
template <class Shape>
void restrict_inner_weights(const ParentPlace& place, const Weight* fine, float scale,
                            const std::array<float*, 3>& parent);

/// Weights in series, divided by what they are in a full body: 1 stays 1.
/// \param[in] inner  for each axis V of the block and those beside it, cells of both colours
/// \param[in,out] weight  of the block: W, then w
template <class Shape>
void put_in_series(const std::array<ColourAround, Shape::dim>& inner, Weight* weight);
/// The same for excesses.
template <class Shape>
void put_excess_in_series(const std::array<const float*, 3>& inner, const float* sum, float* excess);

/// fine += P coarse in the even cells whose entry in `inverse` is not 0.
template <class Shape>
void prolong_even(const ParentPlace& place, const float* parent, const float* inverse_even, float* fine_even);

}  // namespace freshet::pressure
