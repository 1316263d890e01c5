// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/core/types.hpp"
#include "freshet/grid/padded.hpp"

#include <cstddef>

namespace freshet {

/// A staggered vector field around one block as the sampling kernels read it: in particle reals, and so that the
/// samples around any point are contiguous.
///
/// At each padded cell stand four samples: of the cell, of its next one along y, along z, and along both. In 2-D the
/// last two repeat the first two. The last cell along an axis has no next one: what stands there is unspecified.
struct VelocityTile {
  const ParticleReal* values;  ///< components one after the other
  int pad[3];
  int stride[3];        ///< between neighbours along each axis [padded cells]
  std::ptrdiff_t size;  ///< numbers a component

  /// Numbers before the samples of the block's cell (0, 0, 0).
  std::ptrdiff_t before_origin() const { return 4 * (pad[0] * stride[0] + pad[1] * stride[1] + pad[2] * stride[2]); }
  /// The samples of the block's cell (0, 0, 0).
  const ParticleReal* origin(int component) const { return values + component * size + before_origin(); }
};

/// Memory of a tile, kept from block to block.
///
/// What limits a tile: per row of 10 to 14 numbers about 15 instructions that copy it from three blocks and, with
/// AVX-512, 20 that interleave it (6 shuffles, 4 stores of 64 bytes); in spray, where each block holds few particles,
/// tiles take more time than sampling does.
struct TileMemory {
  TrackedVector<ParticleReal, MemoryKind::scratch> padded;
  TrackedVector<ParticleReal, MemoryKind::scratch> values;
};

/// The rows of padded cells, from row low to row high along y and z, whose samples may be read.
struct TileRange {
  int low[2];
  int high[2];
  bool operator==(const TileRange&) const = default;
};

/// All rows.
template <class Shape>
TileRange whole_range(const PaddedExtents<Shape>& extents) {
  const int pad_z = Shape::dim == 3 ? extents.pad : 0;
  return {{-extents.pad, -pad_z}, {Shape::ny - 1 + extents.pad, Shape::nz - 1 + pad_z}};
}

/// The rows that are read where n particles stand, and up to `distance` from there along each axis.
/// \param[in] x  relative to the block [cells]
template <class Shape>
TileRange range_around(const ParticleReal* x, ParticleIndex n, double distance, const PaddedExtents<Shape>& extents);

/// The tile of u around block b, with values beyond the domain's faces; valid as long as the memory is not used again.
/// Only rows of the range are defined.
/// \pre ghosts valid to the extents' pad
template <class Shape>
VelocityTile tile_around(const FaceField<double>& u, LocalIndex b, const PaddedExtents<Shape>& extents,
                         const TileRange& range, TileMemory& memory);

/// The tile of u_new - f u_old, whose difference is formed in double.
template <class Shape>
VelocityTile tile_around(const FaceField<double>& u_new, const FaceField<double>& u_old, double f, LocalIndex b,
                         const PaddedExtents<Shape>& extents, const TileRange& range, TileMemory& memory);

}  // namespace freshet
