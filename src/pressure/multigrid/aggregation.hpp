// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pressure/multigrid/checkerboard.hpp"

#include <array>
#include <cstdint>
#include <span>

/// Between a block's cells and their aggregates in the parent block, both in checkerboard order.
///
/// P is piecewise constant: a cell takes its aggregate's value. The coarse operator is P^T A P: a weight between two
/// aggregates is the sum of the weights of the faces between them. The excess of the diagonal over the weights, which
/// ties an aggregate to p = 0, is the sum of its cells' excesses.
namespace freshet::pressure {

struct ParentPlace;

/// The parent's cells that a block's cells belong to, each once.
std::span<const std::int16_t> aggregates_of(int dimension, const ParentPlace& place);

/// coarse = scale P^T fine over one child's aggregates, for values of the even cells only, or of both colours.
template <class Shape>
void restrict_even(const ParentPlace& place, const float* fine_even, float scale, float* parent);
template <class Shape>
void restrict_all(const ParentPlace& place, const float* fine, float scale, float* parent);

/// The weights of an aggregate's faces from those of its cells' outer faces.
template <class Shape>
void restrict_weights(const ParentPlace& place, const Weight* fine, float scale, Weight* parent);

/// fine += P coarse in the even cells whose entry in `inverse` is not 0.
template <class Shape>
void prolong_even(const ParentPlace& place, const float* parent, const float* inverse_even, float* fine_even);

}  // namespace freshet::pressure
