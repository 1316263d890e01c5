// SPDX-License-Identifier: Apache-2.0
#include "pressure/multigrid/grids.hpp"

#include "freshet/core/work_counts.hpp"
#include "pressure/multigrid/aggregation.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace freshet::pressure {
namespace {

/// Least blocks for each rank of a level: with fewer, messages cost more than arithmetic.
constexpr GlobalIndex blocks_per_rank = 16;
/// Coarsening ends at this number of cells.
constexpr GlobalIndex fewest_cells = 64;

/// Numbers of cells of the coarser level along each axis; the domain may fill its last block in part.
Vec3i coarser_extent(const Domain& domain, Vec3i extent) {
  for (int d = 0; d < domain.dimension(); ++d) {
    const bool closes = domain.periodic(d) && domain.lattice()[d] % 2 == 1;
    extent[d] = closes ? (domain.lattice()[d] + 1) / 2 * block_width : (extent[d] + 1) / 2;
  }
  return extent;
}

std::vector<BlockKey> parent_keys(const BlockLayout& layout) {
  std::vector<BlockKey> keys;
  for (const BlockKey key : layout.owned_keys()) {
    if (keys.empty() || keys.back() != key >> 3U) keys.push_back(key >> 3U);
  }
  return keys;
}

/// Places of the cells of one colour that share a face with the block in one of these directions.
template <class Shape>
std::vector<LocalIndex> cells_beside(std::uint32_t directions, Colour colour) {
  const std::array<int, 3> n{Shape::nx, Shape::ny, Shape::nz};
  std::vector<LocalIndex> cells;
  for (int face = 0; face < 2 * Shape::dim; ++face) {
    const auto axis = static_cast<std::size_t>(face / 2);
    const bool high = face % 2 == 1;
    const int direction = high ? high_direction(face / 2) : low_direction(face / 2);
    if ((directions >> direction & 1U) == 0) continue;
    std::array<int, 3> lower{}, upper = n;
    (high ? lower : upper)[axis] = high ? n[axis] - 1 : 1;
    for (int k = lower[2]; k < upper[2]; ++k)
      for (int j = lower[1]; j < upper[1]; ++j)
        for (int i = lower[0]; i < upper[0]; ++i)
          if ((i + j + k) % 2 == static_cast<int>(colour)) cells.push_back(Checkerboard<Shape>::index(i, j, k));
  }
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  return cells;
}

std::unique_ptr<BorderExchange> make_rim(const BlockLayout& layout, Colour colour) {
  return std::make_unique<BorderExchange>(layout, layout.cells_per_block(), [&](std::uint32_t directions) {
    return with_shape(layout.domain().dimension(),
                      [&](auto shape) { return cells_beside<decltype(shape)>(directions, colour); });
  });
}

/// Set fine.link and the number of stand-ins. Collective
void link_to_parents(MultigridGrid& fine, MultigridGrid& coarse) {
  const int dimension = coarse.layout->domain().dimension();
  fine.link = std::make_unique<const LevelLink>(
      *fine.layout, *coarse.layout, [dimension](const ParentPlace& place) { return aggregates_of(dimension, place); });
  coarse.n_stand_ins = fine.link->n_stand_ins();
  if (coarse.layout->comm().size() == 1) return;
  fine.received_by_parents = fine.link->received_cells();
  fine.weights_of_cell = std::make_unique<ContiguousType>(mpi_type<Weight>(), coarse.n_weights_in_transit());
}

void make_rims(MultigridGrid& grid) {
  if (grid.is_on_one_rank()) return;
  for (const Colour colour : {Colour::even, Colour::odd}) {
    grid.rims[static_cast<std::size_t>(colour)] = make_rim(*grid.layout, colour);
  }
}

}  // namespace

void MultigridGrids::reset(const BlockLayout& finest) {
  if (layout_id_ == finest.id()) return;
  layout_id_ = finest.id();
  const bool was_gathered = std::exchange(first_on_one_rank_, 0) > 0;
  build(finest, was_gathered ? std::vector<MultigridGrid>{} : std::exchange(grids_, {}));
}

void MultigridGrids::gather_from(int level) {
  first_on_one_rank_ = level;
  build(*grids_.front().layout, {});
}

void MultigridGrids::build(const BlockLayout& finest, std::vector<MultigridGrid> before) {
  grids_.clear();
  grids_.emplace_back();
  grids_.back().layout = &finest;
  grids_.back().n_ranks = finest.comm().size();
  make_rims(grids_.back());
  count_work(Work::levels);
  const Domain& domain = finest.domain();
  Vec3i extent = domain.lattice().cwiseProduct(domain.block_cells());
  while (grids_.size() == 1 || extent.cast<GlobalIndex>().prod() > fewest_cells) {
    const Vec3i finer = extent;
    extent = coarser_extent(grids_.back().layout->domain(), extent);
    if (extent == finer) return;  // one block, periodic along all axes
    std::vector<BlockKey> wanted = parent_keys(*grids_.back().layout);
    if (keep_coarser_levels(before, wanted)) return;
    add_coarser_level(std::move(wanted));
  }
}

/// Keep the former levels below the last one if the same ranks want the same blocks of them. Collective
bool MultigridGrids::keep_coarser_levels(std::vector<MultigridGrid>& before, const std::vector<BlockKey>& wanted) {
  const std::size_t level = grids_.size();
  const BlockLayout& finer = *grids_.back().layout;
  if (before.size() <= level) return false;
  const BlockLayout& layout = *before[level].layout;
  if (&layout.comm() != &finer.comm() || !(layout.domain() == coarser_domain(finer.domain()))) return false;
  if (finer.comm().any(before[level].wanted != wanted)) return false;
  link_to_parents(grids_.back(), before[level]);
  grids_.insert(grids_.end(), std::make_move_iterator(before.begin() + static_cast<std::ptrdiff_t>(level)),
                std::make_move_iterator(before.end()));
  return true;
}

void MultigridGrids::add_coarser_level(std::vector<BlockKey> wanted) {
  MultigridGrid& fine = grids_.back();
  const BlockLayout& layout = *fine.layout;
  const Communicator& comm = layout.comm();
  MultigridGrid coarse;
  coarse.wanted = std::move(wanted);
  const Domain domain = coarser_domain(layout.domain());
  // A parent of several ranks' blocks counts once for each rank.
  const GlobalIndex n_blocks =
      std::min(comm.sum(static_cast<GlobalIndex>(coarse.wanted.size())), domain.n_lattice_blocks());
  coarse.n_ranks = static_cast<int>(std::clamp<GlobalIndex>(n_blocks / blocks_per_rank, 1, fine.n_ranks));
  if (first_on_one_rank_ > 0 && static_cast<int>(grids_.size()) >= first_on_one_rank_) coarse.n_ranks = 1;
  const std::vector<double> costs(coarse.wanted.size(), 1.0);
  const Splitters splitters = coarse.n_ranks < fine.n_ranks
                                  ? balanced_splitters(comm, coarse.wanted, costs, coarse.n_ranks)
                                  : layout.splitters().coarser();
  coarse.own_layout = std::make_unique<const BlockLayout>(comm, domain, splitters, coarse.wanted);
  coarse.layout = coarse.own_layout.get();
  make_rims(coarse);
  link_to_parents(fine, coarse);
  grids_.push_back(std::move(coarse));
  count_work(Work::levels);
}

}  // namespace freshet::pressure
