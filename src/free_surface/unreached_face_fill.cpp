// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/unreached_face_fill.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/bit_tile.hpp"
#include "freshet/grid/kernels/row.hpp"
#include "freshet/grid/kernels/tile.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace freshet {
namespace {

/// For each row of a block, the mask of faces of liquid cells that no particle reaches.
template <class Shape, int axis>
std::array<std::uint8_t, Shape::rows> unreached_faces(const BitTile<Shape, 1>& liquid, const BitTile<Shape, 1>& solid,
                                                      const double* weight) {
  const BitTile<Shape, 1> faces = liquid_faces<axis>(liquid, solid);
  std::array<std::uint8_t, Shape::rows> rows{};
  for (int r = 0; r < Shape::rows; ++r) {
    rows[r] = faces.template row<>(r % Shape::ny, r / Shape::ny);
    if (rows[r] != 0) rows[r] &= bits_of(load_row(weight + Shape::nx * r) == 0.0);
  }
  return rows;
}

}  // namespace

template <class Shape>
void UnreachedFaceFill::find(const LabelPlanes& labels, const FaceField<double>& weight,
                             const FaceField<double>& velocity, LocalIndex b) {
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  std::vector<FaceUpdates::Update>& updates = updates_.begin(b);
  const BlockLayout& layout = velocity.layout();
  if (!any_around(layout, labels.has_liquid, b)) return;
  const BitTile<Shape, 1> liquid(labels.liquid, layout.neighbours(b));
  const BitTile<Shape, 1> solid(labels.solid, layout.neighbours(b));
  for_each_axis<Shape>([&](auto d) {
    const auto rows = unreached_faces<Shape, d>(liquid, solid, weight[d].block(b));
    if (std::all_of(rows.begin(), rows.end(), [](std::uint8_t bits) { return bits == 0; })) return;
    const Tile<double, Shape, 1> w(weight[d], b), u(velocity[d], b);
    for (int r = 0; r < Shape::rows; ++r)
      for (unsigned bits = rows[static_cast<std::size_t>(r)]; bits != 0; bits &= bits - 1) {
        const int here = std::countr_zero(bits);
        double sum = 0.0;
        int n = 0;
        for (int k = -z; k <= z; ++k)
          for (int j = -1; j <= 1; ++j)
            for (int i = -1; i <= 1; ++i) {
              const int at = w.extents.at(here + i, r % Shape::ny + j, r / Shape::ny + k);
              if (w[at] <= 0.0) continue;
              sum += u[at];
              ++n;
            }
        if (n > 0) updates.push_back({d, Shape::nx * r + here, sum / n});
      }
  });
}

void UnreachedFaceFill::operator()(const LabelPlanes& labels, FaceField<double>& weight, FaceField<double>& velocity) {
  const BlockLayout& layout = velocity.layout();
  const LocalIndex n_owned = layout.n_owned();
  layout.halo().gather_together(1, weight, velocity);
  updates_.reset(n_owned);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    parallel_for_blocks(n_owned, [&](LocalIndex b) { find<decltype(shape)>(labels, weight, velocity, b); });
  });
  updates_.write(velocity);
}

}  // namespace freshet
