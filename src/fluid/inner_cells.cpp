// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/inner_cells.hpp"

#include "freshet/core/parallel_for.hpp"

#include <algorithm>

namespace freshet {
namespace {

constexpr int pad = 1;

/// Call f(cell) for the cells of a block and one layer of cells around it.
template <class Shape, class Function>
void for_each_padded(Function&& f) {
  constexpr int z = Shape::dim == 3 ? pad : 0;
  for (int k = -z; k < Shape::nz + z; ++k)
    for (int j = -pad; j < Shape::ny + pad; ++j)
      for (int i = -pad; i < Shape::nx + pad; ++i) f(Vec3i(i, j, k));
}

/// Cells beyond walls are solid, cells beyond open faces air.
template <class Shape>
void label_beyond_domain(const BlockLayout& layout, LocalIndex b, const PaddedExtents<Shape>& extents, Label* labels) {
  for_each_padded<Shape>([&](const Vec3i& local) {
    const Vec3i cell = layout.domain().wrap_cell(layout.first_cell(b) + local);
    if (layout.domain().contains_cell(cell)) return;
    labels[extents.at(local.x(), local.y(), local.z())] =
        layout.domain().outside_is_solid(cell) ? Label::solid : Label::air;
  });
}

/// values[n] |= values[n + stride] | values[n + 2 stride]: bits that are set in any of three cells in a row.
void spread(std::uint8_t* values, int stride, int size) {
  for (int n = 0; n + 2 * stride < size; ++n)
    values[n] = static_cast<std::uint8_t>(values[n] | values[n + stride] | values[n + 2 * stride]);
}

template <class Shape>
void mark_block(const LabelField& labels, LocalIndex b, const PaddedExtents<Shape>& extents, std::uint8_t* inner) {
  constexpr int size = (Shape::nx + 2) * (Shape::ny + 2) * (Shape::dim == 3 ? Shape::nz + 2 : 1);
  Label around[size];
  std::uint8_t air[size];
  fill_padded(labels, b, extents, around);
  if (labels.layout().touches_boundary(b)) label_beyond_domain(labels.layout(), b, extents, around);
  for (int n = 0; n < size; ++n) air[n] = around[n] == Label::air ? 1 : 0;
  spread(air, 1, size);
  spread(air, extents.nx, size);
  if constexpr (Shape::dim == 3) spread(air, extents.nx * extents.ny, size);
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
void find_open_parts(const BlockLayout& layout, const SolidFields& solids, LocalIndex block,
                     const PaddedExtents<Shape>& extents, double* open) {
  const Domain& domain = layout.domain();
  const Vec3i first = layout.first_cell(block);
  const bool bodies_near = !solids.bodies().empty() && solids.nearest(block) < 2.0F;
  if (!bodies_near && !layout.touches_boundary(block)) return static_cast<void>(std::fill_n(open, extents.size(), 1.0));
  for_each_padded<Shape>([&](const Vec3i& local) {
    double& part = open[extents.at(local.x(), local.y(), local.z())];
    const Vec3i cell = domain.wrap_cell(first + local);
    if (!domain.contains_cell(cell)) {
      part = domain.outside_is_solid(cell) ? 0.0 : 1.0;
    } else {
      const Vec3 center = domain.origin() + domain.dx() * (cell.cast<double>() + Vec3::Constant(0.5));
      part = bodies_near ? open_part(center, domain.dx(), solids.shapes()) : 1.0;
    }
  });
}

template void find_open_parts(const BlockLayout&, const SolidFields&, LocalIndex, const PaddedExtents<BlockShape<2>>&,
                              double*);
template void find_open_parts(const BlockLayout&, const SolidFields&, LocalIndex, const PaddedExtents<BlockShape<3>>&,
                              double*);

}  // namespace freshet
