// SPDX-License-Identifier: Apache-2.0
#include "pressure/preconditioners/mic0.hpp"

#include "freshet/core/contracts.hpp"

#include <algorithm>

namespace freshet::pressure {
namespace {

/// Part of the weight of left-out couplings that is subtracted from the diagonal: 0 means p = 0 beyond the cut, 1 no
/// flow across it. Values in between need fewer iterations than 0, and the optimum is flat.
constexpr double cut_share = 0.6;

/// The rows of a block by ascending j + k. Rows of equal j + k are independent, so the processor can overlap them.
template <class Shape>
constexpr std::array<int, Shape::rows> wavefront_order() {
  std::array<int, Shape::rows> order{};
  int n = 0;
  for (int front = 0; front < Shape::ny + Shape::nz - 1; ++front)
    for (int k = 0; k < Shape::nz; ++k)
      if (front - k >= 0 && front - k < Shape::ny) order[n++] = front - k + Shape::ny * k;
  return order;
}
template <class Shape>
constexpr std::array<int, Shape::rows> wavefront = wavefront_order<Shape>();

/// Solve q_i = a_i + c_i q_(i-1) for a row in three doubling steps; `before` is the row of the block at -x.
inline RealRow scan_up(RealRow a, RealRow c, const RealRow& before) {
  const RealRow zero{};
  a += c * lower_by_1(before, zero);
  a += c * lower_by_1(zero, a);
  c *= lower_by_1(zero, c);
  a += c * lower_by_2(zero, a);
  c *= lower_by_2(zero, c);
  return a + c * lower_by_4(zero, a);
}
/// Solve q_i = a_i + c_i q_(i+1); `after` is the row of the block at +x.
inline RealRow scan_down(RealRow a, RealRow c, const RealRow& after) {
  const RealRow zero{};
  a += c * upper_by_1(zero, after);
  a += c * upper_by_1(a, zero);
  c *= upper_by_1(c, zero);
  a += c * upper_by_2(a, zero);
  c *= upper_by_2(c, zero);
  return a + c * upper_by_4(a, zero);
}

using Weights = FaceStar<float>;

/// Sum of w q over the neighbours of row r along y and z: below it, or above it.
template <class Shape, bool unit, Direction from>
RealRow sum_beside(const Star<double>& q, const Weights& w, int r) {
  RealRow sum{};
  for_each_axis<Shape>([&](auto axis) {
    if constexpr (axis > 0 && from == Direction::down) {
      const RealRow below = load_reals(row_below<Shape, axis>(q, r));
      sum += unit ? below : load_reals(w[axis].self + block_width * r) * below;
    } else if constexpr (axis > 0) {
      const RealRow above = load_reals(row_above<Shape, axis>(q, r));
      sum += unit ? above : load_reals(row_above<Shape, axis>(w[axis], r)) * above;
    }
  });
  return sum;
}

/// (D + L) q' = r for one block, q' = D^-1 times Bridson's q; `source` may be q itself.
template <class Shape, bool unit>
void solve_lower_rows(const Star<double>& q, const Weights& w, const double* inverse_pivot, const double* source,
                      double* result) {
  for (const int r : wavefront<Shape>) {
    const RealRow inverse = load_reals(inverse_pivot + block_width * r);
    const RealRow sum = load_reals(source + block_width * r) + sum_beside<Shape, unit, Direction::down>(q, w, r);
    const RealRow coupling = unit ? inverse : inverse * load_reals(w[0].self + block_width * r);
    store_row(result + block_width * r, scan_up(inverse * sum, coupling, load_reals(q.low[0] + block_width * r)));
  }
}

/// D^-1 (D + L^T) z = q' for one block, in place.
template <class Shape, bool unit>
void solve_upper_rows(const Star<double>& q, const Weights& w, const double* inverse_pivot, double* result) {
  for (int n = Shape::rows - 1; n >= 0; --n) {
    const int r = wavefront<Shape>[n];
    const RealRow inverse = load_reals(inverse_pivot + block_width * r);
    const RealRow sum =
        load_reals(result + block_width * r) + inverse * sum_beside<Shape, unit, Direction::up>(q, w, r);
    const RealRow coupling = unit ? inverse : inverse * on_high_faces<Shape, 0>(w[0], r);
    store_row(result + block_width * r, scan_down(sum, coupling, load_reals(q.high[0] + block_width * r)));
  }
}

}  // namespace

void Mic0::reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns) {
  system_ = &coefficients;
  unknowns_ = &unknowns;
  const BlockLayout& layout = unknowns.layout();
  inverse_pivot_.reset(layout, 0.0);
  work_.reset(layout, 0.0);
  link_blocks();
  walk_.reset(unknowns, links_);
  with_shape(layout.domain().dimension(), [this](auto shape) {
    walk_.visit(Direction::up, [this](LocalIndex block) { factor_block<decltype(shape)>(block); });
  });
}

void Mic0::link_blocks() {
  const BlockLayout& layout = unknowns_->layout();
  links_.resize(static_cast<std::size_t>(layout.n_owned()));
  const auto is_active = [&](LocalIndex slot) {
    return slot < layout.n_owned() && unknowns_->fill(slot) != Fill::empty;
  };
  const auto may_hold_unknowns = [&](LocalIndex slot) {
    return is_active(slot) || (slot >= layout.n_owned() && slot < layout.background());
  };
  for (const LocalIndex block : unknowns_->active_blocks()) {
    const StarSlots beside = star_slots(layout, block);
    Links& links = links_[block] = {beside, false};
    for (std::size_t d = 0; d < 3; ++d) {
      // Owned blocks are numbered by key: a smaller number is a true lower neighbour, not a periodic one.
      const bool low_counts = reach_ == Reach::rank && beside.low[d] < block && is_active(beside.low[d]);
      const bool high_counts = reach_ == Reach::rank && beside.high[d] > block && is_active(beside.high[d]);
      if (!low_counts) links.low[d] = layout.background();
      if (!high_counts) links.high[d] = layout.background();
      links.is_cut |=
          (!low_counts && may_hold_unknowns(beside.low[d])) || (!high_counts && may_hold_unknowns(beside.high[d]));
    }
  }
}

template <class Shape>
void Mic0::factor_block(LocalIndex block) {
  const Links& links = links_[block];
  const auto inverse = star_of<double>(links, [this](LocalIndex s) { return inverse_pivot_.block(s); });
  const auto passed_on = star_of<double>(links, [this](LocalIndex s) { return work_.block(s); });
  const auto unknown = star_of<std::uint8_t>(links, [this](LocalIndex s) { return system_->unknown.block(s); });
  const Weights w = star_of(*system_->weight, block);
  for (const int r : wavefront<Shape>) {
    const int row = block_width * r;
    const RealRow diagonal = load_reals(system_->diagonal.block(block) + row);
    const RealRow low_weight = load_reals(w[0].self + row);
    RealRow pivot = links.is_cut ? diagonal - cut_share * cut_weights<Shape>(block, unknown, r) : diagonal;
    RealRow upward{};
    for_each_axis<Shape>([&](auto axis) {
      upward += keep_lanes(upper_mask<Shape, axis>(unknown, r), on_high_faces<Shape, axis>(w[axis], r));
      if constexpr (axis > 0) {
        const RealRow weight = load_reals(w[axis].self + row);
        pivot -= weight * ((1.0 - tau_) * weight * lower_cells<Shape, axis>(inverse, r) +
                           lower_cells<Shape, axis>(passed_on, r));
      }
    });
    double before = inverse.low[0][row + block_width - 1];
    double passed_before = passed_on.low[0][row + block_width - 1];
    for (int i = 0; i < block_width; ++i) {
      double value = pivot[i] - low_weight[i] * ((1.0 - tau_) * low_weight[i] * before + passed_before);
      value = std::max(value, sigma_ * diagonal[i]);
      before = unknown.self[row + i] != 0 ? 1.0 / value : 0.0;
      passed_before = tau_ * before * upward[i];
      inverse_pivot_.block(block)[row + i] = before;
      work_.block(block)[row + i] = passed_before;
    }
  }
}

/// Sum of the weights by which cells of row r are coupled with unknowns that the factor leaves out.
template <class Shape>
RealRow Mic0::cut_weights(LocalIndex block, const Star<std::uint8_t>& linked_unknown, int r) const {
  const Star<std::uint8_t> unknown = star_of(system_->unknown, block);
  RealRow sum{};
  for_each_axis<Shape>([&](auto axis) {
    const Star<float> weight = star_of((*system_->weight)[axis], block);
    const int low = lower_mask<Shape, axis>(unknown, r) & ~lower_mask<Shape, axis>(linked_unknown, r);
    const int high = upper_mask<Shape, axis>(unknown, r) & ~upper_mask<Shape, axis>(linked_unknown, r);
    sum += keep_lanes(static_cast<std::uint8_t>(low), load_reals(weight.self + block_width * r));
    sum += keep_lanes(static_cast<std::uint8_t>(high), on_high_faces<Shape, axis>(weight, r));
  });
  return sum;
}

template <class Shape>
void Mic0::sweep(Direction direction, const double* r, double* z) {
  walk_.visit(direction, [this, direction, r, z](LocalIndex block) {
    const auto place = [z](LocalIndex slot) { return z + Shape::cells * static_cast<std::size_t>(slot); };
    const auto q = star_of<double>(links_[block], place);
    const double* inverse = inverse_pivot_.block(block);
    const auto solve = [&]<bool unit>(std::bool_constant<unit>, const Weights& w) {
      if (direction == Direction::up) {
        solve_lower_rows<Shape, unit>(q, w, inverse, r + Shape::cells * static_cast<std::size_t>(block), place(block));
      } else {
        solve_upper_rows<Shape, unit>(q, w, inverse, place(block));
      }
    };
    if (unknowns_->coefficients(block) == Coefficients::general) {
      solve(std::false_type{}, star_of(*system_->weight, block));
    } else {
      solve(std::true_type{}, {});
    }
  });
}

void Mic0::apply(const double* r, double* z) {
  FRESHET_EXPECT(r != z || unknowns_->count() == 0);
  with_shape(unknowns_->layout().domain().dimension(), [&](auto shape) {
    sweep<decltype(shape)>(Direction::up, r, z);
    sweep<decltype(shape)>(Direction::down, r, z);
  });
}

}  // namespace freshet::pressure
