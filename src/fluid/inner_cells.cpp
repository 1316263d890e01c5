// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/inner_cells.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/solids/near_bodies.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace freshet {
namespace {

constexpr int pad = 1;

/// Place of the cells of a block and of one layer around it relative to the domain: bits for each index along an axis.
enum Place : std::uint8_t { in_domain = 0, beyond_wall = 1, beyond_open_face = 2 };

/// The places of the cells along each axis. A cell has the bits along all three axes; walls prevail.
template <class Shape>
class Places {
 public:
  Places(const BlockLayout& layout, LocalIndex b) {
    const Domain& domain = layout.domain();
    const Vec3i first = layout.first_cell(b);
    for (int axis = 0; axis < Shape::dim; ++axis) {
      if (domain.periodic(axis)) continue;
      for (int i = 0; i < Shape::n(axis) + 2 * pad; ++i) {
        const int cell = first[axis] + i - pad;
        if (cell >= 0 && cell < domain.cells()[axis]) continue;
        along_[axis][i] = domain.is_wall(axis, cell < 0 ? 0 : 1) ? beyond_wall : beyond_open_face;
      }
    }
  }

  /// Call f(index, cell, places) for every cell of the padded block; `places` are the bits of its place along all axes.
  template <class Function>
  void for_each(const TileExtents<Shape>& extents, Function&& f) const {
    for (int k = 0; k < extents.nz; ++k)
      for (int j = 0; j < extents.ny; ++j) {
        const int of_row = along_[1][j] | along_[2][k];
        const int row = extents.nx * (j + extents.ny * k);
        for (int i = 0; i < extents.nx; ++i) f(row + i, Vec3i(i, j, k), of_row | along_[0][i]);
      }
  }
  /// Fill the padded block with 0 beyond walls and 1 elsewhere.
  void find_open(const TileExtents<Shape>& extents, double* open) const {
    double row[block_width + 2 * pad];
    for (int i = 0; i < extents.nx; ++i) row[i] = (along_[0][i] & beyond_wall) != 0 ? 0.0 : 1.0;
    for (int k = 0; k < extents.nz; ++k)
      for (int j = 0; j < extents.ny; ++j, open += extents.nx) {
        const bool is_closed = ((along_[1][j] | along_[2][k]) & beyond_wall) != 0;
        for (int i = 0; i < block_width + 2 * pad; ++i) open[i] = is_closed ? 0.0 : row[i];
      }
  }

 private:
  std::uint8_t along_[3][block_width + 2 * pad] = {};
};

/// Call f(offset, number in the padded block) for the cells around a cell that it sees, or does not see.
template <class Shape, class Function>
void for_each_seen(const WalledCell& walled, bool seen, const TileExtents<Shape>& extents, Function&& f) {
  const Vec3i cell = Shape::place(walled.cell);
  for (int direction = 0; direction < n_directions; ++direction) {
    const Vec3i to = direction_offset(direction);
    if ((Shape::dim == 2 && to.z() != 0) || ((walled.seen >> direction & 1U) != 0) != seen) continue;
    f(to, extents.at(cell.x() + to.x(), cell.y() + to.y(), cell.z() + to.z()));
  }
}

template <class Shape>
void mark_block(const LabelField& labels, const std::vector<WalledCell>& walled_cells, LocalIndex b,
                std::uint8_t* inner) {
  Tile<Label, Shape, pad> around(labels, b);
  Tile<std::uint8_t, Shape, pad> air;
  constexpr TileExtents<Shape> extents = air.extents;
  if (labels.layout().touches_boundary(b))
    Places<Shape>(labels.layout(), b).for_each(extents, [&](int n, const Vec3i&, int places) {
      around[n] = places == in_domain ? around[n] : (places & beyond_wall) != 0 ? Label::solid : Label::air;
    });
  std::uint8_t any_air = 0;
  for (int n = 0; n < air.size; ++n) {
    air[n] = around[n] == Label::air ? 1 : 0;
    any_air |= air[n];
  }
  if (any_air == 0) {
    std::fill_n(inner, Shape::cells, std::uint8_t{1});
    return;
  }
  collect_bits_around(extents, air.data());
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j) {
      const std::uint8_t* row = air.data() + extents.at(-1, j - 1, k - 1);
      for (int i = 0; i < Shape::nx; ++i) inner[Shape::cell(i, j, k)] = static_cast<std::uint8_t>(1 - row[i]);
    }
  for (const WalledCell& walled : walled_cells) {
    bool any_air = false;
    for_each_seen(walled, true, extents, [&](const Vec3i&, int n) { any_air = any_air || around[n] == Label::air; });
    inner[walled.cell] = any_air ? 0 : 1;
  }
}

constexpr double no_body = known_within;  ///< a distance from which a body has no say [cells]

/// The parts of a cell that a body leaves open.
struct OpenParts {
  double before = 1.0;        ///< on the side of the surface that is nearest to the centre
  double behind = 0.0;        ///< on the other side of a body that is thinner than a cell
  double distance = no_body;  ///< between the centre and the body, below 0 inside it [cells]
};

/// \param[in] away  signed distance of the centre to the body [m] \param[in] may_be_thin  else nothing is behind it
OpenParts open_parts(const Vec3& center, double dx, const Shape& solid, double away, bool may_be_thin) {
  const double distance = away / dx;
  OpenParts parts{std::clamp(0.5 + distance, 0.0, 1.0), 0.0, std::min(distance, no_body)};
  if (!may_be_thin || std::abs(distance) >= 0.5) return parts;
  const Vec3 normal = side_of_center(solid, center, dx);
  parts.behind = std::max(0.0, solid.signed_distance(center - 0.5 * dx * normal) / dx);
  return parts;
}

/// \param[in] center  function: the centre [m]
/// \param[in] away  its signed distance to the nearest body, no_body cells where none is nearer [m]
template <class Center>
OpenParts open_parts(const Center& center, double dx, const NearBodies& near, double away, bool may_be_thin) {
  if (away >= no_body * dx) return {};
  if (!may_be_thin || away >= dx || away <= -dx) return {std::clamp(0.5 + away / dx, 0.0, 1.0), 0.0, away / dx};
  const Vec3 x = center();
  const Nearest nearest = near.nearest(x, any_body);
  return open_parts(x, dx, *near.shapes()[nearest.body], nearest.distance, may_be_thin);
}

/// The distances of the centres of cells in and around a block.
template <class Shape>
class CenterDistances {
 public:
  CenterDistances(const BlockLayout& layout, const SolidFields& solids, LocalIndex block) {
    for (int direction = 0; direction < n_directions; ++direction) {
      const LocalIndex slot = layout.neighbours(block)[direction];
      if (slot < layout.n_blocks() && !solids.center_distances(slot).empty())
        of_block_[direction] = solids.center_distances(slot).data();
    }
    for (int d = 0; d < Shape::dim; ++d)
      for (int i = 0; i < Shape::n(d) + 2 * pad; ++i) {
        const int to = i < pad ? -1 : i < Shape::n(d) + pad ? 0 : 1;
        to_[d][i] = to * (d == 0 ? 1 : d == 1 ? 3 : 9);
        cell_[d][i] = (i - pad - to * Shape::n(d)) * Shape::stride(d);
      }
  }
  /// The distance in a cell of the padded block [m]; null if it is not known.
  const double* at(int i, int j, int k) const {
    const double* const distances = of_block_[self_direction + to_[0][i] + to_[1][j] + to_[2][k]];
    return distances == nullptr ? nullptr : distances + cell_[0][i] + cell_[1][j] + cell_[2][k];
  }

 private:
  std::array<const double*, n_directions> of_block_{};
  int to_[3][block_width + 2 * pad] = {};
  int cell_[3][block_width + 2 * pad] = {};
};

}  // namespace

void find_inner_cells(const LabelField& labels, const SolidFields& solids, CellField<std::uint8_t>& inner) {
  const BlockLayout& layout = labels.layout();
  inner.reset(layout, std::uint8_t{0});
  with_shape(layout.domain().dimension(), [&](auto shape) {
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      mark_block<decltype(shape)>(labels, solids.walled_cells(b), b, inner.block(b));
    });
  });
}

template <class Shape>
bool find_open_parts(const BlockLayout& layout, const SolidFields& solids, LocalIndex block,
                     const TileExtents<Shape>& extents, double* open, double* behind, double* distance) {
  if (behind != nullptr) std::fill_n(behind, extents.size(), 0.0);
  if (distance != nullptr) std::fill_n(distance, extents.size(), no_body);
  const Domain& domain = layout.domain();
  const bool bodies_near = !solids.bodies().empty() && solids.nearest(block) < 2.0F;
  if (!bodies_near && !layout.touches_boundary(block)) {
    std::fill_n(open, extents.size(), 1.0);
    return true;
  }
  const Places<Shape> places(layout, block);
  places.find_open(extents, open);
  if (!bodies_near) return false;
  const NearBodies near(solids, block);
  const bool may_be_thin = !solids.walled_cells(block).empty();
  const Vec3i corner = layout.first_cell(block) - Vec3i(pad, pad, Shape::dim == 3 ? pad : 0);
  const CenterDistances<Shape> distances(layout, solids, block);
  const double dx = domain.dx();
  places.for_each(extents, [&](int n, const Vec3i& padded, int place) {
    if (place != in_domain) return;
    const double* const known = distances.at(padded.x(), padded.y(), padded.z());
    if (known != nullptr && (!may_be_thin || *known >= dx || *known <= -dx)) {  // nothing is behind the body
      if (*known >= no_body * dx) return;
      open[n] = std::clamp(0.5 + *known / dx, 0.0, 1.0);
      if (distance != nullptr) distance[n] = *known / dx;
      return;
    }
    const auto center = [&]() -> Vec3 {
      const Vec3i cell = domain.wrap_cell(corner + padded);
      return domain.origin() + dx * (cell.cast<double>() + Vec3::Constant(0.5));
    };
    const double away = known != nullptr ? *known : near.nearest_within(no_body * dx, center(), any_body).distance;
    const OpenParts parts = open_parts(center, dx, near, away, may_be_thin);
    open[n] = parts.before;
    if (behind != nullptr) behind[n] = parts.behind;
    if (distance != nullptr) distance[n] = parts.distance;
  });
  return false;
}

template <class Shape>
void find_full_parts(const LabelField& labels, const SolidFields& solids, LocalIndex block, double* full) {
  Tile<double, Shape, pad> open, behind;
  constexpr TileExtents<Shape> extents = open.extents;
  const bool has_walls = !solids.walled_cells(block).empty();
  find_open_parts(labels.layout(), solids, block, extents, open.data(), has_walls ? behind.data() : nullptr);
  for (int c = 0; c < Shape::cells; ++c) full[c] = open[extents.of_cell(c)];
  if (!has_walls) return;
  const Tile<Label, Shape, pad> label(labels, block);
  for (const WalledCell& walled : solids.walled_cells(block)) {
    const Vec3i cell = Shape::place(walled.cell);
    bool any_liquid = false;
    for_each_seen(walled, false, extents, [&](const Vec3i& to, int n) {
      any_liquid = any_liquid || (to.cwiseAbs().sum() == 1 && label[n] == Label::liquid);
    });
    if (any_liquid) full[walled.cell] += behind(cell);
  }
}

template bool find_open_parts(const BlockLayout&, const SolidFields&, LocalIndex, const TileExtents<BlockShape<2>>&,
                              double*, double*, double*);
template bool find_open_parts(const BlockLayout&, const SolidFields&, LocalIndex, const TileExtents<BlockShape<3>>&,
                              double*, double*, double*);
template void find_full_parts<BlockShape<2>>(const LabelField&, const SolidFields&, LocalIndex, double*);
template void find_full_parts<BlockShape<3>>(const LabelField&, const SolidFields&, LocalIndex, double*);

}  // namespace freshet
