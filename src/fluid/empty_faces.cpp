// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/empty_faces.hpp"

#include "find_cells.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/padded.hpp"

#include <algorithm>

namespace freshet {
template <class Shape>
void EmptyFaces::find(const LabelField& labels, const FaceField<double>& weight, const FaceField<double>& velocity,
                      LocalIndex b) {
  constexpr int width = Shape::nx + 2;
  constexpr int size = width * width * (Shape::dim == 3 ? width : 1);
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  std::vector<Update>& updates = updates_[static_cast<std::size_t>(b)];
  updates.clear();
  const PaddedExtents<Shape> extents(1);
  const int stride[3] = {1, extents.nx, extents.nx * extents.ny};
  Label label[size];
  double w[size], u[size];
  int cells[Shape::cells];
  bool has_labels = false;
  for (int d = 0; d < Shape::dim; ++d) {
    const double* own = weight[d].block(b);
    if (std::find(own, own + Shape::cells, 0.0) == own + Shape::cells) continue;
    if (!has_labels) fill_padded(labels, b, extents, label);
    has_labels = true;
    const int n_cells = find_cells(
        extents, [&](int at, int c) { return (own[c] == 0.0) & is_liquid_face(label + at, stride[d]); }, cells);
    if (n_cells == 0) continue;
    fill_padded(weight[d], b, extents, w);
    fill_padded(velocity[d], b, extents, u);
    for (const int* c = cells; c < cells + n_cells; ++c) {
      const int x = *c % Shape::nx, y = *c / Shape::nx % Shape::ny, z_of = *c / (Shape::nx * Shape::ny);
      double sum = 0.0;
      int n = 0;
      for (int k = -z; k <= z; ++k)
        for (int j = -1; j <= 1; ++j)
          for (int i = -1; i <= 1; ++i) {
            const int at = extents.at(x + i, y + j, z_of + k);
            if (w[at] <= 0.0) continue;
            sum += u[at];
            ++n;
          }
      if (n > 0) updates.push_back({d, *c, sum / n});
    }
  }
}

void EmptyFaces::operator()(const LabelField& labels, FaceField<double>& weight, FaceField<double>& velocity) {
  const BlockLayout& layout = labels.layout();
  const LocalIndex n_owned = layout.n_owned();
  layout.halo().gather(weight, 1);
  updates_.resize(static_cast<std::size_t>(n_owned));
  with_shape(layout.domain().dimension(), [&](auto shape) {
    parallel_for_blocks(n_owned, [&](LocalIndex b) { find<decltype(shape)>(labels, weight, velocity, b); });
  });
  parallel_for_blocks(n_owned, [&](LocalIndex b) {
    for (const Update& update : updates_[static_cast<std::size_t>(b)])
      velocity[update.axis].block(b)[update.face] = update.value;
  });
}

}  // namespace freshet
