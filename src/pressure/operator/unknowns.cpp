// SPDX-License-Identifier: Apache-2.0
#include "pressure/operator/unknowns.hpp"

#include "freshet/core/parallel_for.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace freshet::pressure {
namespace {

/// Weights are sums of a few open fractions: a diagonal that differs by less is a sum in another order.
constexpr double anchor_round_off = 1e-12;

bool touches_ghost(const BlockLayout& layout, LocalIndex block) {
  const LocalIndex* neighbours = layout.neighbours(block);
  return std::any_of(neighbours, neighbours + n_directions,
                     [&](LocalIndex n) { return n >= layout.n_owned() && n < layout.background(); });
}

}  // namespace

void Unknowns::rebuild(const PoissonCoefficients& coefficients) {
  layout_ = &coefficients.unknown.layout();
  with_shape(layout_->domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    rows_ = Shape::rows;
    set_masks(coefficients);
    number_blocks();
  });
  examine(coefficients, active_);
}

void Unknowns::examine(const PoissonCoefficients& coefficients, std::span<const LocalIndex> blocks) {
  with_shape(layout_->domain().dimension(), [&](auto shape) {
    parallel_for_blocks(static_cast<LocalIndex>(blocks.size()), [&](LocalIndex n) {
      examine_block<decltype(shape)>(coefficients, blocks[static_cast<std::size_t>(n)]);
    });
  });
}

void Unknowns::set_masks(const PoissonCoefficients& coefficients) {
  const auto n_owned = static_cast<std::size_t>(layout_->n_owned());
  first_.resize(n_owned + 1);
  fill_.resize(n_owned);
  coefficients_.resize(n_owned);
  shared_.resize(n_owned);
  masks_.resize(n_owned * static_cast<std::size_t>(rows_));
  anchored_.resize(masks_.size());
  parallel_for_blocks(layout_->n_owned(), [&](LocalIndex block) {
    const std::uint8_t* unknown = coefficients.unknown.block(block);
    std::uint8_t* masks = &masks_[row_index(block)];
    LocalIndex n = 0;
    for (int r = 0; r < rows_; ++r) {
      masks[r] = row_mask(unknown + block_width * r);
      n += std::popcount(masks[r]);
    }
    first_[block] = n;
    fill_[block] = n == 0 ? Fill::empty : n == rows_ * block_width ? Fill::full : Fill::partial;
    shared_[block] = touches_ghost(*layout_, block) ? 1 : 0;
  });
}

void Unknowns::number_blocks() {
  first_.back() = 0;
  std::exclusive_scan(first_.begin(), first_.end(), first_.begin(), LocalIndex{0});
  active_.clear();
  for (LocalIndex block = 0; block < layout_->n_owned(); ++block) {
    if (fill(block) != Fill::empty) active_.push_back(block);
  }
}

template <class Shape>
void Unknowns::examine_block(const PoissonCoefficients& coefficients, LocalIndex block) {
  const Around<std::uint8_t> unknown = around(coefficients.unknown, block);
  const FacesAround<double> weight = around(coefficients.weight, block);
  const double* diagonal = coefficients.diagonal.block(block);
  std::uint8_t* anchored = &anchored_[row_index(block)];
  unsigned not_unit = 0;
  unsigned not_interior = 0;
  for (int r = 0; r < Shape::rows; ++r) {
    const unsigned here = masks(block)[r];
    const Row d = load(diagonal + block_width * r);
    Row to_unknowns{};
    for_each_axis<Shape>([&](auto axis) {
      const auto low = static_cast<std::uint8_t>(here & lower_mask<Shape, axis>(unknown, r));
      const auto high = static_cast<std::uint8_t>(here & upper_mask<Shape, axis>(unknown, r));
      const Row low_weight = load(weight[axis].self + block_width * r);
      const Row high_weight = on_high_faces<Shape, axis>(weight[axis], r);
      to_unknowns += keep(low, low_weight) + keep(high, high_weight);
      not_unit |= (row_mask(low_weight != 1.0) & low) | (row_mask(high_weight != 1.0) & high);
    });
    not_interior |= row_mask(d != 2.0 * Shape::dim);
    anchored[r] = static_cast<std::uint8_t>(here & row_mask(d - to_unknowns > anchor_round_off * d));
  }
  const bool unit = not_unit == 0;
  const bool interior = unit && fill(block) == Fill::full && not_interior == 0;
  coefficients_[block] = interior ? Coefficients::interior : unit ? Coefficients::unit : Coefficients::general;
}

void Unknowns::compress_block(LocalIndex block, const double* cells, double* target) const {
  if (fill(block) == Fill::full) {
    std::copy_n(cells, rows_ * block_width, target);
    return;
  }
  const std::uint8_t* mask = masks(block);
  for (int r = 0; r < rows_; ++r) target = compress_row(mask[r], cells + block_width * r, target);
}

void Unknowns::expand_block(LocalIndex block, const double* source, double* cells) const {
  if (fill(block) == Fill::full) {
    std::copy_n(source, rows_ * block_width, cells);
    return;
  }
  const std::uint8_t* mask = masks(block);
  for (int r = 0; r < rows_; ++r) store(cells + block_width * r, expand_row(mask[r], source));
}

void Unknowns::compress(const CellField<double>& cells, double* unknowns) const {
#pragma omp parallel for schedule(static)
  for (LocalIndex n = 0; n < n_active(); ++n) {
    const LocalIndex block = active_[n];
    compress_block(block, cells.block(block), unknowns + first(block));
  }
}

void Unknowns::expand(const double* unknowns, CellField<double>& cells) const {
  const LocalIndex n_owned = layout_->n_owned();
#pragma omp parallel for schedule(static)
  for (LocalIndex block = 0; block < n_owned; ++block) {
    expand_block(block, unknowns + first(block), cells.block(block));
  }
}

}  // namespace freshet::pressure
