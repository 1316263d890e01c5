// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/contracts.hpp"
#include "freshet/core/memory.hpp"
#include "freshet/grid/layout.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace freshet {

/// One value a cell, stored as [block][cell]: owned blocks first, then ghosts, then the background block.
///
/// reset() binds the field to a layout. It keeps memory that fits (make_room()), so a step allocates only when the grid
/// has grown or shrunk. After reset() values are undefined, except those of the background block.
///
/// A uniform field has one value in all blocks and the memory of one block: it is read like any other, and must not be
/// written to before expand().
template <class T>
class CellField {
 public:
  CellField() = default;
  explicit CellField(const BlockLayout& layout, T background = T{}) { reset(layout, background); }

  void reset(const BlockLayout& layout, T background = T{}) {
    layout_ = &layout;
    stride_ = cells_ = layout.cells_per_block();
    const std::size_t needed = static_cast<std::size_t>(layout.n_slots()) * static_cast<std::size_t>(cells_);
    make_room(data_, needed);
    data_.resize(needed);
    std::fill_n(block(layout.background()), cells_, background);
  }
  /// Bind to a layout as a uniform field.
  void reset_uniform(const BlockLayout& layout, T value) {
    layout_ = &layout;
    cells_ = layout.cells_per_block();
    stride_ = 0;
    make_room(data_, static_cast<std::size_t>(cells_));
    data_.assign(static_cast<std::size_t>(cells_), value);
  }
  bool is_uniform() const { return stride_ == 0; }
  /// Give a uniform field memory of its own for each block, with the values that it had. Parallel: local; OpenMP
  void expand() {
    if (!is_uniform()) return;
    const T value = data_.front();
    reset(*layout_, value);
    fill(value);
  }
  void fill(T value) {
    FRESHET_EXPECT(!is_uniform());
    const LocalIndex n = layout_->n_blocks();
#pragma omp parallel for schedule(static)
    for (LocalIndex b = 0; b < n; ++b) std::fill_n(block(b), cells_, value);
  }

  T* block(LocalIndex slot) {
    return data_.data() + static_cast<std::size_t>(slot) * static_cast<std::size_t>(stride_);
  }
  const T* block(LocalIndex slot) const {
    return data_.data() + static_cast<std::size_t>(slot) * static_cast<std::size_t>(stride_);
  }
  T* data() {
    return data_.data();
  }
  const T* data() const {
    return data_.data();
  }
  const BlockLayout& layout() const {
    return *layout_;
  }
  bool is_bound() const {
    return layout_ != nullptr;
  }
  bool is_bound_to(const BlockLayout& layout) const {
    return layout_ == &layout;
  }
  void swap(CellField& other) noexcept {
    std::swap(layout_, other.layout_);
    std::swap(cells_, other.cells_);
    std::swap(stride_, other.stride_);
    data_.swap(other.data_);
  }

 private:
  const BlockLayout* layout_ = nullptr;
  int cells_ = 0;
  int stride_ = 0;  ///< elements from a block to the next; 0: all blocks share one
  TrackedVector<T, MemoryKind::fields> data_;
};

/// One value a face, stored with the cell whose low face it is; component d holds the faces normal to axis d.
/// In 2-D there are components 0 and 1 only.
template <class T>
class FaceField {
 public:
  FaceField() = default;
  explicit FaceField(const BlockLayout& layout, T background = T{}) { reset(layout, background); }
  void reset(const BlockLayout& layout, T background = T{}) {
    dimension_ = layout.domain().dimension();
    for (int d = 0; d < dimension_; ++d) component_[d].reset(layout, background);
  }
  /// Bind to a layout as uniform fields.
  void reset_uniform(const BlockLayout& layout, T value) {
    dimension_ = layout.domain().dimension();
    for (int d = 0; d < dimension_; ++d) component_[d].reset_uniform(layout, value);
  }
  bool is_uniform() const { return component_[0].is_uniform(); }
  /// CellField::expand() of all components.
  void expand() {
    for (int d = 0; d < dimension_; ++d) component_[d].expand();
  }
  void fill(T value) {
    for (int d = 0; d < dimension_; ++d) component_[d].fill(value);
  }
  int dimension() const { return dimension_; }
  CellField<T>& operator[](int d) { return component_[d]; }
  const CellField<T>& operator[](int d) const { return component_[d]; }
  const BlockLayout& layout() const { return component_[0].layout(); }

 private:
  int dimension_ = 0;
  std::array<CellField<T>, 3> component_;
};

/// The content of a cell.
enum class Label : std::uint8_t { air = 0, liquid = 1, solid = 2 };
using LabelField = CellField<Label>;

}  // namespace freshet
