// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/inner_cells.hpp"

#include "freshet/core/parallel_for.hpp"

#include <algorithm>

namespace freshet {
namespace {

constexpr int pad = 1;

/// Where the cells of a block and of one layer around it lie: bits for each index along an axis.
enum Place : std::uint8_t { in_domain = 0, beyond_wall = 1, beyond_open_face = 2 };

/// The places of the cells along each axis. A cell lies where the three places together say, walls first.
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

  /// Call f(index, places) for every cell of the padded block; `places` are the bits of its place along all axes.
  template <class Function>
  void for_each(const PaddedExtents<Shape>& extents, Function&& f) const {
    for (int k = 0; k < extents.nz; ++k)
      for (int j = 0; j < extents.ny; ++j) {
        const int of_row = along_[1][j] | along_[2][k];
        const int row = extents.nx * (j + extents.ny * k);
        for (int i = 0; i < extents.nx; ++i) f(row + i, of_row | along_[0][i]);
      }
  }
  /// Fill the padded block with 0 beyond walls and 1 elsewhere.
  void find_open(const PaddedExtents<Shape>& extents, double* open) const {
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

template <class Shape>
void mark_block(const LabelField& labels, LocalIndex b, const PaddedExtents<Shape>& extents, std::uint8_t* inner) {
  constexpr int size = (Shape::nx + 2) * (Shape::ny + 2) * (Shape::dim == 3 ? Shape::nz + 2 : 1);
  Label around[size];
  std::uint8_t air[size];
  fill_padded(labels, b, extents, around);
  if (labels.layout().touches_boundary(b))
    Places<Shape>(labels.layout(), b).for_each(extents, [&](int n, int places) {
      around[n] = places == in_domain ? around[n] : (places & beyond_wall) != 0 ? Label::solid : Label::air;
    });
  for (int n = 0; n < size; ++n) air[n] = around[n] == Label::air ? 1 : 0;
  collect_bits_around(extents, air);
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j) {
      const std::uint8_t* row = air + extents.at(-1, j - 1, k - 1);
      for (int i = 0; i < Shape::nx; ++i) inner[Shape::cell(i, j, k)] = static_cast<std::uint8_t>(1 - row[i]);
    }
}

double open_part(const Vec3& center, double dx, const std::vector<std::shared_ptr<const Shape>>& solids) {
  double open = 1.0;
  for (const auto& solid : solids)
    open = std::min(open, std::clamp(0.5 + solid->signed_distance(center) / dx, 0.0, 1.0));
  return open;
}

}  // namespace

void find_inner_cells(const LabelField& labels, CellField<std::uint8_t>& inner) {
  const BlockLayout& layout = labels.layout();
  inner.reset(layout, std::uint8_t{0});
  with_shape(layout.domain().dimension(), [&](auto shape) {
    const PaddedExtents<decltype(shape)> extents(pad);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) { mark_block(labels, b, extents, inner.block(b)); });
  });
}

template <class Shape>
bool find_open_parts(const BlockLayout& layout, const SolidFields& solids, LocalIndex block,
                     const PaddedExtents<Shape>& extents, double* open) {
  const Domain& domain = layout.domain();
  const bool bodies_near = !solids.bodies().empty() && solids.nearest(block) < 2.0F;
  if (!bodies_near && !layout.touches_boundary(block)) {
    std::fill_n(open, extents.size(), 1.0);
    return true;
  }
  const Places<Shape> places(layout, block);
  places.find_open(extents, open);
  if (!bodies_near) return false;
  const Vec3i corner = layout.first_cell(block) - Vec3i(pad, pad, Shape::dim == 3 ? pad : 0);
  places.for_each(extents, [&](int n, int place) {
    if (place != in_domain) return;
    const Vec3i padded(n % extents.nx, n / extents.nx % extents.ny, n / (extents.nx * extents.ny));
    const Vec3i cell = domain.wrap_cell(corner + padded);
    const Vec3 center = domain.origin() + domain.dx() * (cell.cast<double>() + Vec3::Constant(0.5));
    open[n] = open_part(center, domain.dx(), solids.shapes());
  });
  return false;
}

template bool find_open_parts(const BlockLayout&, const SolidFields&, LocalIndex, const PaddedExtents<BlockShape<2>>&,
                              double*);
template bool find_open_parts(const BlockLayout&, const SolidFields&, LocalIndex, const PaddedExtents<BlockShape<3>>&,
                              double*);

}  // namespace freshet
