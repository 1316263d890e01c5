// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/parallel/star_forest.hpp"

#include <array>
#include <map>
#include <memory>
#include <span>

namespace freshet {

/// Refreshes ghost blocks from their owners, with one star forest for each rim width.
///
/// A rim of width w consists of all ghost cells within w cells (in the maximum norm) of an owned block. Other cells of
/// ghost blocks do not change. A rim of width 8 consists of whole ghost blocks.
/// Parallel: every call is collective over the layout's communicator, also for ranks without blocks.
class Halo {
 public:
  explicit Halo(const BlockLayout& layout);
  ~Halo();

  /// Refresh ghosts from their owners. \pre 1 <= width <= 8
  template <class T>
  void gather(CellField<T>& field, int width) const {
    gather(field.data(), width);
  }
  /// Likewise for an array with the slots of a field.
  template <class T>
  void gather(T* slots, int width) const {
    forest(width).broadcast(slots, slots);
  }
  /// The same in two parts: between them cells of owned blocks may be read, ghosts neither read nor written.
  template <class T>
  void begin_gather(T* slots, int width) const {
    forest(width).begin_broadcast(slots, slots);
  }
  template <class T>
  void end_gather(T* slots, int width) const {
    forest(width).end_broadcast(slots, slots);
  }
  /// All components in one exchange.
  template <class T>
  void gather(FaceField<T>& field, int width) const {
    std::array<T*, 3> components{};
    for (int d = 0; d < field.dimension(); ++d) components[static_cast<std::size_t>(d)] = field[d].data();
    gather_together<T>({components.data(), static_cast<std::size_t>(field.dimension())}, width);
  }

 private:
  /// The rim as dense arrays: the roots that any rank asks for, and the leaves.
  struct Packed;
  template <class T>
  void gather_together(std::span<T* const> fields, int width) const;
  const StarForest& forest(int width) const;  ///< built at first use; collective
  Packed& packed(int width) const;            ///< likewise

  const BlockLayout& layout_;
  mutable std::map<int, std::unique_ptr<StarForest>> forests_;
  mutable std::map<int, std::unique_ptr<Packed>> packed_;
};

}  // namespace freshet
