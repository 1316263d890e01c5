// SPDX-License-Identifier: Apache-2.0
// SolidFields: walls that are thinner than a cell.
#include "corner_distances.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/kernels/bit_tile.hpp"
#include "freshet/grid/kernels/row.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/solids/block_solids.hpp"
#include "freshet/solids/solids.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

namespace freshet {
namespace {

constexpr int pad = 1;
constexpr std::uint32_t all_around = (1U << n_directions) - 1;

/// The last steps of the ways along the axes from a cell to one around it.
struct LastSteps {
  int to = 0;        ///< direction_index of that cell
  int n = 0;         ///< number of the last steps
  int from[3] = {};  ///< direction_index of the cell where each begins
  int axis[3] = {};
  int face[3] = {};  ///< direction_index of the cell whose low face it crosses
};

/// The last steps to all cells around a cell, after those to the cells that they begin in.
template <int dim>
constexpr auto make_last_steps() {
  std::array<LastSteps, dim == 3 ? 26 : 8> all{};
  std::size_t n = 0;
  for (int length = 1; length <= dim; ++length)
    for (int direction = 0; direction < n_directions; ++direction) {
      const int offset[3] = {direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1};
      if (offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2] != length) continue;
      if (dim == 2 && offset[2] != 0) continue;
      LastSteps& last = all[n++];
      last.to = direction;
      for (int d = 0; d < dim; ++d) {
        if (offset[d] == 0) continue;
        int before[3] = {offset[0], offset[1], offset[2]};
        before[d] = 0;
        last.from[last.n] = direction_index(before[0], before[1], before[2]);
        last.axis[last.n] = d;
        last.face[last.n++] = offset[d] > 0 ? direction : direction_index(before[0], before[1], before[2]);
      }
    }
  return all;
}
template <int dim>
constexpr auto last_steps = make_last_steps<dim>();

/// The cells that are not solid and their faces at thin walls, in and around a block.
template <class Block>
class ThinWalls {
 public:
  /// \param[in] depth  depth of the centre of the low face (axis, cell) in the nearest body of open fractions [cells]
  template <class Depth>
  ThinWalls(const FaceField<std::uint8_t>& wall, const CellField<std::uint8_t>& is_solid, LocalIndex b, Depth&& depth) {
    for (int direction = 0; direction < n_directions; ++direction) {
      const Vec3i to = direction_offset(direction);
      offset_[direction] = to.x() + to.y() * extents_.stride(1) + (Block::dim == 3 ? to.z() * extents_.stride(2) : 0);
    }
    solid_.fill(is_solid, b);
    for (int d = 0; d < Block::dim; ++d) {
      const Tile<std::uint8_t, Block, pad> bits(wall[d], b);
      for (int n = extents_.stride(d); n < size; ++n)
        if ((bits[n] & (covered | thin_wall)) != 0 && solid_[n] == 0 && solid_[n - extents_.stride(d)] == 0 &&
            ((bits[n] & covered) == 0 || depth(d, extents_.place(n)) < deepest))
          thin_[n] |= static_cast<std::uint8_t>(1U << d);
    }
    find_thin_cells(is_solid, b);
    around_ = thin_;
    collect_bits_around(extents_, around_.data());
  }
  bool any() const {
    return std::any_of(thin_.begin(), thin_.end(), [](std::uint8_t bits) { return bits != 0; });
  }
  /// Whether a cell or one that touches it has such a face or is a thin wall.
  bool any_around(const Vec3i& n) const { return around_(n.x() - pad, n.y() - pad, n.z() - pad) != 0; }
  /// Whether the low face of a cell is at a thin wall.
  bool has_face(int d, const Vec3i& n) const { return (thin_(n) >> d & 1U) != 0; }
  /// Whether a solid cell has others on both sides along an axis.
  bool is_thin_cell(const Vec3i& n) const { return (thin_(n) & thin_cell) != 0; }
  bool is_solid(const Vec3i& n) const { return solid_(n) != 0; }

  /// The cells around a cell that can be reached along the axes without crossing a thin wall or going back. The ways to
  /// solid cells may pass through others.
  std::uint32_t seen_from(const Vec3i& cell) const {
    const int here = extents_.at(cell);
    std::uint32_t seen = 1U << self_direction, in_open = seen;
    for (const LastSteps& last : last_steps<Block::dim>) {
      const bool is_open = solid_[here + offset_[last.to]] == 0;
      for (int n = 0; n < last.n; ++n) {
        if ((thin_[here + offset_[last.face[n]]] >> last.axis[n] & 1U) != 0) continue;
        seen |= (seen >> last.from[n] & 1U) << last.to;
        if (is_open) in_open |= (in_open >> last.from[n] & 1U) << last.to;
      }
      if (is_open && (in_open >> last.to & 1U) == 0) seen &= ~(1U << last.to);
    }
    return Block::dim == 3 ? seen : seen | (all_around & ~in_plane);
  }
  /// The cells around a cell that are thin walls: bits by direction_index.
  std::uint32_t thin_cells_around(const Vec3i& cell) const {
    const int here = extents_.at(cell);
    std::uint32_t cells = 0;
    for (const LastSteps& last : last_steps<Block::dim>)
      if ((thin_[here + offset_[last.to]] & thin_cell) != 0) cells |= 1U << last.to;
    return cells;
  }

  /// Call f(cells) for each side of a solid cell: the cells around it that are not solid and are joined there.
  template <class Function>
  void for_each_side(const Vec3i& solid, Function&& f) const {
    std::uint32_t left = 0;
    for (int direction = 0; direction < n_directions; ++direction)
      if ((Block::dim == 3 || (in_plane >> direction & 1U) != 0) && !is_solid(solid + direction_offset(direction)))
        left |= 1U << direction;
    while (left != 0) {
      const std::uint32_t side = joined_with(left & (~left + 1U), left, solid);
      left &= ~side;
      f(side);
    }
  }

 private:
  static constexpr TileExtents<Block> extents_{pad};
  static constexpr int size = extents_.size();
  static constexpr std::uint32_t in_plane = 0777U << 9U;  ///< the cells around one in 2-D
  static constexpr std::uint8_t thin_cell = 8;            ///< the bit of thin_ that is_thin_cell() reads
  /// Bound of the depth in a wall thinner than a cell. Under the top of a ball, which also covers faces between open
  /// cells, face centres are deeper. [cells]
  static constexpr double deepest = 0.45;

  void find_thin_cells(const CellField<std::uint8_t>& field, LocalIndex b) {
    const Tile<std::uint8_t, Block, pad + 1> solid(field, b);
    constexpr TileExtents<Block> wide = solid.extents;
    for (int n = 0; n < size; ++n) {
      if (solid_[n] == 0) continue;
      const int here = wide.at(extents_.place(n));
      for (int d = 0; d < Block::dim; ++d)
        if (solid[here - wide.stride(d)] == 0 && solid[here + wide.stride(d)] == 0) thin_[n] |= thin_cell;
    }
  }

  /// Those of some cells around a cell that are joined with the first ones along axes, not across a thin wall.
  std::uint32_t joined_with(std::uint32_t first, std::uint32_t cells, const Vec3i& center) const {
    std::uint32_t joined = first;
    for (std::uint32_t before = 0; before != joined;) {
      before = joined;
      for (int direction = 0; direction < n_directions; ++direction) {
        if ((joined >> direction & 1U) == 0) continue;
        const Vec3i offset = direction_offset(direction);
        for (int d = 0; d < Block::dim; ++d)
          for (const int step : {-1, 1}) {
            const Vec3i next = offset + step * Vec3i::Unit(d);
            if (std::abs(next[d]) > 1 || has_face(d, center + (step > 0 ? next : offset))) continue;
            joined |= cells & 1U << direction_index(next.x(), next.y(), next.z());
          }
      }
    }
    return joined;
  }

  Tile<std::uint8_t, Block, pad> solid_;
  Tile<std::uint8_t, Block, pad> thin_{};  ///< bit d stands for the low face along axis d
  Tile<std::uint8_t, Block, pad> around_;  ///< result of collect_bits_around()
  int offset_[n_directions];               ///< in the tile, to the cells around a cell
};

/// Whether a solid cell in a block or beside it has others on both sides along an axis.
template <class Block>
bool any_thin_cell(const CellPlanes& open_cells, const LocalIndex* around) {
  using Tile = BitTile<Block, pad + 1>;
  const Tile open(open_cells, around);
  Tile between;
  for_each_axis<Block>([&](auto axis) {
    between = between | (open.template neighbours<axis, -1>() & open.template neighbours<axis, 1>());
  });
  return (between & ~open).any();
}

/// Whether the surface that is nearest to the centre of a solid cell is on the side of another cell. \param[in] solid,
/// other  the cells' centres [m]
bool is_on_nearest_side(const NearBodies& near, double dx, const Vec3& solid, const Vec3& other) {
  const auto distance = [&](const Vec3& x) { return near.nearest(x, any_body).distance; };
  const std::size_t body = near.nearest(solid, any_body).body;
  const Vec3 x = solid + 0.5 * dx * side_of_center(*near.shapes()[body], solid, dx);
  const double length = (other - x).norm();
  const PointBesideBodies from{x, distance(x)};
  return from.distance > 0.0 && free_way(distance, from, {other, distance(other)}, length, shortest_way * dx) == length;
}

}  // namespace

template <class Block>
void SolidFields::find_walled_cells(LocalIndex b) {
  const Domain& domain = layout_->domain();
  const Vec3i first = layout_->first_cell(b);
  const NearBodies near(*this, b);
  const auto depth = [&](int axis, const Vec3i& n) {
    const Vec3 middle = center_of(domain, first + n) - 0.5 * domain.dx() * Vec3::Unit(axis);
    return -near.nearest(middle, has_fractions).distance / domain.dx();
  };
  const ThinWalls<Block> thin(wall_, is_solid_, b, depth);
  if (!thin.any()) return;
  for (int c = 0; c < Block::cells; ++c) {
    const Vec3i cell = Block::place(c);
    if (!thin.any_around(cell)) continue;
    const auto number = static_cast<std::int16_t>(c);
    if (!thin.is_solid(cell)) {
      std::uint32_t seen = thin.seen_from(cell);
      for (std::uint32_t left = thin.thin_cells_around(cell); left != 0; left &= left - 1) {
        const int direction = std::countr_zero(left);
        const Vec3i next = cell + direction_offset(direction);
        if (!is_on_nearest_side(near, domain.dx(), center_of(domain, first + next), center_of(domain, first + cell)))
          seen &= ~(1U << direction);
      }
      if (seen != all_around) walled_cells_[b].push_back({number, seen});
    } else if (thin.is_thin_cell(cell)) {
      const auto n_before = solid_sides_[b].size();
      thin.for_each_side(cell, [&](std::uint32_t cells) { solid_sides_[b].push_back({number, cells}); });
      if (solid_sides_[b].size() == n_before + 1) solid_sides_[b].pop_back();
    }
  }
  for (CoveredFace& face : covered_faces_[b]) face.is_thin = thin.has_face(face.axis, Block::place(face.face));
  if (any_separating_fractions_) add_separating_cells(b);
}

/// Add the cells on both sides of thin walls that liquid may leave, also if the wall cuts neither of them.
void SolidFields::add_separating_cells(LocalIndex b) {
  const Domain& domain = layout_->domain();
  const Vec3i n = domain.block_cells();
  std::vector<std::int16_t>& cells = separating_cells_[b];
  for (const WalledCell& walled : walled_cells_[b]) {
    bool is_at_wall = false;
    for (int d = 0; d < domain.dimension(); ++d)
      for (const int side : {-1, 1}) {
        const Vec3i next = side * Vec3i::Unit(d);
        is_at_wall = is_at_wall || (walled.seen >> direction_index(next.x(), next.y(), next.z()) & 1U) == 0;
      }
    const auto place = std::lower_bound(cells.begin(), cells.end(), walled.cell);
    if (!is_at_wall || (place != cells.end() && *place == walled.cell)) continue;
    const Vec3i cell(walled.cell % n.x(), walled.cell / n.x() % n.y(), walled.cell / (n.x() * n.y()));
    const Vec3 center = center_of(domain, layout_->first_cell(b) + cell);
    const SolidBody& body = bodies_[NearBodies(*this, b).nearest(center, has_fractions).body];
    if (body.wall == WallCondition::separating) cells.insert(place, walled.cell);
  }
}

/// Set open_cells_. Blocks far from bodies count as open.
template <class Block>
void SolidFields::find_open_cells() {
  open_cells_.resize(static_cast<std::size_t>(layout_->n_slots()) * Block::nz);
  parallel_for_blocks(layout_->n_slots(), [&](LocalIndex slot) {
    std::uint64_t* planes = open_cells_.data() + static_cast<std::size_t>(slot) * Block::nz;
    const bool is_near = slot == layout_->background() || nearest_[slot] < near_cells;
    if (!is_near) return static_cast<void>(std::fill_n(planes, Block::nz, ~std::uint64_t{0}));
    for (int k = 0; k < Block::nz; ++k) {
      planes[k] = 0;
      for (int j = 0; j < Block::ny; ++j)
        planes[k] |= std::uint64_t{bits_of(load_row(is_solid_.block(slot) + Block::cell(0, j, k)) == 0)}
                     << Block::nx * j;
    }
  });
}

void SolidFields::find_thin_walls() {
  const bool has_bodies = !bodies_.empty();
  with_shape(layout_->domain().dimension(), [&](auto shape) {
    using Block = decltype(shape);
    if (has_bodies) find_open_cells<Block>();
    parallel_for_blocks(layout_->n_owned(), [&](LocalIndex b) {
      walled_cells_[b].clear();
      solid_sides_[b].clear();
      const bool is_near = any_around(*layout_, may_be_walled_, b);
      is_near_thin_wall_[b] = is_near ? 1 : 0;
      const bool has_cells =
          has_bodies && nearest_[b] < near_cells && any_thin_cell<Block>(open_cells_, layout_->neighbours(b));
      if (is_near || has_cells) find_walled_cells<Block>(b);
    });
  });
}

}  // namespace freshet
