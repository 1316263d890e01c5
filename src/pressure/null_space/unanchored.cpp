// SPDX-License-Identifier: Apache-2.0
#include "pressure/null_space/unanchored.hpp"

#include <algorithm>

namespace freshet::pressure {

void Unanchored::find(const PoissonCoefficients& coefficients, const Unknowns& unknowns) {
  system_ = &coefficients;
  unknowns_ = &unknowns;
  with_shape(unknowns.layout().domain().dimension(), [this](auto shape) {
    using Shape = decltype(shape);
    rows_ = Shape::rows;
    masks_.resize(row_index(unknowns_->layout().n_owned()));
    flood<Shape>();
    blocks_.clear();
    for (const LocalIndex block : unknowns_->active_blocks()) {
      std::uint8_t* reached = &masks_[row_index(block)];
      bool any = false;
      for (int r = 0; r < rows_; ++r) {
        reached[r] = static_cast<std::uint8_t>(unknowns_->masks(block)[r] & ~reached[r]);
        any = any || reached[r] != 0;
      }
      if (any) blocks_.push_back(block);
    }
  });
}

/// From the anchored cells outward; a block looks again at its neighbours when one of them has changed.
template <class Shape>
void Unanchored::flood() {
  is_waiting_.assign(static_cast<std::size_t>(unknowns_->layout().n_owned()), 1);
  queue_ = unknowns_->active_blocks();
  for (const LocalIndex block : queue_) std::copy_n(unknowns_->anchored(block), rows_, &masks_[row_index(block)]);
  std::size_t next = 0;
  while (next < queue_.size()) {
    const LocalIndex block = queue_[next++];
    is_waiting_[block] = 0;
    const auto allowed = load_bits<Shape>(unknowns_->masks(block));
    const auto before = load_bits<Shape>(&masks_[row_index(block)]);
    if (before == allowed) continue;
    const PassableFaces<Shape> passable = passable_faces<Shape>(block);
    auto reached = from_neighbours<Shape>(block, passable);
    for (int k = 0; k < Shape::nz; ++k) reached[k] = (reached[k] & allowed[k]) | before[k];
    spread_inside<Shape>(allowed, passable, reached);
    if (reached == before) continue;
    store_bits<Shape>(reached, &masks_[row_index(block)]);
    for_each_axis<Shape>([&](auto axis) {
      wake(unknowns_->layout().neighbours(block)[low_direction(axis)]);
      wake(unknowns_->layout().neighbours(block)[high_direction(axis)]);
    });
  }
}

void Unanchored::wake(LocalIndex block) {
  if (block >= unknowns_->layout().n_owned() || is_waiting_[block] != 0) return;
  if (unknowns_->fill(block) == Fill::empty) return;
  is_waiting_[block] = 1;
  queue_.push_back(block);
}

template <class Shape>
PassableFaces<Shape> Unanchored::passable_faces(LocalIndex block) const {
  PassableFaces<Shape> passable{};
  for_each_axis<Shape>([&](auto axis) { passable[axis] = open_low_faces<Shape, axis>(block); });
  return passable;
}

/// The cells of a block whose low face along `axis` has a weight. Between unknowns of a unit block every face has.
template <class Shape, int axis>
BlockBits<Shape> Unanchored::open_low_faces(LocalIndex block) const {
  BlockBits<Shape> open;
  open.fill(all_cells);
  if (unknowns_->coefficients(block) != Coefficients::general) return open;
  std::array<std::uint8_t, Shape::rows> rows;
  const double* weight = system_->weight[axis].block(block);
  for (int r = 0; r < Shape::rows; ++r) rows[r] = row_mask(load(weight + block_width * r) > 0.0);
  return load_bits<Shape>(rows.data());
}

/// What neighbours in this rank have reached, brought over the faces between.
template <class Shape>
BlockBits<Shape> Unanchored::from_neighbours(LocalIndex block, const PassableFaces<Shape>& passable) const {
  BlockBits<Shape> reached{};
  const BlockLayout& layout = unknowns_->layout();
  const auto is_ours = [&](LocalIndex slot) { return slot < layout.n_owned() && unknowns_->fill(slot) != Fill::empty; };
  for_each_axis<Shape>([&](auto axis) {
    const LocalIndex low = layout.neighbours(block)[low_direction(axis)];
    const LocalIndex high = layout.neighbours(block)[high_direction(axis)];
    if (is_ours(low)) {
      const auto theirs = last_layer_as_first<Shape, axis>(load_bits<Shape>(&masks_[row_index(low)]));
      for (int k = 0; k < Shape::nz; ++k) reached[k] |= theirs[k] & passable[axis][k];
    }
    if (is_ours(high)) {
      auto theirs = load_bits<Shape>(&masks_[row_index(high)]);
      const auto their_faces = open_low_faces<Shape, axis>(high);
      for (int k = 0; k < Shape::nz; ++k) theirs[k] &= their_faces[k];
      const auto arriving = first_layer_as_last<Shape, axis>(theirs);
      for (int k = 0; k < Shape::nz; ++k) reached[k] |= arriving[k];
    }
  });
  return reached;
}

}  // namespace freshet::pressure
