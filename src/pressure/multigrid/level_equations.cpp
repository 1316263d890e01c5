// SPDX-License-Identifier: Apache-2.0
// MultigridLevel: equations of the finest level from the coefficients, of others from the finer level.
#include "pressure/multigrid/aggregation.hpp"
#include "pressure/multigrid/level.hpp"

#include <algorithm>

namespace freshet::pressure {
namespace {

template <class Shape>
constexpr float inverse_face_count = Shape::dim == 3 ? 0.25F : 0.5F;

/// Smallest diagonal that is inverted, so that inverses stay within the range of float32.
constexpr float least_diagonal = 1e-20F;

/// The values in the lanes of a mask, 0 in the others.
inline FloatRow keep_lanes(std::uint8_t mask, const FloatRow& row) {
  constexpr BitRow bits{1, 2, 4, 8, 16, 32, 64, 128};
  return (bits & std::uint32_t{mask}) != 0 ? row : FloatRow{};
}

/// 1 in the lanes of a mask.
inline WeightRow unit_weights(std::uint8_t mask) {
  constexpr WeightRow bits{1, 2, 4, 8, 16, 32, 64, 128};
  return reinterpret_cast<WeightRow>((bits & Weight{mask}) != 0) & weight_of_one;
}

/// The equations of one block of the finest level, in checkerboard order.
template <class Shape>
struct BlockEquations {
  alignas(64) float inverse[Shape::cells];
  alignas(64) float excess[Shape::cells];
  alignas(64) Weight weight[Checkerboard<Shape>::weights];
};

/// Set `inverse`, `excess` and the weights `target` of a block from the coefficients.
template <class Shape>
void read_equations(const PoissonCoefficients& system, const Unknowns& unknowns, LocalIndex block, float* inverse,
                    float* excess, Weight* target) {
  const Star<std::uint8_t> unknown = star_of(system.unknown, block);
  const bool unit = unknowns.coefficients(block) != Coefficients::general;
  const FaceStar<float> weight = star_of(*system.weight, block);
  const double* diagonal = system.diagonal.block(block);
  if (unknowns.fill(block) != Fill::full) {
    std::fill_n(inverse, Shape::cells, 0.0F);
    std::fill_n(excess, Shape::cells, 0.0F);
    std::fill_n(target, Checkerboard<Shape>::weights, Weight{0});
  }
  for_each_set_row(unknowns.active_rows(block), Shape::rows, [&](int r) {
    const std::uint8_t here = unknowns.masks(block)[r];
    RealRow sum{};
    FloatRow rounded{};
    const auto take_face = [&](int face, std::uint8_t mask, auto&& weights_of_row) {
      const WeightRow weights = unit ? unit_weights(mask) : to_weights(to_floats(keep_lanes(mask, weights_of_row())));
      store_weights<Shape>(target, face, r, weights);
      rounded += to_floats(weights);
      if (!unit) sum += keep_lanes(mask, weights_of_row());
    };
    for_each_axis<Shape>([&](auto axis) {
      take_face(2 * axis, static_cast<std::uint8_t>(here & lower_mask<Shape, axis>(unknown, r)),
                [&] { return load_reals(weight[axis].self + block_width * r); });
      take_face(2 * axis + 1, static_cast<std::uint8_t>(here & upper_mask<Shape, axis>(unknown, r)),
                [&] { return on_high_faces<Shape, axis>(weight[axis], r); });
    });
    const RealRow to_unknowns = unit ? to_reals(rounded) : sum;
    const FloatRow anchor =
        to_floats(keep_lanes(unknowns.anchored(block)[r], load_reals(diagonal + block_width * r) - to_unknowns));
    const FloatRow d = rounded + anchor;
    store_row<Shape>(inverse, r, keep_lanes(here, 1.0F / (d > least_diagonal ? d : FloatRow{} + least_diagonal)));
    store_row<Shape>(excess, r, anchor);
  });
}

/// Vectors of each colour that hold an unknown: bit n stands for the n-th vector of eight cells.
template <class Shape>
std::array<std::uint32_t, 2> active_vectors(const float* inverse) {
  using Board = Checkerboard<Shape>;
  std::array<std::uint32_t, 2> vectors{};
  for (int n = 0; n < Shape::cells / Board::pair; ++n) {
    const FloatRow values = load_floats(inverse + Board::pair * n);
    vectors[n / (Board::half / Board::pair)] |= std::uint32_t{bits_of(values != 0.0F) != 0}
                                                << (n % (Board::half / Board::pair));
  }
  return vectors;
}

bool has_anchor(const Unknowns& unknowns, LocalIndex block, int rows) {
  const std::uint8_t* anchored = unknowns.anchored(block);
  return std::any_of(anchored, anchored + rows, [](std::uint8_t mask) { return mask != 0; });
}

/// inverse = 1 / (excess + sum of the weights), 0 where the sum is 0. Returns true if some cell has an unknown.
template <class Shape>
bool invert_diagonal(const float* excess, const Weight* weight, float* inverse) {
  using Board = Checkerboard<Shape>;
  auto any = FloatRow{} > 0.0F;
  for (int c = 0; c < Shape::cells; c += Board::pair) {
    FloatRow diagonal = load_floats(excess + c);
    for (int f = 0; f < Board::faces; ++f) diagonal += load_floats(weight + weight_index<Shape>(f, c));
    const auto has_unknown = diagonal > 0.0F;
    store_floats(inverse + c, has_unknown ? 1.0F / (has_unknown ? diagonal : FloatRow{} + 1.0F) : FloatRow{});
    any |= has_unknown;
  }
  return bits_of(any) != 0;
}

}  // namespace

void MultigridLevel::bind(const MultigridGrid& grid) {
  grid_ = &grid;
  const int cells = layout().cells_per_block();
  x_.reset(grid.n_array_blocks(), cells);
  b_.reset(grid.n_array_blocks(), cells);
  x_.fill(layout().background(), 0.0F);
  has_unknown_.resize(static_cast<std::size_t>(layout().n_owned()));
}

/// List the blocks with an unknown and their neighbours. x of other blocks, which ghosts may copy, becomes 0.
void MultigridLevel::list_blocks() {
  blocks_.clear();
  const LocalIndex n_owned = layout().n_owned();
  for (LocalIndex number = 0; number < n_owned; ++number) {
    if (has_unknown_[number] == 0) {
      if (!grid_->is_on_one_rank()) x_.fill(number, 0.0F);
      continue;
    }
    Block block{number, {}, {~0U, ~0U}, 0, all_one};
    const LocalIndex* neighbours = layout().neighbours(number);
    for (int f = 0; f < n_faces; ++f) {
      const LocalIndex slot = neighbours[f % 2 == 0 ? low_direction(f / 2) : high_direction(f / 2)];
      block.neighbours[f] = slot < n_owned && has_unknown_[slot] == 0 ? layout().background() : slot;
    }
    blocks_.push_back(block);
  }
  const auto is_inner = [&](const Block& block) {
    return std::all_of(block.neighbours.begin(), block.neighbours.end(),
                       [&](LocalIndex slot) { return slot < n_owned || slot == layout().background(); });
  };
  const auto outer = std::stable_partition(blocks_.begin(), blocks_.end(), is_inner);
  n_inner_ = static_cast<LocalIndex>(outer - blocks_.begin());
}

void MultigridLevel::take_system(const PoissonCoefficients& coefficients, const Unknowns& unknowns,
                                 MultigridLevel* coarse) {
  for (LocalIndex block = 0; block < layout().n_owned(); ++block) {
    has_unknown_[block] = unknowns.fill(block) != Fill::empty ? 1 : 0;
  }
  list_blocks();
  n_inverse_ = 1;
  LocalIndex n_weights = 0;
  for (Block& block : blocks_) {
    if (unknowns.coefficients(block.number) != Coefficients::interior) block.inverse = n_inverse_++;
    if (unknowns.coefficients(block.number) == Coefficients::general) block.weights = n_weights++;
    if (unknowns.fill(block.number) != Fill::full) b_.fill(block.number, 0.0F);  // rows without unknowns stay 0
  }
  const int cells = layout().cells_per_block();
  inverse_.reset(n_inverse_, cells);
  inverse_.fill(0, 1.0F / static_cast<float>(2 * dimension()));
  weight_.reset(n_weights, n_weights_of_block());
  with_shape(dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    share_blocks(n_blocks(), [&](LocalIndex n) {
      take_block<Shape>(coefficients, unknowns, Refresh::everything, blocks_[n], coarse);
    });
  });
}

void MultigridLevel::update_system(const PoissonCoefficients& coefficients, const Unknowns& unknowns,
                                   std::span<const LocalIndex> changed_blocks, MultigridLevel* coarse) {
  const auto find = [this](LocalIndex number) {  // numbers ascend among inner and among outer blocks
    const auto is_before = [](const Block& block, LocalIndex value) { return block.number < value; };
    const auto outer = blocks_.begin() + n_inner_;
    const auto found = std::lower_bound(blocks_.begin(), outer, number, is_before);
    return found != outer && found->number == number ? found
                                                     : std::lower_bound(outer, blocks_.end(), number, is_before);
  };
  for (const LocalIndex number : changed_blocks) {
    if (has_unknown_[static_cast<std::size_t>(number)] == 0) continue;
    Block& block = *find(number);
    if (block.inverse == 0 && unknowns.coefficients(number) != Coefficients::interior) block.inverse = n_inverse_++;
  }
  inverse_.grow(n_inverse_);
  with_shape(dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    share_blocks(static_cast<LocalIndex>(changed_blocks.size()), [&](LocalIndex n) {
      const LocalIndex number = changed_blocks[static_cast<std::size_t>(n)];
      if (has_unknown_[static_cast<std::size_t>(number)] == 0) return;
      take_block<Shape>(coefficients, unknowns, Refresh::diagonal, *find(number), coarse);
    });
  });
}

template <class Shape>
void MultigridLevel::take_block(const PoissonCoefficients& coefficients, const Unknowns& unknowns, Refresh refresh,
                                Block& block, MultigridLevel* coarse) {
  const ParentPlace* place = coarse != nullptr ? &grid_->parent(block.number) : nullptr;
  if (block.inverse == 0 && (place == nullptr || !has_anchor(unknowns, block.number, Shape::rows))) {
    if (place != nullptr) coarse->take_plain_block<Shape>(*place, refresh);
    return;
  }
  BlockEquations<Shape> own;
  Weight* weight = block.weights == all_one ? own.weight : weight_.block(block.weights);
  read_equations<Shape>(coefficients, unknowns, block.number,
                        block.inverse == 0 ? own.inverse : inverse_.block(block.inverse), own.excess, weight);
  if (refresh == Refresh::everything && block.inverse != 0) skip_vectors<Shape>(block);
  if (place != nullptr) coarse->take_patch<Shape>(*place, refresh, own.excess, weight);
}

/// Set the vectors of a block that hold unknowns. x remains 0 in the others.
template <class Shape>
void MultigridLevel::skip_vectors(Block& block) {
  block.vectors = active_vectors<Shape>(inverse_.block(block.inverse));
  x_.fill(block.number, 0.0F);
}

/// Add a child's equations to the sums over aggregates.
template <class Shape>
void MultigridLevel::take_patch(const ParentPlace& place, Refresh refresh, const float* excess, const Weight* weight) {
  constexpr float scale = inverse_face_count<Shape>;
  restrict_all<Shape>(place, excess, scale, excess_sum_.block(place.slot));
  if (refresh == Refresh::diagonal) return;
  restrict_weights<Shape>(place, weight, scale, weight_.block(place.slot));
  restrict_inner_weights<Shape>(place, weight, scale, inner_weights(place.slot));
}

/// Add a plain child's equations, without excess and with all weights 1.
template <class Shape>
void MultigridLevel::take_plain_block(const ParentPlace& place, Refresh refresh) {
  static constexpr std::array<float, Shape::cells> no_excess{};
  static const auto ones = [] {
    std::array<Weight, Checkerboard<Shape>::weights> result{};
    result.fill(weight_of_one);
    return result;
  }();
  take_patch<Shape>(place, refresh, no_excess.data(), ones.data());
}

void MultigridLevel::clear_system() {
  const int cells = layout().cells_per_block();
  const LocalIndex n = grid_->n_array_blocks();
  excess_.reset(layout().n_owned(), cells);
  excess_sum_.reset(n, cells);
  weight_.reset(n, n_weights_of_block());
  for (int d = 0; d < dimension(); ++d) inner_weight_[static_cast<std::size_t>(d)].reset(n, cells);
  share_blocks(n, [&](LocalIndex block) {
    b_.fill(block, 0.0F);
    excess_sum_.fill(block, 0.0F);
    weight_.fill(block, 0);
    for (int d = 0; d < dimension(); ++d) inner_weight_[static_cast<std::size_t>(d)].fill(block, 0.0F);
  });
}

void MultigridLevel::collect_system(const MultigridGrid& finer, Refresh refresh) {
  if (finer.is_on_one_rank()) return;
  const LevelLink& link = *finer.link;
  link.send_to_parents(stand_ins(excess_sum_), excess_sum_.data());
  if (refresh == Refresh::diagonal) return;
  with_shape(dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    constexpr int faces = Checkerboard<Shape>::faces;
    const int n_together = grid_->n_weights_in_transit();
    in_transit_.reset(grid_->n_array_blocks(), n_together * Shape::cells);
    const auto together = [&](LocalIndex cell) { return in_transit_.data() + std::ptrdiff_t{n_together} * cell; };
    for (const LocalIndex cell_of_stand_in : link.sent_cells()) {
      const LocalIndex cell = layout().n_slots() * Shape::cells + cell_of_stand_in;
      const Weight* weight = weight_.block(cell / Shape::cells);
      Weight* const sent = together(cell);
      for (int f = 0; f < faces; ++f) sent[f] = weight[weight_index<Shape>(f, cell % Shape::cells)];
      for (int d = 0; d < Shape::dim; ++d)
        sent[faces + d] = to_weights(FloatRow{} + inner_weight_[static_cast<std::size_t>(d)].data()[cell])[0];
    }
    link.send_to_parents(finer.weights_of_cell->raw(), stand_ins(in_transit_), in_transit_.data());
    for (const LocalIndex cell : finer.received_by_parents) {
      Weight* const weight = weight_.block(cell / Shape::cells);
      const Weight* received = together(cell);
      for (int f = 0; f < faces; ++f) weight[weight_index<Shape>(f, cell % Shape::cells)] = received[f];
      for (int d = 0; d < Shape::dim; ++d)
        inner_weight_[static_cast<std::size_t>(d)].data()[cell] = to_float(received[faces + d]);
    }
  });
}

std::array<float*, 3> MultigridLevel::inner_weights(LocalIndex block) {
  std::array<float*, 3> result{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension()); ++d) result[d] = inner_weight_[d].block(block);
  return result;
}

void MultigridLevel::gather_inner_weights() {
  if (grid_->is_on_one_rank()) return;
  std::array<BorderExchange::Array, 3> arrays;
  const auto n = static_cast<std::size_t>(dimension());
  for (std::size_t d = 0; d < n; ++d) arrays[d] = BorderExchange::Array(inner_weight_[d].data());
  for (const std::unique_ptr<BorderExchange>& rim : grid_->rims) rim->begin({arrays.data(), n});
  for (const std::unique_ptr<BorderExchange>& rim : grid_->rims) rim->end({arrays.data(), n});
}

void MultigridLevel::put_weights_in_series() {
  gather_inner_weights();
  with_shape(dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    share_blocks(layout().n_owned(), [this](LocalIndex block) {
      const LocalIndex* neighbours = layout().neighbours(block);
      std::array<ColourStar, Shape::dim> inner{};
      for (int d = 0; d < Shape::dim; ++d) {
        const BlockArray<float>& weights = inner_weight_[static_cast<std::size_t>(d)];
        inner[d].self = weights.block(block);
        inner[d].low[d] = weights.block(neighbours[low_direction(d)]);
        inner[d].high[d] = weights.block(neighbours[high_direction(d)]);
      }
      put_in_series<Shape>(inner, weight_.block(block));
    });
  });
}

void MultigridLevel::complete_system(Refresh refresh) {
  if (refresh == Refresh::everything) put_weights_in_series();
  inverse_.reset(layout().n_owned() + 1, layout().cells_per_block());
  inverse_.fill(0, 1.0F / static_cast<float>(2 * dimension()));
  with_shape(dimension(), [&](auto shape) {
    share_blocks(layout().n_owned(), [this](LocalIndex block) {
      const std::array<float*, 3> inner = inner_weights(block);
      put_excess_in_series<decltype(shape)>({inner[0], inner[1], inner[2]}, excess_sum_.block(block),
                                            excess_.block(block));
      const bool any =
          invert_diagonal<decltype(shape)>(excess_.block(block), weight_.block(block), inverse_.block(block + 1));
      has_unknown_[static_cast<std::size_t>(block)] = any ? 1 : 0;
    });
  });
  list_blocks();
  with_shape(dimension(), [&](auto shape) {
    for (Block& block : blocks_) {
      if (is_plain(block.number)) continue;
      block.inverse = block.number + 1;
      block.weights = block.number;
      skip_vectors<decltype(shape)>(block);
    }
  });
}

/// True if every weight of a block is 1 and no diagonal exceeds the sum of its weights.
bool MultigridLevel::is_plain(LocalIndex block) const {
  const float* excess = excess_.block(block);
  const Weight* weight = weight_.block(block);
  return std::all_of(excess, excess + layout().cells_per_block(), [](float value) { return value == 0.0F; }) &&
         std::all_of(weight, weight + n_weights_of_block(), [](Weight value) { return value == weight_of_one; });
}

void MultigridLevel::restrict_system(Refresh refresh, MultigridLevel& coarse) const {
  with_shape(dimension(), [&](auto shape) {
    share_blocks(n_blocks(), [&](LocalIndex n) {
      const LocalIndex block = blocks_[n].number;
      const ParentPlace& place = grid_->parent(block);
      coarse.take_patch<decltype(shape)>(place, refresh, excess_.block(block), weight_.block(block));
    });
  });
}

}  // namespace freshet::pressure
