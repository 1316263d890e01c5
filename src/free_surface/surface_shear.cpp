// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/surface_shear.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/kernels/tile.hpp"

namespace freshet {
namespace {

/// Least weight of a face, as a part of the particles in a full cell: that of a flat surface 0.3 cells below the face.
constexpr double least_filling_to_keep = 0.25;

}  // namespace

void keep_surface_shear(const ShearInput& input, FaceField<double>& velocity) {
  const BlockLayout& layout = velocity.layout();
  const double least_weight = least_filling_to_keep * input.particles_per_cell;
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Block = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const Tile<Label, Block, 1> label(input.known, b);
      for (int d = 0; d < Block::dim; ++d) {
        const double* weight = input.weight[d].block(b);
        const double* continued = input.continued[d].block(b);
        const double* after = input.velocity[d].block(b);
        double* u = velocity[d].block(b);
        for (int c = 0; c < Block::cells; ++c) {
          const int at = label.extents.of_cell(c);
          const bool is_in_air = label[at] == Label::air && label[at - label.extents.stride(d)] == Label::air;
          u[c] = is_in_air && weight[c] > least_weight ? after[c] + (u[c] - continued[c]) : after[c];
        }
      }
    });
  });
}

}  // namespace freshet
