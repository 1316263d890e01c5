// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/scratch_memory.hpp"
#include "freshet/grid/border_exchange.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/layout.hpp"
#include "rim.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace freshet {

/// Rim rows of owned and ghost blocks, as particle reals. Owners write their rows; ghosts receive the rows that lie in
/// blocks of this rank.
class RimPool {
 public:
  explicit RimPool(std::shared_ptr<ScratchMemory> memory) : memory_(or_own(std::move(memory))) {}
  /// Take memory for the rims of a layout, with undefined values; for a new layout, set up the exchange. Collective
  template <class Shape>
  void bind(const BlockLayout& layout);

  /// The rows of component d of an owned or ghost block.
  template <class Shape>
  ParticleReal* rows(LocalIndex block, int d) {
    return rows_[first_row<Shape>(block) + d * RimRows<Shape>::n_rows].value;
  }
  /// The rows of component d of a block that are defined, as bits; others count as zero. None is after bind();
  /// set_defined() sets the bits of owned blocks, ghosts receive theirs.
  template <class Shape>
  std::uint64_t defined(LocalIndex block, int d) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bits_of<Shape>(block, d), sizeof bits);
    return bits;
  }
  template <class Shape>
  void set_defined(LocalIndex block, int d, std::uint64_t bits) {
    std::memcpy(bits_of<Shape>(block, d), &bits, sizeof bits);
  }

  /// Set all rows of a block to 0, defined or not: blocks that other ranks have as ghosts are sent whole.
  template <class Shape>
  void clear(LocalIndex block) {
    std::fill_n(rows_ + first_row<Shape>(block), rim_rows_per_block<Shape> + 1, Row{});
  }
  /// Receive the rows of ghosts and the bits of defined rows, in two calls: between them rows of owned blocks that no
  /// other rank has as ghosts may be written. \param[in] rider  null, or ghosts that come with the same messages, the
  /// same in both calls. Collective
  void begin_gather(const GhostRequest* rider) { BorderExchange::begin_together(parts(rider).span()); }
  void end_gather(const GhostRequest* rider) { BorderExchange::end_together(parts(rider).span()); }

 private:
  struct Parts {
    std::array<BorderExchange::Part, 2> part;
    std::size_t n;
    std::span<const BorderExchange::Part> span() const { return {part.data(), n}; }
  };
  Parts parts(const GhostRequest* rider) const {
    const BorderExchange::Part rows{border_.get(), {&all_rows_, 1}};
    if (rider == nullptr) return {{rows}, 1};
    return {{rows, rider->part()}, 2};
  }

  struct Row {
    ParticleReal value[rim_row_size];
  };
  static_assert(sizeof(Row) >= 3 * sizeof(std::uint64_t) && RimRows<BlockShape<3>>::n_rows <= 64);

  /// Index of a block's first row. Behind the rows of sums, one row holds the bits that tell which of them are defined.
  template <class Shape>
  static std::size_t first_row(LocalIndex block) {
    return static_cast<std::size_t>(block) * (rim_rows_per_block<Shape> + 1);
  }
  template <class Shape>
  std::byte* bits_of(LocalIndex block, int d) const {
    return reinterpret_cast<std::byte*>(rows_ + first_row<Shape>(block) + rim_rows_per_block<Shape>) +
           sizeof(std::uint64_t) * static_cast<std::size_t>(d);
  }

  std::uint64_t layout_id_ = 0;
  std::shared_ptr<ScratchMemory> memory_;
  Row* rows_ = nullptr;
  BorderExchange::Array all_rows_;
  std::unique_ptr<BorderExchange> border_;  ///< exchanges rows
};

}  // namespace freshet
