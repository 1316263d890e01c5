// SPDX-License-Identifier: Apache-2.0
#include "pressure/multigrid/level.hpp"

#include "pressure/multigrid/aggregation.hpp"

#include <algorithm>

namespace freshet::pressure {
namespace {

/// Factor of P^T A P inside a plain body (aggregation.hpp), where the coarse level's weights are 1.
constexpr float coarse_operator_scale = 0.5F;

}  // namespace

template <class Shape>
ColourStar MultigridLevel::values_around(const Block& block, Colour colour) const {
  const int start = start_of<Shape>(colour);
  ColourStar result{};
  result.self = x_.block(block.number) + start;
  for (int d = 0; d < Shape::dim; ++d) {
    result.low[d] = x_.block(block.neighbours[2 * d]) + start;
    result.high[d] = x_.block(block.neighbours[2 * d + 1]) + start;
  }
  return result;
}

template <class Shape>
void MultigridLevel::relax_block(const Block& block, Colour colour) {
  const int start = start_of<Shape>(colour);
  const ColourStar x = values_around<Shape>(block, other(colour));
  const float* b = b_.block(block.number) + start;
  const float* inverse = inverse_.block(block.inverse) + start;
  float* result = x_.block(block.number) + start;
  const auto update = [=](int place, const FloatRow& sum) {
    store_floats(result + place, (load_floats(b + place) + sum) * load_floats(inverse + place));
  };
  const std::uint32_t vectors = block.vectors[static_cast<std::size_t>(colour)];
  if (block.weights == all_one) {
    sum_neighbours<Shape, true>(colour, x, nullptr, vectors, update);
  } else {
    sum_neighbours<Shape, false>(colour, x, weight_.block(block.weights) + weights_of<Shape>(colour), vectors, update);
  }
}
template void MultigridLevel::relax_block<BlockShape<2>>(const Block&, Colour);
template void MultigridLevel::relax_block<BlockShape<3>>(const Block&, Colour);

void MultigridLevel::relax(Colour colour, Stretch stretch) {
  with_shape(dimension(), [this, colour, stretch](auto shape) {
    share_blocks(stretch.begin, stretch.end,
                 [this, colour](LocalIndex n) { relax_block<decltype(shape)>(blocks_[n], colour); });
  });
}

void MultigridLevel::relax_even_from_zero(const Block& block) {
  constexpr int pair = Checkerboard<BlockShape<3>>::pair;
  static_assert(pair == Checkerboard<BlockShape<2>>::pair);
  const int n_vectors = layout().cells_per_block() / 2 / pair;
  const float* b = b_.block(block.number);
  const float* inverse = inverse_.block(block.inverse);
  float* x = x_.block(block.number);
  for_each_set_row(block.vectors[0] & (~0U >> (32 - n_vectors)), n_vectors, [=](int n) {
    store_floats(x + pair * n, load_floats(b + pair * n) * load_floats(inverse + pair * n));
  });
}

void MultigridLevel::relax_even_from_zero() {
  share_blocks(n_blocks(), [this](LocalIndex n) { relax_even_from_zero(blocks_[n]); });
}

template <class Shape>
void MultigridLevel::even_residual(const Block& block, float* residual) const {
  const ColourStar around = values_around<Shape>(block, Colour::odd);
  const float* b = b_.block(block.number);
  const float* x = x_.block(block.number);
  const float* inverse = inverse_.block(block.inverse);
  const auto subtract = [=](int place, const FloatRow& sum) {
    const FloatRow inverse_diagonal = load_floats(inverse + place);
    const auto has_unknown = inverse_diagonal != 0.0F;
    const FloatRow scaled = load_floats(x + place) / (has_unknown ? inverse_diagonal : FloatRow{} + 1.0F);
    store_floats(residual + place, has_unknown ? load_floats(b + place) + sum - scaled : FloatRow{});
  };
  if (block.vectors[0] != ~0U) std::fill_n(residual, Checkerboard<Shape>::half, 0.0F);
  if (block.weights == all_one) {
    sum_neighbours<Shape, true>(Colour::even, around, nullptr, block.vectors[0], subtract);
  } else {
    sum_neighbours<Shape, false>(Colour::even, around, weight_.block(block.weights), block.vectors[0], subtract);
  }
}

void MultigridLevel::restrict_residual(MultigridLevel& coarse) {
  with_shape(dimension(), [this, &coarse](auto shape) {
    using Shape = decltype(shape);
    // The coarse equations are divided by that factor and by the number of fine faces in a coarse one.
    constexpr float scale = 1.0F / (coarse_operator_scale * (Shape::dim == 3 ? 4.0F : 2.0F));
    gather_during(Colour::odd, [this, &coarse](Stretch stretch) {
      share_blocks(stretch.begin, stretch.end, [this, &coarse](LocalIndex n) {
        alignas(64) float residual[Checkerboard<Shape>::half];
        even_residual<Shape>(blocks_[n], residual);
        const ParentPlace& place = grid_->parent(blocks_[n].number);
        restrict_even<Shape>(place, residual, scale, coarse.b_.block(place.slot));
      });
    });
  });
  if (!grid_->is_on_one_rank()) grid_->link->send_to_parents(coarse.stand_ins(coarse.b_), coarse.b_.data());
}

void MultigridLevel::prolong(MultigridLevel& coarse) {
  if (!grid_->is_on_one_rank()) grid_->link->receive_from_parents(coarse.x_.data(), coarse.stand_ins(coarse.x_));
  with_shape(dimension(), [this, &coarse](auto shape) {
    using Shape = decltype(shape);
    share_blocks(n_blocks(), [this, &coarse](LocalIndex n) {
      const Block& block = blocks_[n];
      const ParentPlace& place = grid_->parent(block.number);
      prolong_even<Shape>(place, coarse.x_.block(place.slot), inverse_.block(block.inverse), x_.block(block.number));
    });
  });
}

}  // namespace freshet::pressure
