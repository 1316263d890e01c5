// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/neighbours.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/parallel/sparse_exchange.hpp"

#include <algorithm>
#include <bitset>
#include <map>
#include <vector>

namespace freshet {
namespace {

struct Travelling {
  BlockKey key;
  Neighbour particle;
};

template <class Shape>
int cell_of(const ParticleReal* x) {
  return Shape::cell(static_cast<int>(x[0]), static_cast<int>(x[1]), Shape::dim == 3 ? static_cast<int>(x[2]) : 0);
}

/// Mark the cells of a block that touch the neighbour block in a direction.
template <class Shape>
void mark_rim(const Vec3i& offset, std::bitset<Shape::cells>& marks) {
  int first[3], end[3];
  for (int d = 0; d < 3; ++d) {
    first[d] = offset[d] > 0 ? Shape::n(d) - 1 : 0;
    end[d] = offset[d] < 0 ? 1 : Shape::n(d);
  }
  for (int k = first[2]; k < end[2]; ++k)
    for (int j = first[1]; j < end[1]; ++j)
      for (int i = first[0]; i < end[0]; ++i) marks.set(static_cast<std::size_t>(Shape::cell(i, j, k)));
}

Neighbour neighbour(const ParticleStore& particles, ParticleIndex p) {
  Neighbour result;
  std::copy_n(particles.position() + 3 * p, 3, result.x);
  std::copy_n(particles.velocity() + 3 * p, 3, result.u);
  result.id = particles.id()[p];
  return result;
}

}  // namespace

template <class Shape>
void ParticleNeighbours::gather_ghosts(const ParticleStore& particles, const BlockLayout& layout) {
  std::map<int, Parcel<Travelling>> outgoing;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    std::map<int, std::bitset<Shape::cells>> wanted;  // by rank: the wanted cells
    for (int t = 0; t < n_directions; ++t) {
      const LocalIndex other = layout.neighbours(b)[t];
      if (other < layout.n_owned() || other == layout.background()) continue;
      mark_rim<Shape>(direction_offset(t), wanted[layout.ghost_owner(other)]);
    }
    const std::uint32_t* const begin = particles.cell_begin().data() + static_cast<std::size_t>(b) * Shape::cells;
    for (const auto& [rank, marks] : wanted)
      for (std::size_t c = 0; c < Shape::cells; ++c)
        for (ParticleIndex p = begin[c]; marks[c] && p < begin[c + 1]; ++p)
          outgoing[rank].items.push_back({layout.key(b), neighbour(particles, p)});
  }
  std::vector<Parcel<Travelling>> parcels;
  for (auto& [rank, parcel] : outgoing) parcels.push_back({rank, std::move(parcel.items)});
  // The particles of a ghost block come from its owner in order of cell: only the blocks must be sorted.
  std::vector<std::pair<LocalIndex, Neighbour>> ghosts;
  for (const Parcel<Travelling>& parcel : exchange(layout.comm(), parcels))
    for (const Travelling& item : parcel.items) {
      const LocalIndex slot = layout.find(item.key);
      FRESHET_ASSERT(slot >= layout.n_owned() && slot != layout.background());
      ghosts.emplace_back(slot, item.particle);
    }
  std::stable_sort(ghosts.begin(), ghosts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t next = 0;
  for (LocalIndex slot = layout.n_owned(); slot < layout.n_slots(); ++slot)
    for (int c = 0; c < Shape::cells + 1; ++c) {
      begin_[static_cast<std::size_t>(slot) * row_ + static_cast<std::size_t>(c)] =
          static_cast<ParticleIndex>(all_.size());
      for (; next < ghosts.size() && ghosts[next].first == slot && cell_of<Shape>(ghosts[next].second.x) == c; ++next)
        all_.push_back(ghosts[next].second);
    }
  FRESHET_ENSURE(next == ghosts.size());
}

void ParticleNeighbours::gather(const ParticleStore& particles, const BlockLayout& layout) {
  FRESHET_EXPECT(particles.cell_begin().size() ==
                 static_cast<std::size_t>(layout.n_owned()) * static_cast<std::size_t>(layout.cells_per_block()) + 1);
  layout_ = &layout;
  row_ = static_cast<std::size_t>(layout.cells_per_block()) + 1;
  begin_.resize(static_cast<std::size_t>(layout.n_slots()) * row_);
  all_.resize(static_cast<std::size_t>(particles.size()));
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const std::uint32_t* const begin = particles.cell_begin().data() + static_cast<std::size_t>(b) * Shape::cells;
      for (int c = 0; c < Shape::cells + 1; ++c)
        begin_[static_cast<std::size_t>(b) * row_ + static_cast<std::size_t>(c)] = begin[c];
      for (ParticleIndex p = begin[0]; p < begin[Shape::cells]; ++p)
        all_[static_cast<std::size_t>(p)] = neighbour(particles, p);
    });
    gather_ghosts<Shape>(particles, layout);
  });
}

}  // namespace freshet
