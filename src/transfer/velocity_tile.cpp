// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/velocity_tile.hpp"

#include <algorithm>

namespace freshet {
namespace {

/// Interleave four rows of n samples.
void interleave(const double* here, const double* y, const double* z, const double* yz, int n,
                ParticleReal* __restrict target) {
  for (int i = 0; i < n; ++i) {
    target[4 * i] = static_cast<ParticleReal>(here[i]);
    target[4 * i + 1] = static_cast<ParticleReal>(y[i]);
    target[4 * i + 2] = static_cast<ParticleReal>(z[i]);
    target[4 * i + 3] = static_cast<ParticleReal>(yz[i]);
  }
}

template <class Shape>
VelocityTile interleave(const PaddedExtents<Shape>& extents, TileMemory& memory) {
  memory.values.resize(static_cast<std::size_t>(4 * Shape::dim * extents.size()) + 4);
  const int plane = extents.nx * extents.ny;
  ParticleReal* target = memory.values.data();
  for (int d = 0; d < Shape::dim; ++d)
    for (int k = 0; k < extents.nz; ++k)
      for (int j = 0; j < extents.ny; ++j, target += 4 * extents.nx) {
        const double* here = memory.padded.data() + d * extents.size() + k * plane + j * extents.nx;
        const int to_y = j + 1 < extents.ny ? extents.nx : 0;
        const int to_z = k + 1 < extents.nz ? plane : 0;
        interleave(here, here + to_y, here + to_z, here + to_y + to_z, extents.nx, target);
      }
  std::fill_n(target, 4, ParticleReal{0});  // a load at the last cell reads one cell more
  const int pad_z = Shape::dim == 3 ? extents.pad : 0;
  return {memory.values.data(),
          {extents.pad, extents.pad, pad_z},
          {1, extents.nx, plane},
          4 * static_cast<std::ptrdiff_t>(extents.size())};
}

/// Call fill(component, target) for the padded values of each component, then give them those beyond the domain's
/// faces.
template <class Shape, class Fill>
VelocityTile make_tile(const BlockLayout& layout, LocalIndex b, const PaddedExtents<Shape>& extents, TileMemory& memory,
                       Fill fill) {
  memory.padded.resize(static_cast<std::size_t>(Shape::dim * extents.size()));
  for (int d = 0; d < Shape::dim; ++d) {
    double* component = memory.padded.data() + d * extents.size();
    fill(d, component);
    if (layout.touches_boundary(b)) apply_domain_faces(layout.domain(), layout.first_cell(b), d, extents, component);
  }
  return interleave(extents, memory);
}

}  // namespace

template <class Shape>
VelocityTile tile_around(const FaceField<double>& u, LocalIndex b, const PaddedExtents<Shape>& extents,
                         TileMemory& memory) {
  return make_tile(u.layout(), b, extents, memory,
                   [&](int d, double* component) { fill_padded(u[d], b, extents, component); });
}

template <class Shape>
VelocityTile tile_around(const FaceField<double>& u_new, const FaceField<double>& u_old, double f, LocalIndex b,
                         const PaddedExtents<Shape>& extents, TileMemory& memory) {
  return make_tile(u_new.layout(), b, extents, memory, [&](int d, double* component) {
    memory.before.resize(static_cast<std::size_t>(extents.size()));
    double* before = memory.before.data();
    fill_padded(u_new[d], b, extents, component);
    fill_padded(u_old[d], b, extents, before);
    for (int n = 0; n < extents.size(); ++n) component[n] -= f * before[n];
  });
}

#define FRESHET_INSTANTIATE(dimension)                                                                                 \
  template VelocityTile tile_around(const FaceField<double>&, LocalIndex, const PaddedExtents<BlockShape<dimension>>&, \
                                    TileMemory&);                                                                      \
  template VelocityTile tile_around(const FaceField<double>&, const FaceField<double>&, double, LocalIndex,            \
                                    const PaddedExtents<BlockShape<dimension>>&, TileMemory&)
FRESHET_INSTANTIATE(2);
FRESHET_INSTANTIATE(3);
#undef FRESHET_INSTANTIATE

}  // namespace freshet
