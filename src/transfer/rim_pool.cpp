// SPDX-License-Identifier: Apache-2.0
#include "rim_pool.hpp"

namespace freshet {
namespace {

std::unique_ptr<StarForest> make_block_forest(const BlockLayout& layout) {
  std::vector<LocalIndex> leaves;
  std::vector<RemotePlace> roots;
  for (LocalIndex ghost = layout.n_owned(); ghost < layout.n_blocks(); ++ghost) {
    leaves.push_back(ghost);
    roots.push_back({layout.ghost_owner(ghost), layout.ghost_remote_index(ghost)});
  }
  return std::make_unique<StarForest>(layout.comm(), layout.n_owned(), std::move(leaves), roots);
}

}  // namespace

template <class Shape>
void RimPool::bind(const BlockLayout& layout) {
  defined_.assign(static_cast<std::size_t>(layout.n_blocks()), Defined{});
  rows_ = memory_->take<ParticleReal>(static_cast<std::size_t>(layout.n_blocks()) * rim_rows_per_block<Shape> *
                                      rim_row_size);
  if (layout.id() == layout_id_) return;
  layout_id_ = layout.id();
  row_forest_ = make_row_forest<Shape>(layout);
  block_forest_ = make_block_forest(layout);
}

/// The leaves of the star forest: for each owned block, the rim rows of its ghost neighbours that lie in it.
template <class Shape>
std::unique_ptr<StarForest> RimPool::make_row_forest(const BlockLayout& layout) const {
  constexpr int per_block = rim_rows_per_block<Shape>;
  std::vector<LocalIndex> leaves;
  std::vector<RemotePlace> roots;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int t = 0; t < n_directions; ++t) {
      const LocalIndex neighbour = layout.neighbours(b)[t];
      if (neighbour < layout.n_owned() || neighbour == layout.background()) continue;
      const int owner = layout.ghost_owner(neighbour);
      const LocalIndex remote = layout.ghost_remote_index(neighbour);
      const int back = n_directions - 1 - t;
      for (int d = 0; d < Shape::dim; ++d)
        for (int r = rim_rows<Shape>[d].begin[back]; r < rim_rows<Shape>[d].begin[back + 1]; ++r) {
          const int row = d * RimRows<Shape>::n_rows + r;
          leaves.push_back(neighbour * per_block + row);
          roots.push_back({owner, remote * per_block + row});
        }
    }
  const std::int64_t n_roots = static_cast<std::int64_t>(layout.n_owned()) * per_block;
  return std::make_unique<StarForest>(layout.comm(), n_roots, std::move(leaves), roots);
}

void RimPool::gather() {
  row_forest_->broadcast(row_type_.raw(), rows_, rows_);
  block_forest_->broadcast(defined_type_.raw(), defined_.data(), defined_.data());
}

template void RimPool::bind<BlockShape<2>>(const BlockLayout&);
template void RimPool::bind<BlockShape<3>>(const BlockLayout&);

}  // namespace freshet
