// SPDX-License-Identifier: Apache-2.0
#include "pressure/null_space/flood.hpp"

#include <algorithm>
#include <bit>

namespace freshet::pressure {

void Flood::reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns) {
  system_ = &coefficients;
  unknowns_ = &unknowns;
  const LocalIndex n_owned = unknowns.layout().n_owned();
  is_waiting_.assign(static_cast<std::size_t>(n_owned), 1);
  queue_ = unknowns.active_blocks();
  handed_out_.clear();
  with_shape(unknowns.layout().domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    n_words_ = Shape::nz;
    marks_.resize(word_index(n_owned));
    for (const LocalIndex block : queue_) {
      const auto anchored = load_bits<Shape>(unknowns.anchored(block));
      std::copy(anchored.begin(), anchored.end(), &marks_[word_index(block)]);
    }
    spread<Shape>(-1, 0);
  });
  unmarked_blocks_.clear();
  for (const LocalIndex block : unknowns.active_blocks())
    if (first_unmarked(block) >= 0) unmarked_blocks_.push_back(block);
}

std::uint64_t Flood::unmarked(LocalIndex block, int word) const {
  std::uint64_t unknown;
  std::memcpy(&unknown, unknowns_->masks(block) + 8 * word, sizeof unknown);
  return unknown & ~marks_[word_index(block) + static_cast<std::size_t>(word)];
}

int Flood::first_unmarked(LocalIndex block) const {
  for (int word = 0; word < n_words_; ++word)
    if (const std::uint64_t rest = unmarked(block, word); rest != 0) return 64 * word + std::countr_zero(rest);
  return -1;
}

const std::vector<BlockCells>& Flood::mark_from(LocalIndex block, int cell) {
  if (handed_out_.empty()) handed_out_.assign(marks_.begin(), marks_.end());
  queue_.assign(1, block);
  changed_.clear();
  with_shape(unknowns_->layout().domain().dimension(), [&](auto shape) { spread<decltype(shape)>(block, cell); });
  marked_.clear();
  for (const LocalIndex changed : changed_) {
    BlockCells cells{changed, {}};
    std::uint64_t any = 0;
    for (std::size_t word = 0; word < static_cast<std::size_t>(n_words_); ++word) {
      const std::size_t at = word_index(changed) + word;
      cells.bits[word] = marks_[at] & ~handed_out_[at];
      any |= cells.bits[word];
      handed_out_[at] = marks_[at];
    }
    if (any != 0) marked_.push_back(cells);
  }
  return marked_;
}

/// Process the queue. A block joins it again when the marks of a neighbour have changed.
/// \param[in] seed_cell  cell of seed_block to mark first; seed_block is in the queue, or -1: no seed
template <class Shape>
void Flood::spread(LocalIndex seed_block, int seed_cell) {
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const LocalIndex block = queue_[next];
    is_waiting_[block] = 0;
    const auto allowed = load_bits<Shape>(unknowns_->masks(block));
    const auto before = load_bits<Shape>(&marks_[word_index(block)]);
    if (before == allowed) continue;
    OpenFaces<Shape> open{};
    for_each_axis<Shape>([&](auto axis) { open[axis] = open_low_faces<Shape, axis>(block); });
    auto reached = arriving<Shape>(block, open);
    if (block == seed_block) reached[seed_cell / 64] |= std::uint64_t{1} << (seed_cell % 64);
    for (int k = 0; k < Shape::nz; ++k) reached[k] = (reached[k] & allowed[k]) | before[k];
    if (reached == BlockBits<Shape>{}) continue;
    const bool is_connected =
        unknowns_->fill(block) == Fill::full && unknowns_->coefficients(block) != Coefficients::general;
    if (is_connected) {
      reached = allowed;
    } else {
      spread_inside<Shape>(allowed, open, reached);
    }
    if (reached == before) continue;
    std::copy(reached.begin(), reached.end(), &marks_[word_index(block)]);
    changed_.push_back(block);
    const StarSlots beside = star_slots(unknowns_->layout(), block);
    for (std::size_t d = 0; d < Shape::dim; ++d) {
      wake(beside.low[d]);
      wake(beside.high[d]);
    }
  }
}

void Flood::wake(LocalIndex block) {
  if (block >= unknowns_->layout().n_owned() || is_waiting_[block] != 0) return;
  if (unknowns_->fill(block) == Fill::empty) return;
  is_waiting_[block] = 1;
  queue_.push_back(block);
}

/// Cells of a block whose low face along `axis` has a weight. In a unit block every face between unknowns has one.
template <class Shape, int axis>
BlockBits<Shape> Flood::open_low_faces(LocalIndex block) const {
  BlockBits<Shape> open;
  open.fill(all_cells);
  if (unknowns_->coefficients(block) != Coefficients::general) return open;
  std::array<std::uint8_t, Shape::rows> rows;
  const float* weight = (*system_->weight)[axis].block(block);
  for (int r = 0; r < Shape::rows; ++r) rows[r] = row_mask(load_reals(weight + block_width * r) > 0.0);
  return load_bits<Shape>(rows.data());
}

/// Cells of a block that are connected with marked cells of this rank's other blocks.
template <class Shape>
BlockBits<Shape> Flood::arriving(LocalIndex block, const OpenFaces<Shape>& open) const {
  BlockBits<Shape> reached{};
  const BlockLayout& layout = unknowns_->layout();
  const StarSlots beside = star_slots(layout, block);
  const auto is_ours = [&](LocalIndex slot) { return slot < layout.n_owned() && unknowns_->fill(slot) != Fill::empty; };
  for_each_axis<Shape>([&](auto axis) {
    const LocalIndex low = beside.low[axis];
    const LocalIndex high = beside.high[axis];
    if (is_ours(low)) {
      const auto theirs = last_layer_as_first<Shape, axis>(load_bits<Shape>(&marks_[word_index(low)]));
      for (int k = 0; k < Shape::nz; ++k) reached[k] |= theirs[k] & open[axis][k];
    }
    if (is_ours(high)) {
      auto theirs = load_bits<Shape>(&marks_[word_index(high)]);
      const auto their_faces = open_low_faces<Shape, axis>(high);
      for (int k = 0; k < Shape::nz; ++k) theirs[k] &= their_faces[k];
      const auto from_high = first_layer_as_last<Shape, axis>(theirs);
      for (int k = 0; k < Shape::nz; ++k) reached[k] |= from_high[k];
    }
  });
  return reached;
}

}  // namespace freshet::pressure
