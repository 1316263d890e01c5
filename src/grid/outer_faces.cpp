// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/outer_faces.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"

#include <algorithm>

namespace freshet {

CellBox inner_faces(const Domain& domain, int axis) {
  CellBox box{Vec3i::Zero(), domain.cells()};
  if (domain.periodic(axis)) return box;
  box.lower[axis] += is_at_rest(domain, axis, 0) ? 1 : 0;
  box.upper[axis] += is_at_rest(domain, axis, 1) ? 0 : 1;
  return box;
}

void fill_outer_faces(FaceField<double>& faces, double value) {
  const BlockLayout& layout = faces.layout();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      if (!layout.touches_boundary(b)) return;
      const Vec3i first = layout.first_cell(b);
      for (int d = 0; d < Shape::dim; ++d) {
        const CellBox box = inner_faces(layout.domain(), d);
        const Vec3i begin = (box.lower - first).cwiseMax(0);
        const Vec3i end = (box.upper - first).cwiseMin(layout.domain().block_cells());
        if (begin.isZero() && end == layout.domain().block_cells()) continue;
        for (int r = 0; r < Shape::rows; ++r) {
          const int j = r % Shape::ny, k = r / Shape::ny;
          double* row = faces[d].block(b) + Shape::nx * r;
          const bool has_inner = j >= begin.y() && j < end.y() && k >= begin.z() && k < end.z() && begin.x() < end.x();
          std::fill(row, row + (has_inner ? begin.x() : Shape::nx), value);
          if (has_inner) std::fill(row + end.x(), row + Shape::nx, value);
        }
      }
    });
  });
}

}  // namespace freshet
