// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/core/types.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/tile.hpp"

#include <cstddef>

namespace freshet {

/// A staggered vector field around one block as the sampling kernels read it: in particle reals, with the samples
/// around any point contiguous.
///
/// Each padded cell has four samples: those of the cell, of the next one along y, of the next along z, and of the next
/// along both. In 2-D the last two repeat the first two. Beyond the last cell along an axis samples are unspecified.
struct VelocityTile {
  const ParticleReal* values;  ///< the samples of one component after the other
  int pad[3];
  int stride[3];        ///< distance between neighbours along each axis [padded cells]
  std::ptrdiff_t size;  ///< numbers of one component

  /// Count of numbers before the samples of the block's cell (0, 0, 0).
  std::ptrdiff_t before_origin() const { return 4 * (pad[0] * stride[0] + pad[1] * stride[1] + pad[2] * stride[2]); }
  /// The samples of the block's cell (0, 0, 0).
  const ParticleReal* origin(int component) const { return values + component * size + before_origin(); }
};

/// Memory of a tile, kept from block to block.
///
/// What limits a tile: the instructions that copy its rows from three blocks and interleave them; in spray, where each
/// block holds few particles, tiles take more time than sampling does.
struct TileMemory {
  TrackedVector<ParticleReal, MemoryKind::scratch> padded;
  TrackedVector<ParticleReal, MemoryKind::scratch> values;
};

/// The rows of padded cells whose samples may be read: along y and z from row low to row high.
struct TileRange {
  int low[2];
  int high[2];
  bool operator==(const TileRange&) const = default;
};

/// The range of all rows.
template <class Shape>
TileRange whole_range(const TileExtents<Shape>& extents) {
  const int pad_z = Shape::dim == 3 ? extents.pad : 0;
  return {{-extents.pad, -pad_z}, {Shape::ny - 1 + extents.pad, Shape::nz - 1 + pad_z}};
}

/// The rows that are read around n particles, up to `distance` from them along each axis [cells].
/// \param[in] x  relative to the block [cells]
template <class Shape>
TileRange range_around(const ParticleReal* x, ParticleIndex n, double distance, const TileExtents<Shape>& extents);

/// The tile of u around block b, with values beyond the domain's faces. It is valid until the memory is used again;
/// only rows of the range are defined.
/// \pre ghosts valid to the extents' pad
template <class Shape>
VelocityTile tile_around(const FaceField<double>& u, LocalIndex b, const TileExtents<Shape>& extents,
                         const TileRange& range, TileMemory& memory);

/// The tile of u_new - f u_old, whose difference is formed in double.
template <class Shape>
VelocityTile tile_around(const FaceField<double>& u_new, const FaceField<double>& u_old, double f, LocalIndex b,
                         const TileExtents<Shape>& extents, const TileRange& range, TileMemory& memory);

}  // namespace freshet
