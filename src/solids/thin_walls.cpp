// SPDX-License-Identifier: Apache-2.0
// SolidFields: walls that are thinner than a cell.
#include "block_solids.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/padded.hpp"
#include "freshet/solids/solids.hpp"

#include <algorithm>
#include <bit>

namespace freshet {
namespace {

constexpr int pad = 1;
constexpr std::uint32_t all_around = (1U << n_directions) - 1;

/// Low faces at thin walls of the cells in and around a block: bit d stands for the face along axis d.
/// \param[in] depth  depth of the centre of the low face (axis, cell) in the nearest body of open fractions [cells]
template <class Block>
class ThinFaces {
 public:
  template <class Depth>
  ThinFaces(const FaceField<std::uint8_t>& wall, const CellField<std::uint8_t>& is_solid, LocalIndex b, Depth&& depth) {
    std::uint8_t solid[size], bits[size];
    fill_padded(is_solid, b, extents_, solid);
    for (int d = 0; d < Block::dim; ++d) {
      fill_padded(wall[d], b, extents_, bits);
      for (int n = extents_.stride(d); n < size; ++n)
        if ((bits[n] & (covered | thin_wall)) != 0 && solid[n] == 0 && solid[n - extents_.stride(d)] == 0 &&
            ((bits[n] & covered) == 0 || depth(d, extents_.place(n)) < deepest))
          thin_[n] |= static_cast<std::uint8_t>(1U << d);
    }
    std::copy_n(thin_, size, around_);
    collect_bits_around(extents_, around_);
  }
  bool any() const {
    return std::any_of(thin_, thin_ + size, [](std::uint8_t bits) { return bits != 0; });
  }
  /// Whether a cell or one that touches it has such a face.
  bool any_around(const Vec3i& n) const { return around_[extents_.at(n.x() - pad, n.y() - pad, n.z() - pad)] != 0; }
  bool operator()(int d, const Vec3i& n) const { return (thin_[extents_.at(n)] >> d & 1U) != 0; }

  /// The cells around a cell that can be reached along the axes without crossing a thin wall or going back.
  std::uint32_t seen_from(const Vec3i& cell) const {
    std::uint32_t seen = 1U << self_direction;
    for (int length = 1; length <= Block::dim; ++length)
      for (int direction = 0; direction < n_directions; ++direction) {
        const Vec3i offset = direction_offset(direction);
        if (offset.cwiseAbs().sum() != length) continue;
        if (Block::dim == 2 && offset.z() != 0) continue;
        for (int d = 0; d < Block::dim; ++d) {
          if (offset[d] == 0) continue;
          Vec3i before = offset;
          before[d] = 0;
          const Vec3i upper = cell + (offset[d] > 0 ? offset : before);
          if ((seen >> direction_index(before.x(), before.y(), before.z()) & 1U) != 0 && !(*this)(d, upper))
            seen |= 1U << direction;
        }
      }
    return Block::dim == 3 ? seen : seen | (all_around & ~(0777U << 9));
  }

 private:
  static constexpr int size = padded_size<Block>(1);
  /// Bound of the depth in a wall thinner than a cell. Under the top of a ball, which also covers faces between open
  /// cells, face centres are deeper. [cells]
  static constexpr double deepest = 0.45;
  PaddedExtents<Block> extents_{pad};
  std::uint8_t thin_[size] = {};
  std::uint8_t around_[size];  ///< result of collect_bits_around()
};

}  // namespace

template <class Block>
void SolidFields::find_walled_cells(LocalIndex b) {
  const Domain& domain = layout_->domain();
  const Vec3i first = layout_->first_cell(b);
  const auto depth = [&](int axis, const Vec3i& n) {
    const Vec3 middle = center_of(domain, first + n) - 0.5 * domain.dx() * Vec3::Unit(axis);
    return -nearest_body(bodies_, shapes_, middle, has_fractions).distance / domain.dx();
  };
  const ThinFaces<Block> thin(wall_, is_solid_, b, depth);
  if (!thin.any()) return;
  for (int c = 0; c < Block::cells; ++c) {
    if (is_solid_.block(b)[c] != 0) continue;
    if (!thin.any_around(Block::place(c))) continue;
    const std::uint32_t seen = thin.seen_from(Block::place(c));
    if (seen != all_around) walled_cells_[b].push_back({static_cast<std::int16_t>(c), seen});
  }
  for (CoveredFace& face : covered_faces_[b]) face.is_thin = thin(face.axis, Block::place(face.face));
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
    const SolidBody& body = bodies_[nearest_body(bodies_, shapes_, center, has_fractions).body];
    if (body.wall == WallCondition::separating) cells.insert(place, walled.cell);
  }
}

void SolidFields::find_thin_walls() {
  with_shape(layout_->domain().dimension(), [&](auto shape) {
    using Block = decltype(shape);
    parallel_for_blocks(layout_->n_owned(), [&](LocalIndex b) {
      walled_cells_[b].clear();
      const LocalIndex* around = layout_->neighbours(b);
      const bool is_near =
          std::any_of(around, around + n_directions, [&](LocalIndex n) { return may_be_walled_[n] != 0; });
      is_near_thin_wall_[b] = is_near ? 1 : 0;
      if (is_near) find_walled_cells<Block>(b);
    });
  });
}

}  // namespace freshet
