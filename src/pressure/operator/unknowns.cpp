// SPDX-License-Identifier: Apache-2.0
#include "pressure/operator/unknowns.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/kernels/block_bits.hpp"

#include <algorithm>
#include <bit>

namespace freshet::pressure {
namespace {

/// Relative difference between a diagonal and the sum of weights that the order of summation may cause.
constexpr double anchor_round_off = 1e-12;

}  // namespace

void Unknowns::rebuild(const PoissonCoefficients& coefficients) {
  layout_ = &coefficients.unknown.layout();
  with_shape(layout_->domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    rows_ = Shape::rows;
    set_masks(coefficients);
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
  fill_.resize(n_owned);
  coefficients_.resize(n_owned);
  shared_.resize(n_owned);
  active_rows_.resize(n_owned);
  anchored_.resize(n_owned * static_cast<std::size_t>(rows_));
  masks_.resize(row_index(layout_->n_slots()));
  const LocalIndex n_blocks = layout_->n_owned();
  const LocalIndex n_slots = layout_->n_slots();
  LocalIndex count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (LocalIndex block = 0; block < n_slots; ++block) {
    const std::uint8_t* unknown = coefficients.unknown.block(block);
    const std::uint64_t active_rows = coefficients.rows[static_cast<std::size_t>(block)].any;
    std::uint8_t* masks = &masks_[row_index(block)];
    std::fill_n(masks, rows_, std::uint8_t{0});
    LocalIndex n = 0;
    for_each_set_row(active_rows, rows_, [&](int r) {
      masks[r] = row_mask(unknown + block_width * r);
      n += std::popcount(masks[r]);
    });
    if (block >= n_blocks) continue;
    active_rows_[block] = active_rows;
    fill_[block] = n == 0 ? Fill::empty : n == rows_ * block_width ? Fill::full : Fill::partial;
    shared_[block] = layout_->touches_ghosts(block) ? 1 : 0;
    count += n;
  }
  count_ = count;
  active_.clear();
  for (LocalIndex block = 0; block < n_blocks; ++block)
    if (fill(block) != Fill::empty) active_.push_back(block);
}

/// Mark as anchored the unknowns of a block that have a neighbour without an unknown.
template <class Shape>
void Unknowns::anchor_at_air(LocalIndex block) {
  const StarSlots beside = star_slots(*layout_, block);
  const auto here = load_bits<Shape>(masks(block));
  BlockBits<Shape> inner = here;
  for_each_axis<Shape>([&](auto axis) {
    const auto from_low = last_layer_as_first<Shape, axis>(load_bits<Shape>(masks(beside.low[axis])));
    const auto from_high = first_layer_as_last<Shape, axis>(load_bits<Shape>(masks(beside.high[axis])));
    const auto low = one_up<Shape, axis>(here);
    const auto high = one_down<Shape, axis>(here);
    for (int k = 0; k < Shape::nz; ++k) inner[k] &= (low[k] | from_low[k]) & (high[k] | from_high[k]);
  });
  for (int k = 0; k < Shape::nz; ++k) inner[k] ^= here[k];
  std::memcpy(&anchored_[row_index(block)], inner.data(), sizeof inner);
}

template <class Shape>
void Unknowns::examine_block(const PoissonCoefficients& coefficients, LocalIndex block) {
  const Star<std::uint8_t> unknown = star_of(coefficients.unknown, block);
  const FaceStar<float> weight = star_of(*coefficients.weight, block);
  const double* diagonal = coefficients.diagonal.block(block);
  std::uint8_t* anchored = &anchored_[row_index(block)];
  std::uint64_t cut = coefficients.rows[static_cast<std::size_t>(block)].cut;
  for_each_set_row(active_rows(block) & ~cut, Shape::rows, [&](int r) {  // some diagonals may have been raised
    const std::uint8_t raised = row_mask(load_reals(diagonal + block_width * r) != 2.0 * Shape::dim) & masks(block)[r];
    cut |= std::uint64_t{raised != 0} << r;
  });
  anchor_at_air<Shape>(block);
  RealMask not_unit{};
  for_each_set_row(cut, Shape::rows, [&](int r) {
    const unsigned here = masks(block)[r];
    const RealRow d = load_reals(diagonal + block_width * r);
    RealRow to_unknowns{};
    for_each_axis<Shape>([&](auto axis) {
      const RealMask low = real_mask(static_cast<std::uint8_t>(here & lower_mask<Shape, axis>(unknown, r)));
      const RealMask high = real_mask(static_cast<std::uint8_t>(here & upper_mask<Shape, axis>(unknown, r)));
      const RealRow low_weight = select(low, load_reals(weight[axis].self + block_width * r), RealRow{});
      const RealRow high_weight = select(high, on_high_faces<Shape, axis>(weight[axis], r), RealRow{});
      to_unknowns += low_weight + high_weight;
      not_unit |= (low & (low_weight != 1.0)) | (high & (high_weight != 1.0));
    });
    anchored[r] = static_cast<std::uint8_t>(here & row_mask(d - to_unknowns > anchor_round_off * d));
  });
  const bool unit = row_mask(not_unit) == 0;
  const bool interior = cut == 0 && fill(block) == Fill::full;
  coefficients_[block] = interior ? Coefficients::interior : unit ? Coefficients::unit : Coefficients::general;
}

void Unknowns::copy(const double* source, double* target) const {
  const LocalIndex n_owned = layout_->n_owned();
#pragma omp parallel for schedule(static)
  for (LocalIndex block = 0; block < n_owned; ++block) {
    const std::size_t begin = row_index(block) * block_width;
    if (fill(block) == Fill::empty) {
      std::fill_n(target + begin, rows_ * block_width, 0.0);
    } else if (fill(block) == Fill::partial || source != target) {
      const std::uint8_t* mask = masks(block);
      for (int r = 0; r < rows_; ++r) {
        const std::size_t at = begin + static_cast<std::size_t>(block_width * r);
        store_row(target + at, keep_lanes(mask[r], load_reals(source + at)));
      }
    }
  }
}

void Unknowns::copy_active(const double* source, double* target) const {
  for_each_active([this, source, target](LocalIndex block) {
    const std::size_t begin = row_index(block) * block_width;
    const std::uint8_t* mask = masks(block);
    for_each_set_row(active_rows(block), rows_, [=](int r) {
      const std::size_t at = begin + static_cast<std::size_t>(block_width * r);
      store_row(target + at, keep_lanes(mask[r], load_reals(source + at)));
    });
  });
}

}  // namespace freshet::pressure
