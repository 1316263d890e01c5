// SPDX-License-Identifier: Apache-2.0
#include "rim_pool.hpp"

#include <vector>

namespace freshet {
namespace {

/// The rows of a block that lie in the blocks in these directions, and the row of bits.
template <class Shape>
std::vector<LocalIndex> rows_toward_blocks(std::uint32_t directions) {
  std::vector<LocalIndex> rows;
  for (int d = 0; d < Shape::dim; ++d)
    for (int t = 0; t < n_directions; ++t)
      for (int r = rim_rows<Shape>[d].begin[t]; (directions >> t & 1U) != 0 && r < rim_rows<Shape>[d].begin[t + 1]; ++r)
        rows.push_back(d * RimRows<Shape>::n_rows + r);
  rows.push_back(rim_rows_per_block<Shape>);
  return rows;
}

}  // namespace

template <class Shape>
void RimPool::bind(const BlockLayout& layout) {
  constexpr int rows_of_block = rim_rows_per_block<Shape> + 1;
  rows_ = memory_->take<Row>(static_cast<std::size_t>(layout.n_blocks()) * rows_of_block);
  all_rows_ = BorderExchange::Array(rows_);
  for (LocalIndex b = 0; b < layout.n_blocks(); ++b)
    for (int d = 0; d < Shape::dim; ++d) set_defined<Shape>(b, d, 0);
  if (layout.id() == layout_id_) return;
  layout_id_ = layout.id();
  border_ = std::make_unique<BorderExchange>(layout, rows_of_block, rows_toward_blocks<Shape>);
}

template void RimPool::bind<BlockShape<2>>(const BlockLayout&);
template void RimPool::bind<BlockShape<3>>(const BlockLayout&);

}  // namespace freshet
