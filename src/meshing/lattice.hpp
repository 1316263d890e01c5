// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/domain.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/meshing/surface_options.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace freshet::meshing {

using Block3 = BlockShape<3>;

/// The lattice of the surface and its relation to the simulation's cells, here called bins.
///
/// Lattice coordinates count lattice cells from the lattice's low corner; the centre of cell i is at i + 0.5. A bin is
/// `resolution` lattice cells wide, and bin (0, 0, 0) holds the low corner of a frame of images around the domain.
struct Lattice {
  Lattice(const Domain& simulation, const SurfaceOptions& options)
      : resolution(options.resolution),
        kernel(options.kernel * options.resolution),
        ring(static_cast<int>(std::ceil(options.kernel))),
        bin_pad(ring + 2),
        pad(8 * ((bin_pad * options.resolution + 7) / 8)),
        cells(simulation.cells() * options.resolution),
        dx(simulation.dx() / options.resolution),
        origin(simulation.origin()),
        bins(simulation.cells() + Vec3i::Constant(2 * bin_pad)) {
    DomainOptions fine;
    for (int d = 0; d < 3; ++d) {
      fine.cells[d] = 8 * ((cells[d] + 2 * pad + 7) / 8);
      fine.origin[d] = origin[d] - pad * dx;
    }
    fine.cell_size = dx;
    domain = Domain(fine);
  }

  /// Low edge of a bin along an axis. [lattice cells]
  int bin_edge(int bin) const { return (bin - bin_pad) * resolution + pad; }
  /// The bin of a lattice cell along an axis; may lie outside the bins.
  int bin_of(int cell) const {
    const int shifted = cell - pad + 64 * resolution;
    return shifted / resolution - 64 + bin_pad;
  }

  int resolution;
  double kernel;  ///< reach of a particle [lattice cells]
  int ring;       ///< reach of a particle, rounded up [bins]
  int bin_pad;    ///< number of bins before the domain on each axis
  int pad;        ///< number of lattice cells before the domain on each axis
  Vec3i cells;    ///< number of lattice cells of the domain on each axis
  double dx;      ///< cell size of the lattice [m]
  Vec3 origin;    ///< low corner of the domain [m]
  Vec3i bins;     ///< number of bins on each axis
  Domain domain;  ///< domain that the lattice fills, its pad included
};

constexpr float no_value = 1e30F;  ///< background value of fields: it stands in blocks that do not exist

using OnePad = Tile<float, Block3, 1>;
using TwoPads = Tile<float, Block3, 2>;

/// Fill a tile. A cell in a block that does not exist gets the value of the nearest cell of the block itself: that
/// value has the sign of the missing block.
template <int pad>
void fill_with_nearest(const CellField<float>& field, LocalIndex block, Tile<float, Block3, pad>& tile) {
  tile.fill(field, block);
  const LocalIndex* neighbours = field.layout().neighbours(block);
  const LocalIndex none = field.layout().background();
  if (std::none_of(neighbours, neighbours + n_directions, [none](LocalIndex b) { return b == none; })) return;
  for (int k = -pad; k < 8 + pad; ++k)
    for (int j = -pad; j < 8 + pad; ++j)
      for (int i = -pad; i < 8 + pad; ++i) {
        float& value = tile[tile.extents.at(i, j, k)];
        if (value == no_value) value = tile(std::clamp(i, 0, 7), std::clamp(j, 0, 7), std::clamp(k, 0, 7));
      }
}

}  // namespace freshet::meshing
