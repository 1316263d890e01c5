// SPDX-License-Identifier: Apache-2.0
#include "viscosity/outer_faces.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/tile.hpp"

namespace freshet::viscous {
namespace {

constexpr int face_reach = 3;  ///< layers read: two faces, and the low cell of the second

/// The faces normal to one axis in and around a block, and the labels of their cells.
template <class Shape>
struct FacesAtLiquid {
  static constexpr TileExtents<Shape> extents{face_reach};

  bool is_of_liquid(int at) const {
    return label[at] == Label::liquid || label[at - extents.stride(axis)] == Label::liquid;
  }

  /// Velocity that faces of liquid cells give to another face.
  double continued(int at) const {
    double sum = 0.0;
    int n = 0;
    for (int d = 0; d < Shape::dim; ++d)
      for (const int next : {-extents.stride(d), extents.stride(d)}) {
        if (!is_of_liquid(at + next)) continue;
        sum += is_of_liquid(at + 2 * next) ? 2.0 * u[at + next] - u[at + 2 * next] : u[at + next];
        ++n;
      }
    return n > 0 ? sum / n : u[at];
  }

  int axis;
  Tile<Label, Shape, face_reach> label;
  Tile<double, Shape, face_reach> u;
};

template <class Shape>
void continue_in_block(const StressWeights& weights, const LabelField& labels, LocalIndex block, int axis,
                       const CellField<double>& velocity, double* to) {
  const FacesAtLiquid<Shape> faces{axis, {labels, block}, {velocity, block}};
  for (int c = 0; c < Shape::cells; ++c) {
    if (!(weights.mass(axis, block, c) > 0.0)) continue;
    const int at = faces.extents.of_cell(c);
    if (!faces.is_of_liquid(at)) to[c] = faces.continued(at);
  }
}

}  // namespace

void continue_linearly(const StressWeights& weights, const LabelField& labels, FaceField<double>& velocity,
                       FaceField<double>& x) {
  velocity.layout().halo().gather(velocity, 2);
  const std::vector<LocalIndex>& active = weights.active();
  with_shape(velocity.dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(static_cast<LocalIndex>(active.size()), [&](LocalIndex n) {
      const LocalIndex block = active[static_cast<std::size_t>(n)];
      if (weights.kind(block) == Kind::uniform) return;
      for (int d = 0; d < Shape::dim; ++d)
        continue_in_block<Shape>(weights, labels, block, d, velocity[d], x[d].block(block));
    });
  });
}

}  // namespace freshet::viscous
