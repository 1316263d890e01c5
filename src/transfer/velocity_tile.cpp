// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/velocity_tile.hpp"

#include "freshet/core/real_lanes.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/domain_faces.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/layout.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace freshet {
namespace {

constexpr int chunk = register_bytes == 64 ? 16 : 8;  ///< cells of a row that are interleaved together
using Chunk [[gnu::vector_size(chunk * sizeof(ParticleReal))]] = ParticleReal;
using EveryPlace = std::make_index_sequence<chunk>;

[[gnu::always_inline]] inline Chunk load_chunk(const ParticleReal* source) {
  Chunk numbers;
  std::memcpy(&numbers, source, sizeof(numbers));
  return numbers;
}

/// Interleave to a0 b0 a1 b1 .., from the low or the high half of the cells.
template <int high, std::size_t... n>
[[gnu::always_inline]] inline Chunk zip(const Chunk& a, const Chunk& b, std::index_sequence<n...>) {
  return __builtin_shufflevector(a, b, (n % 2 * chunk + n / 2 + high * chunk / 2)...);
}
/// Interleave pairs a0 z0 a1 z1 .. and b0 y0 b1 y1 .. to quads a0 b0 z0 y0 a1 b1 ..
template <int high, std::size_t... n>
[[gnu::always_inline]] inline Chunk zip_pairs(const Chunk& a, const Chunk& b, std::index_sequence<n...>) {
  return __builtin_shufflevector(a, b, (n % 2 * chunk + n / 4 * 2 + n % 4 / 2 + high * chunk / 2)...);
}

/// The samples of a chunk of cells in pairs: the sample of each cell and that of the next cell along z.
struct PairsAlongZ {
  Chunk low, high;
  [[gnu::always_inline]] void load(const ParticleReal* here, std::ptrdiff_t to_z) {
    const Chunk a = load_chunk(here), b = load_chunk(here + to_z);
    low = zip<0>(a, b, EveryPlace{});
    high = zip<1>(a, b, EveryPlace{});
  }
};

/// Interleave consecutive rows along y, in whole chunks, with the next rows along y and z. A row's last chunk may reach
/// into the next row of the target, which is written later. Each row's pairs serve two rows of the target.
template <int n_chunks>
void interleave_rows(const ParticleReal* row, int n_rows, int nx, std::ptrdiff_t to_z, ParticleReal* target) {
  PairsAlongZ pairs[n_chunks];
  for (int c = 0; c < n_chunks; ++c) pairs[c].load(row + c * chunk, to_z);
  for (int j = 0; j < n_rows; ++j, target += 4 * static_cast<std::ptrdiff_t>(nx)) {
    row += nx;
    for (int c = 0; c < n_chunks; ++c) {
      PairsAlongZ next;
      next.load(row + c * chunk, to_z);
      const Chunk quads[4] = {
          zip_pairs<0>(pairs[c].low, next.low, EveryPlace{}), zip_pairs<1>(pairs[c].low, next.low, EveryPlace{}),
          zip_pairs<0>(pairs[c].high, next.high, EveryPlace{}), zip_pairs<1>(pairs[c].high, next.high, EveryPlace{})};
      for (int n = 0; n < 4; ++n) std::memcpy(target + (4 * c + n) * chunk, &quads[n], sizeof(Chunk));
      pairs[c] = next;
    }
  }
}

/// Interleave the rows of a range. A row of a tile holds the samples of its cells and of the next cells along y and z,
/// which the last rows of a range lack.
template <class Shape>
VelocityTile interleave(const TileExtents<Shape>& extents, const TileRange& range, TileMemory& memory) {
  memory.values.resize(static_cast<std::size_t>(4 * (Shape::dim * extents.size() + chunk)));
  const int plane = extents.nx * extents.ny;
  const int to_z = Shape::dim == 3 ? plane : 0;
  const int end_z = Shape::dim == 3 ? range.high[1] : 1;
  const int n_rows = range.high[0] - range.low[0];
  const auto interleave_any = extents.nx <= chunk       ? interleave_rows<1>
                              : extents.nx <= 2 * chunk ? interleave_rows<2>
                                                        : interleave_rows<3>;
  for (int d = 0; d < Shape::dim; ++d)
    for (int k = range.low[1]; k < end_z; ++k) {
      const std::ptrdiff_t row = d * extents.size() + extents.at(-extents.pad, range.low[0], k);
      interleave_any(memory.padded.data() + row, n_rows, extents.nx, to_z, memory.values.data() + 4 * row);
    }
  const int pad_z = Shape::dim == 3 ? extents.pad : 0;
  return {memory.values.data(),
          {extents.pad, extents.pad, pad_z},
          {1, extents.nx, plane},
          4 * static_cast<std::ptrdiff_t>(extents.size())};
}

/// The rows of one neighbour in a range: begin <= row < end in the neighbour's cells, which are shifted by `shift`.
struct Rows {
  int begin, end, shift;
  Rows(int side, int n, int low, int high) : shift(side * n) {
    begin = std::max(low - shift, 0);
    end = std::min(high + 1 - shift, n);
  }
};

using EightDoubles [[gnu::vector_size(block_width * sizeof(double))]] = double;

/// One component of u in a block, or of u_new - f u_old, whose difference is formed in double.
template <bool subtracts>
struct Samples {
  const CellField<double>& u;
  const CellField<double>& u_old;  ///< read only if `subtracts`
  double f;

  struct InBlock {
    const double* u;
    const double* u_old;
  };
  InBlock in_block(LocalIndex b, int first) const {
    return {u.block(b) + first, subtracts ? u_old.block(b) + first : nullptr};
  }
};

/// Copy n consecutive rows along y from the blocks before, at and after a tile's block along x, rounded to particle
/// reals. It is not inlined, so that all pointers stay in registers.
template <int static_pad, bool subtracts>
[[gnu::noinline]] void copy_rows(const typename Samples<subtracts>::InBlock& before,
                                 const typename Samples<subtracts>::InBlock& here,
                                 const typename Samples<subtracts>::InBlock& after, double f, int n, int pad_at_run,
                                 ParticleReal* target) {
  using InBlock = typename Samples<subtracts>::InBlock;
  const int pad = static_pad > 0 ? static_pad : pad_at_run;
  const auto sample = [=](const InBlock& of, std::ptrdiff_t at) {
    if constexpr (subtracts) return static_cast<ParticleReal>(of.u[at] - f * of.u_old[at]);
    return static_cast<ParticleReal>(of.u[at]);
  };
  const auto samples = [=](const InBlock& of, std::ptrdiff_t at) {
    EightDoubles u, u_old;
    std::memcpy(&u, of.u + at, sizeof(u));
    if constexpr (subtracts) {
      std::memcpy(&u_old, of.u_old + at, sizeof(u_old));
      u -= f * u_old;
    }
    return u;
  };
  for (std::ptrdiff_t at = 0, end = static_cast<std::ptrdiff_t>(n) * block_width; at < end; at += block_width) {
    for (int i = 0; i < pad; ++i) target[i] = sample(before, at + i);
    freshet::store(samples(here, at), target + pad);
    for (int i = 0; i < pad; ++i) target[pad + block_width + i] = sample(after, at + i);
    target += block_width + 2 * pad;
  }
}

/// Copy the rows of a range from block b and its neighbours. The pad is known at compile time, or static_pad is 0.
template <class Shape, int static_pad, bool subtracts>
void fill_rows(const Samples<subtracts>& samples, LocalIndex b, const TileExtents<Shape>& extents,
               const TileRange& range, ParticleReal* padded) {
  const int pad = static_pad > 0 ? static_pad : extents.pad;
  const LocalIndex* neighbours = samples.u.layout().neighbours(b);
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  for (int dz = -z; dz <= z; ++dz) {
    const Rows along_z(dz, Shape::nz, range.low[1], range.high[1]);
    if (along_z.begin >= along_z.end) continue;
    for (int dy = -1; dy <= 1; ++dy) {
      const Rows along_y(dy, Shape::ny, range.low[0], range.high[0]);
      if (along_y.begin >= along_y.end) continue;
      for (int k = along_z.begin; k < along_z.end; ++k) {
        const int row = Shape::cell(0, along_y.begin, k);
        copy_rows<static_pad, subtracts>(
            samples.in_block(neighbours[direction_index(-1, dy, dz)], row + Shape::nx - pad),
            samples.in_block(neighbours[direction_index(0, dy, dz)], row),
            samples.in_block(neighbours[direction_index(1, dy, dz)], row), samples.f, along_y.end - along_y.begin, pad,
            padded + extents.at(-pad, along_y.shift + along_y.begin, along_z.shift + k));
      }
    }
  }
}

template <class Shape, bool subtracts>
void fill_rows_for_pad(const Samples<subtracts>& samples, LocalIndex b, const TileExtents<Shape>& extents,
                       const TileRange& range, ParticleReal* padded) {
  switch (extents.pad) {
    case 1:
      return fill_rows<Shape, 1>(samples, b, extents, range, padded);
    case 2:
      return fill_rows<Shape, 2>(samples, b, extents, range, padded);
    case 3:
      return fill_rows<Shape, 3>(samples, b, extents, range, padded);
    default:
      return fill_rows<Shape, 0>(samples, b, extents, range, padded);
  }
}

/// Fill the padded values of each component with samples_of(component), then with values beyond the domain's faces. The
/// velocity at a wall at the high side may depend on two samples: a range that holds the last one need not hold the one
/// before. At the low side it does, because samples up to one above a particle are in its range.
template <class Shape, class SamplesOf>
VelocityTile make_tile(const BlockLayout& layout, LocalIndex b, const TileExtents<Shape>& extents,
                       const TileRange& range, TileMemory& memory, SamplesOf samples_of) {
  // Zeros, so that rows outside the range are numbers, too: copies between rows touch some of them.
  memory.padded.resize(static_cast<std::size_t>(Shape::dim * extents.size() + chunk), ParticleReal(0));
  TileRange read = range;
  if (layout.touches_boundary(b) && layout.domain().has_no_slip_side())
    for (int a = 0; a < Shape::dim - 1; ++a) read.low[a] = std::max(range.low[a] - 1, whole_range(extents).low[a]);
  for (int d = 0; d < Shape::dim; ++d) {
    ParticleReal* component = memory.padded.data() + d * extents.size();
    fill_rows_for_pad(samples_of(d), b, extents, read, component);
    if (layout.touches_boundary(b)) apply_domain_faces(layout.domain(), layout.first_cell(b), d, extents, component);
  }
  return interleave(extents, range, memory);
}

}  // namespace

namespace {

/// The extent along y and z of the points that were added.
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
  /// The range of samples around the points. Those around x are from x - 1/2, rounded down, to x + 1, rounded down.
  template <class Shape>
  TileRange samples(double distance, const TileExtents<Shape>& extents) const {
    TileRange range = whole_range(extents);
    const TileRange whole = range;
    for (int a = 0; a < Shape::dim - 1; ++a) {
      double lowest = low_[a][0], highest = high_[a][0];
      for (int lane = 1; lane < n_lanes<ParticleReal>; ++lane) {
        lowest = std::min<double>(lowest, low_[a][lane]);
        highest = std::max<double>(highest, high_[a][lane]);
      }
      const double limit = extents.pad + 2 * block_width;  // bound of what is converted to an integer
      range.low[a] = std::max(whole.low[a], static_cast<int>(std::floor(std::max(lowest - distance - 0.5, -limit))));
      range.high[a] = std::min(whole.high[a], static_cast<int>(std::floor(std::min(highest + distance + 1.0, limit))));
    }
    return range;
  }

 private:
  Lanes<ParticleReal> low_[2], high_[2];
};

}  // namespace

/// The samples that a wall mirrors into the rows of the range lie in these rows, too, because particles are inside the
/// domain. The particles of a block, sorted by cell, begin in its first row and end in its last one: where the block is
/// full, the first and last particles give the range.
template <class Shape>
TileRange range_around(const ParticleReal* x, ParticleIndex n, double distance, const TileExtents<Shape>& extents) {
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
VelocityTile tile_around(const FaceField<double>& u, LocalIndex b, const TileExtents<Shape>& extents,
                         const TileRange& range, TileMemory& memory) {
  return make_tile(u.layout(), b, extents, range, memory, [&](int d) { return Samples<false>{u[d], u[d], 0.0}; });
}

template <class Shape>
VelocityTile tile_around(const FaceField<double>& u_new, const FaceField<double>& u_old, double f, LocalIndex b,
                         const TileExtents<Shape>& extents, const TileRange& range, TileMemory& memory) {
  return make_tile(u_new.layout(), b, extents, range, memory, [&](int d) {
    return Samples<true>{u_new[d], u_old[d], f};
  });
}

#define FRESHET_INSTANTIATE(dimension)                                                                               \
  template TileRange range_around(const ParticleReal*, ParticleIndex, double,                                        \
                                  const TileExtents<BlockShape<dimension>>&);                                        \
  template VelocityTile tile_around(const FaceField<double>&, LocalIndex, const TileExtents<BlockShape<dimension>>&, \
                                    const TileRange&, TileMemory&);                                                  \
  template VelocityTile tile_around(const FaceField<double>&, const FaceField<double>&, double, LocalIndex,          \
                                    const TileExtents<BlockShape<dimension>>&, const TileRange&, TileMemory&)
FRESHET_INSTANTIATE(2);
FRESHET_INSTANTIATE(3);
#undef FRESHET_INSTANTIATE

}  // namespace freshet
