// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/velocity_tile.hpp"

#include "freshet/core/real_lanes.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

constexpr int eight = 8;  ///< cells that are interleaved together
using Eight [[gnu::vector_size(eight * sizeof(ParticleReal))]] = ParticleReal;
using EightDoubles [[gnu::vector_size(eight * sizeof(double))]] = double;

[[gnu::always_inline]] inline Eight load_eight(const double* source) {
  EightDoubles numbers;
  std::memcpy(&numbers, source, sizeof(numbers));
  return convert<Eight>(numbers);
}

/// Interleave four rows of n samples, eight at a time: also those behind the rows, up to the next multiple of eight.
void interleave(const double* here, const double* y, const double* z, const double* yz, int n, ParticleReal* target) {
  for (int i = 0; i < n; i += eight, target += 4 * eight) {
    const Eight a = load_eight(here + i), b = load_eight(y + i), c = load_eight(z + i), d = load_eight(yz + i);
    const Eight ab_low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    const Eight ab_high = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    const Eight cd_low = __builtin_shufflevector(c, d, 0, 8, 1, 9, 2, 10, 3, 11);
    const Eight cd_high = __builtin_shufflevector(c, d, 4, 12, 5, 13, 6, 14, 7, 15);
    // One store each: the compiler would gather several on the stack first.
    const auto store = [&](int place, const Eight& cells) {
      std::memcpy(target + place * eight, &cells, sizeof(cells));
    };
    store(0, __builtin_shufflevector(ab_low, cd_low, 0, 1, 8, 9, 2, 3, 10, 11));
    store(1, __builtin_shufflevector(ab_low, cd_low, 4, 5, 12, 13, 6, 7, 14, 15));
    store(2, __builtin_shufflevector(ab_high, cd_high, 0, 1, 8, 9, 2, 3, 10, 11));
    store(3, __builtin_shufflevector(ab_high, cd_high, 4, 5, 12, 13, 6, 7, 14, 15));
  }
}

/// A row of a tile holds the samples of its cells and of the next cells along y and z: the last rows of a range have
/// none.
template <class Shape>
VelocityTile interleave(const PaddedExtents<Shape>& extents, const TileRange& range, TileMemory& memory) {
  memory.values.resize(static_cast<std::size_t>(4 * (Shape::dim * extents.size() + eight)));
  const int plane = extents.nx * extents.ny;
  const int to_z = Shape::dim == 3 ? plane : 0;
  const int end_z = Shape::dim == 3 ? range.high[1] : 1;
  for (int d = 0; d < Shape::dim; ++d)
    for (int k = range.low[1]; k < end_z; ++k)
      for (int j = range.low[0]; j < range.high[0]; ++j) {
        const int row = d * extents.size() + extents.at(-extents.pad, j, k);
        const double* here = memory.padded.data() + row;
        interleave(here, here + extents.nx, here + to_z, here + extents.nx + to_z, extents.nx,
                   memory.values.data() + 4 * static_cast<std::ptrdiff_t>(row));
      }
  const int pad_z = Shape::dim == 3 ? extents.pad : 0;
  return {memory.values.data(),
          {extents.pad, extents.pad, pad_z},
          {1, extents.nx, plane},
          4 * static_cast<std::ptrdiff_t>(extents.size())};
}

/// The rows of one neighbour in a range: begin <= row < end in the neighbour's cells, which are n further on.
struct Rows {
  int begin, end, shift;
  Rows(int side, int n, int low, int high) : shift(side * n) {
    begin = std::max(low - shift, 0);
    end = std::min(high + 1 - shift, n);
  }
};

/// Copy n rows in sequence along y from the blocks before, at and after a tile's block along x. A function of its own,
/// so that all pointers stay in registers.
template <int static_pad>
[[gnu::noinline]] void copy_rows(const double* before, const double* here, const double* after, int n, int pad_at_run,
                                 double* target) {
  const int pad = static_pad > 0 ? static_pad : pad_at_run;
  for (int r = 0; r < n; ++r) {
    std::copy_n(before, pad, target);
    std::copy_n(here, block_width, target + pad);
    std::copy_n(after, pad, target + pad + block_width);
    before += block_width;
    here += block_width;
    after += block_width;
    target += block_width + 2 * pad;
  }
}

/// Copy the rows of a range from block b and its neighbours; for a pad known at compile time, or any if it is 0.
template <class Shape, int static_pad>
void fill_rows(const CellField<double>& field, LocalIndex b, const PaddedExtents<Shape>& extents,
               const TileRange& range, double* padded) {
  const int pad = static_pad > 0 ? static_pad : extents.pad;
  const LocalIndex* neighbours = field.layout().neighbours(b);
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  for (int dz = -z; dz <= z; ++dz) {
    const Rows along_z(dz, Shape::nz, range.low[1], range.high[1]);
    if (along_z.begin >= along_z.end) continue;
    for (int dy = -1; dy <= 1; ++dy) {
      const Rows along_y(dy, Shape::ny, range.low[0], range.high[0]);
      if (along_y.begin >= along_y.end) continue;
      const double* before = field.block(neighbours[direction_index(-1, dy, dz)]) + Shape::nx - pad;
      const double* here = field.block(neighbours[direction_index(0, dy, dz)]);
      const double* after = field.block(neighbours[direction_index(1, dy, dz)]);
      for (int k = along_z.begin; k < along_z.end; ++k) {
        const int row = Shape::cell(0, along_y.begin, k);
        copy_rows<static_pad>(before + row, here + row, after + row, along_y.end - along_y.begin, pad,
                              padded + extents.at(-pad, along_y.shift + along_y.begin, along_z.shift + k));
      }
    }
  }
}

template <class Shape>
void fill_rows(const CellField<double>& field, LocalIndex b, const PaddedExtents<Shape>& extents,
               const TileRange& range, double* padded) {
  switch (extents.pad) {
    case 1:
      return fill_rows<Shape, 1>(field, b, extents, range, padded);
    case 2:
      return fill_rows<Shape, 2>(field, b, extents, range, padded);
    case 3:
      return fill_rows<Shape, 3>(field, b, extents, range, padded);
    default:
      return fill_rows<Shape, 0>(field, b, extents, range, padded);
  }
}

/// Call fill(component, target) for the padded values of each component, then give them those beyond the domain's
/// faces.
template <class Shape, class Fill>
VelocityTile make_tile(const BlockLayout& layout, LocalIndex b, const PaddedExtents<Shape>& extents,
                       const TileRange& range, TileMemory& memory, Fill fill) {
  // Zero, so that rows outside the range are numbers, too: copies between rows and to reals touch some of them.
  memory.padded.resize(static_cast<std::size_t>(Shape::dim * extents.size() + eight), 0.0);
  for (int d = 0; d < Shape::dim; ++d) {
    double* component = memory.padded.data() + d * extents.size();
    fill(d, component);
    if (layout.touches_boundary(b)) apply_domain_faces(layout.domain(), layout.first_cell(b), d, extents, component);
  }
  return interleave(extents, range, memory);
}

}  // namespace

namespace {

/// The extent of points along y and z, as far as they were looked at.
class PointRange {
 public:
  explicit PointRange(const ParticleReal* x) : low_{all_lanes(x[1]), all_lanes(x[2])}, high_{low_[0], low_[1]} {}
  void add(const ParticleReal* x, ParticleIndex n) {
    constexpr int width = n_lanes<ParticleReal>;
    for (ParticleIndex p = 0; p < n; p += width) {
      const LaneTriple<ParticleReal> at = p + width <= n
                                              ? load_triples<ParticleReal>(x + 3 * p)
                                              : load_last_triples<ParticleReal>(x + 3 * p, static_cast<int>(n - p));
      for (int a = 0; a < 2; ++a) {
        low_[a] = at[a + 1] < low_[a] ? at[a + 1] : low_[a];
        high_[a] = at[a + 1] > high_[a] ? at[a + 1] : high_[a];
      }
    }
  }
  /// Samples stand on faces and on centres: those around x are between x - 1/2, rounded down, and x + 1, rounded down.
  template <class Shape>
  TileRange samples(double distance, const PaddedExtents<Shape>& extents) const {
    TileRange range = whole_range(extents);
    const TileRange whole = range;
    for (int a = 0; a < Shape::dim - 1; ++a) {
      double lowest = low_[a][0], highest = high_[a][0];
      for (int lane = 1; lane < n_lanes<ParticleReal>; ++lane) {
        lowest = std::min<double>(lowest, low_[a][lane]);
        highest = std::max<double>(highest, high_[a][lane]);
      }
      const double limit = extents.pad + 2 * block_width;  // of what an integer shall hold
      range.low[a] = std::max(whole.low[a], static_cast<int>(std::floor(std::max(lowest - distance - 0.5, -limit))));
      range.high[a] = std::min(whole.high[a], static_cast<int>(std::floor(std::min(highest + distance + 1.0, limit))));
    }
    return range;
  }

 private:
  Lanes<ParticleReal> low_[2], high_[2];
};

}  // namespace

/// What a wall's mirror shows in the rows of the range lies among these rows, too, because particles are inside the
/// domain. The particles of a block, sorted by cell, begin in its first row and end in its last one: where the block is
/// full, these tell the range.
template <class Shape>
TileRange range_around(const ParticleReal* x, ParticleIndex n, double distance, const PaddedExtents<Shape>& extents) {
  constexpr ParticleIndex few = 128;
  const TileRange whole = whole_range(extents);
  if (n == 0) return whole;
  PointRange points(x);
  points.add(x, std::min(n, few));
  if (n <= few) return points.samples(distance, extents);
  points.add(x + 3 * (n - few), few);
  const TileRange of_ends = points.samples(distance, extents);
  if (n <= 2 * few || of_ends == whole) return of_ends;
  points.add(x + 3 * few, n - 2 * few);
  return points.samples(distance, extents);
}

template <class Shape>
VelocityTile tile_around(const FaceField<double>& u, LocalIndex b, const PaddedExtents<Shape>& extents,
                         const TileRange& range, TileMemory& memory) {
  return make_tile(u.layout(), b, extents, range, memory,
                   [&](int d, double* component) { fill_rows(u[d], b, extents, range, component); });
}

template <class Shape>
VelocityTile tile_around(const FaceField<double>& u_new, const FaceField<double>& u_old, double f, LocalIndex b,
                         const PaddedExtents<Shape>& extents, const TileRange& range, TileMemory& memory) {
  return make_tile(u_new.layout(), b, extents, range, memory, [&](int d, double* component) {
    memory.before.resize(static_cast<std::size_t>(extents.size()));
    double* before = memory.before.data();
    fill_rows(u_new[d], b, extents, range, component);
    fill_rows(u_old[d], b, extents, range, before);
    for (int k = range.low[1]; k <= range.high[1]; ++k) {
      const int begin = extents.at(-extents.pad, range.low[0], k);
      const int end = extents.at(-extents.pad, range.high[0] + 1, k);
      for (int n = begin; n < end; ++n) component[n] -= f * before[n];
    }
  });
}

#define FRESHET_INSTANTIATE(dimension)                                                                                 \
  template TileRange range_around(const ParticleReal*, ParticleIndex, double,                                          \
                                  const PaddedExtents<BlockShape<dimension>>&);                                        \
  template VelocityTile tile_around(const FaceField<double>&, LocalIndex, const PaddedExtents<BlockShape<dimension>>&, \
                                    const TileRange&, TileMemory&);                                                    \
  template VelocityTile tile_around(const FaceField<double>&, const FaceField<double>&, double, LocalIndex,            \
                                    const PaddedExtents<BlockShape<dimension>>&, const TileRange&, TileMemory&)
FRESHET_INSTANTIATE(2);
FRESHET_INSTANTIATE(3);
#undef FRESHET_INSTANTIATE

}  // namespace freshet
