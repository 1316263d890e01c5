// SPDX-License-Identifier: Apache-2.0
#include "cell_rim.hpp"

namespace freshet {

/// The leaves of the star forest: for each owned block, the rim nodes of its ghost neighbours that lie in it.
template <class Node>
template <class Shape>
void CellRimPool<Node>::bind(const BlockLayout& layout) {
  constexpr int per_block = CellRim<Shape>::size;
  values_ = memory_->take<Node>(static_cast<std::size_t>(layout.n_blocks()) * per_block);
  if (layout.id() == layout_id_) return;
  layout_id_ = layout.id();
  std::vector<LocalIndex> leaves;
  std::vector<RemotePlace> roots;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int t = 0; t < n_directions; ++t) {
      const LocalIndex neighbour = layout.neighbours(b)[t];
      if (neighbour < layout.n_owned() || neighbour == layout.background()) continue;
      const int owner = layout.ghost_owner(neighbour);
      const LocalIndex remote = layout.ghost_remote_index(neighbour);
      const int back = n_directions - 1 - t;
      for (int n = cell_rim<Shape>.begin[back]; n < cell_rim<Shape>.begin[back + 1]; ++n) {
        leaves.push_back(neighbour * per_block + n);
        roots.push_back({owner, remote * per_block + n});
      }
    }
  const std::int64_t n_roots = static_cast<std::int64_t>(layout.n_owned()) * per_block;
  forest_ = std::make_unique<StarForest>(layout.comm(), n_roots, std::move(leaves), roots);
}

template void CellRimPool<double>::bind<BlockShape<2>>(const BlockLayout&);
template void CellRimPool<double>::bind<BlockShape<3>>(const BlockLayout&);
template void CellRimPool<Double2>::bind<BlockShape<2>>(const BlockLayout&);
template void CellRimPool<Double2>::bind<BlockShape<3>>(const BlockLayout&);
template void CellRimPool<Moments>::bind<BlockShape<2>>(const BlockLayout&);
template void CellRimPool<Moments>::bind<BlockShape<3>>(const BlockLayout&);

}  // namespace freshet
