// SPDX-License-Identifier: Apache-2.0
#include "cell_rim.hpp"

namespace freshet {

namespace {

/// The nodes of a block's rim that lie in the blocks in these directions.
template <class Shape>
std::vector<LocalIndex> nodes_toward(std::uint32_t directions) {
  std::vector<LocalIndex> nodes;
  for (int t = 0; t < n_directions; ++t)
    for (int n = cell_rim<Shape>.begin[t]; (directions >> t & 1U) != 0 && n < cell_rim<Shape>.begin[t + 1]; ++n)
      nodes.push_back(n);
  return nodes;
}

}  // namespace

template <class Node>
template <class Shape>
void CellRimPool<Node>::bind(const BlockLayout& layout) {
  constexpr int per_block = CellRim<Shape>::size;
  values_ = memory_->take<Node>(static_cast<std::size_t>(layout.n_blocks()) * per_block);
  if (layout.id() == layout_id_) return;
  layout_id_ = layout.id();
  border_ = std::make_unique<BorderExchange>(layout, per_block, nodes_toward<Shape>);
}

template void CellRimPool<double>::bind<BlockShape<2>>(const BlockLayout&);
template void CellRimPool<double>::bind<BlockShape<3>>(const BlockLayout&);
template void CellRimPool<Double2>::bind<BlockShape<2>>(const BlockLayout&);
template void CellRimPool<Double2>::bind<BlockShape<3>>(const BlockLayout&);
template void CellRimPool<Moments>::bind<BlockShape<2>>(const BlockLayout&);
template void CellRimPool<Moments>::bind<BlockShape<3>>(const BlockLayout&);

}  // namespace freshet
