// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/halo.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/memory.hpp"
#include "freshet/grid/block_shape.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace freshet {
namespace {

/// Cells of the neighbour in direction `offset` that lie within `width` of the block, as an index range along each
/// axis.
CellBox rim_box(const Vec3i& block_cells, const Vec3i& offset, int width) {
  CellBox box{Vec3i::Zero(), block_cells};
  for (int axis = 0; axis < 3; ++axis) {
    if (offset[axis] > 0) box.upper[axis] = std::min(width, block_cells[axis]);
    if (offset[axis] < 0) box.lower[axis] = std::max(block_cells[axis] - width, 0);
  }
  return box;
}

/// Mark every ghost cell within `width` cells of an owned block.
std::vector<std::uint8_t> mark_rim(const BlockLayout& layout, int width) {
  const Vec3i n = layout.domain().block_cells();
  std::vector<std::uint8_t> marked(static_cast<std::size_t>(layout.n_ghost()) * layout.cells_per_block(), 0);
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int direction = 0; direction < n_directions; ++direction) {
      const LocalIndex neighbour = layout.neighbours(b)[direction];
      if (neighbour < layout.n_owned() || neighbour == layout.background()) continue;
      std::uint8_t* cells = &marked[static_cast<std::size_t>(neighbour - layout.n_owned()) * layout.cells_per_block()];
      const CellBox box = rim_box(n, direction_offset(direction), width);
      for (int k = box.lower.z(); k < box.upper.z(); ++k)
        for (int j = box.lower.y(); j < box.upper.y(); ++j)
          for (int i = box.lower.x(); i < box.upper.x(); ++i) cells[i + n.x() * (j + n.y() * k)] = 1;
    }
  return marked;
}

/// Cells of the ghosts within `width` cells of an owned block, in the order of the star forest's leaves.
template <class Visit>
void for_each_in_rim(const BlockLayout& layout, int width, Visit visit) {
  const std::vector<std::uint8_t> marked = mark_rim(layout, width);
  const LocalIndex cells = layout.cells_per_block();
  for (LocalIndex ghost = layout.n_owned(); ghost < layout.n_blocks(); ++ghost)
    for (LocalIndex c = 0; c < cells; ++c)
      if (marked[static_cast<std::size_t>((ghost - layout.n_owned()) * cells + c)] != 0) visit(ghost, c);
}

}  // namespace

struct Halo::Packed {
  std::vector<LocalIndex> root_cells;  ///< owned cells that a rank asks for
  std::vector<LocalIndex> leaf_cells;
  std::unique_ptr<StarForest> forest;                          ///< from places in root_cells to places in leaf_cells
  std::map<std::pair<MPI_Datatype, int>, MPI_Datatype> types;  ///< several numbers of a type
  TrackedVector<std::byte, MemoryKind::scratch> roots, leaves;

  Packed() = default;
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;
  ~Packed() {
    for (auto& [key, type] : types) MPI_Type_free(&type);
  }
  MPI_Datatype type(MPI_Datatype one, int n) {
    MPI_Datatype& result = types.try_emplace({one, n}, MPI_DATATYPE_NULL).first->second;
    if (result == MPI_DATATYPE_NULL) {
      check_mpi(MPI_Type_contiguous(n, one, &result), "MPI_Type_contiguous");
      check_mpi(MPI_Type_commit(&result), "MPI_Type_commit");
    }
    return result;
  }
};

Halo::Halo(const BlockLayout& layout) : layout_(layout) {}
Halo::~Halo() = default;

const StarForest& Halo::forest(int width) const {
  FRESHET_EXPECT(width >= 1 && width <= block_width);
  std::unique_ptr<StarForest>& forest = forests_[width];
  if (forest) return *forest;
  const LocalIndex cells = layout_.cells_per_block();
  std::vector<LocalIndex> leaves;
  std::vector<RemotePlace> roots;
  for_each_in_rim(layout_, width, [&](LocalIndex ghost, LocalIndex c) {
    leaves.push_back(ghost * cells + c);
    roots.push_back({layout_.ghost_owner(ghost), layout_.ghost_remote_index(ghost) * cells + c});
  });
  forest = std::make_unique<StarForest>(layout_.comm(), static_cast<std::int64_t>(layout_.n_owned()) * cells,
                                        std::move(leaves), roots);
  return *forest;
}

Halo::Packed& Halo::packed(int width) const {
  std::unique_ptr<Packed>& rim = packed_[width];
  if (rim) return *rim;
  rim = std::make_unique<Packed>();
  const StarForest& by_cell = forest(width);
  const LocalIndex cells = layout_.cells_per_block();
  rim->root_cells = by_cell.roots_in_use();
  std::vector<LocalIndex> place(static_cast<std::size_t>(layout_.n_blocks() * cells), -1);
  for (std::size_t n = 0; n < rim->root_cells.size(); ++n)
    place[static_cast<std::size_t>(rim->root_cells[n])] = static_cast<LocalIndex>(n);
  by_cell.broadcast(place.data(), place.data());
  std::vector<LocalIndex> leaves;
  std::vector<RemotePlace> roots;
  for_each_in_rim(layout_, width, [&](LocalIndex ghost, LocalIndex c) {
    leaves.push_back(static_cast<LocalIndex>(leaves.size()));
    rim->leaf_cells.push_back(ghost * cells + c);
    roots.push_back({layout_.ghost_owner(ghost), place[static_cast<std::size_t>(ghost * cells + c)]});
  });
  rim->forest = std::make_unique<StarForest>(layout_.comm(), static_cast<std::int64_t>(rim->root_cells.size()),
                                             std::move(leaves), roots);
  return *rim;
}

template <class T>
void Halo::gather_together(std::span<T* const> fields, int width) const {
  if (layout_.comm().size() == 1) return;
  Packed& rim = packed(width);
  const std::size_t n = fields.size();
  const auto n_roots = static_cast<std::int64_t>(rim.root_cells.size());
  const auto n_leaves = static_cast<std::int64_t>(rim.leaf_cells.size());
  rim.roots.resize(rim.root_cells.size() * n * sizeof(T));
  rim.leaves.resize(rim.leaf_cells.size() * n * sizeof(T));
  T* const roots = reinterpret_cast<T*>(rim.roots.data());  // 64-byte alignment
  T* const leaves = reinterpret_cast<T*>(rim.leaves.data());
#pragma omp parallel for schedule(static)
  for (std::int64_t r = 0; r < n_roots; ++r)
    for (std::size_t f = 0; f < n; ++f)
      roots[static_cast<std::size_t>(r) * n + f] = fields[f][rim.root_cells[static_cast<std::size_t>(r)]];
  rim.forest->broadcast(rim.type(mpi_type<T>(), static_cast<int>(n)), roots, leaves);
#pragma omp parallel for schedule(static)
  for (std::int64_t l = 0; l < n_leaves; ++l)
    for (std::size_t f = 0; f < n; ++f)
      fields[f][rim.leaf_cells[static_cast<std::size_t>(l)]] = leaves[static_cast<std::size_t>(l) * n + f];
}

template void Halo::gather_together(std::span<double* const>, int) const;
template void Halo::gather_together(std::span<float* const>, int) const;
template void Halo::gather_together(std::span<std::uint8_t* const>, int) const;

}  // namespace freshet
