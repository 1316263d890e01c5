// SPDX-License-Identifier: Apache-2.0
#include "freshet/viscosity/cell_viscosity.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/padded.hpp"

namespace freshet {
namespace {

constexpr float no_particle = -1.0F;

/// The cell of a block that holds a place relative to the block [cells].
template <class Shape>
int cell_of(const ParticleReal* x) {
  const auto along = [x](int d, int n) { return std::clamp(static_cast<int>(x[d]), 0, n - 1); };
  return Shape::cell(along(0, Shape::nx), along(1, Shape::ny), Shape::dim == 3 ? along(2, Shape::nz) : 0);
}

template <class Shape>
void average_in_block(const ParticleStore& particles, const TagViscosities& of_tags, LocalIndex block, float* mean) {
  double sum[Shape::cells] = {};
  int count[Shape::cells] = {};
  for (ParticleIndex p = particles.block_begin()[block]; p < particles.block_begin()[block + 1]; ++p) {
    const int cell = cell_of<Shape>(particles.position() + 3 * p);
    sum[cell] += of_tags(particles.tag()[p]);
    ++count[cell];
  }
  for (int c = 0; c < Shape::cells; ++c) mean[c] = count[c] > 0 ? static_cast<float>(sum[c] / count[c]) : no_particle;
}

/// The values of a block, and in cells without particles the mean of the cells around that have some.
template <class Shape>
void fill_gaps_in_block(const CellField<float>& of_particles, LocalIndex block, float fallback, float* result) {
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  const PaddedExtents<Shape> extents(1);
  float around[1000];
  fill_padded(of_particles, block, extents, around);
  for (int c = 0; c < Shape::cells; ++c) {
    result[c] = of_particles.block(block)[c];
    if (result[c] >= 0.0F) continue;
    const int here = extents.at(c % Shape::nx, c / Shape::nx % Shape::ny, c / (Shape::nx * Shape::ny));
    double sum = 0.0;
    int n = 0;
    for (int k = -z; k <= z; ++k)
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) {
          const float value = around[here + i + extents.nx * (j + extents.ny * k)];
          if (value < 0.0F) continue;
          sum += static_cast<double>(value);
          ++n;
        }
    result[c] = n > 0 ? static_cast<float>(sum / n) : fallback;
  }
}

}  // namespace

void CellViscosity::operator()(const ParticleStore& particles, const BlockLayout& layout, const TagViscosities& of_tags,
                               CellField<float>& viscosity) {
  const auto fallback = static_cast<float>(of_tags(0));
  of_particles_.reset(layout, no_particle);
  viscosity.reset(layout, fallback);
  of_particles_.fill(no_particle);
  viscosity.fill(fallback);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      average_in_block<Shape>(particles, of_tags, block, of_particles_.block(block));
    });
    layout.halo().gather(of_particles_, 1);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      fill_gaps_in_block<Shape>(of_particles_, block, fallback, viscosity.block(block));
    });
  });
  layout.halo().gather(viscosity, 2);
}

}  // namespace freshet
