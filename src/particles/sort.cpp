// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/sort.hpp"

#include "chunks.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/core/real_lanes.hpp"
#include "freshet/grid/block_shape.hpp"
#include "strides.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

namespace freshet {
namespace {

using BlockScratch = SortWorkspace::BlockScratch;

/// Find the local block of each home key; background() if this rank does not own the key.
void find_blocks(const ParticleStore& particles, const BlockLayout& layout, std::vector<LocalIndex>& block_of_home) {
  const std::vector<BlockKey>& keys = particles.home_keys();
  block_of_home.resize(keys.size());
#pragma omp parallel for schedule(static)
  for (std::size_t h = 0; h < keys.size(); ++h) block_of_home[h] = layout.find_owned(keys[h]);
}

using Indices = LaneIndices<ParticleReal>;
constexpr int width = n_lanes<ParticleReal>;

template <class Integer>
[[gnu::always_inline]] inline Indices load_indices(const Integer* source) {
  static_assert(sizeof(Integer) == sizeof(std::int32_t));
  Indices indices;
  std::memcpy(&indices, source, sizeof indices);
  return indices;
}
/// Number of lanes before the first one in which a comparison of indices fails.
template <class Mask>
[[gnu::always_inline]] inline int n_first(const Mask& mask) {
  return std::countr_one(lane_bits<ParticleReal>(convert<LaneMask<ParticleReal>>(mask)));
}

/// The end of the run of particles from `first` on that have the same home.
[[gnu::always_inline]] inline ParticleIndex end_of_run(const LocalIndex* home, ParticleIndex first, ParticleIndex end) {
  ParticleIndex p = first + 1;
  for (; p + width <= end; p += width) {
    const int n = n_first(load_indices(home + p) == home[first]);
    if (n < width) return p + n;
  }
  while (p < end && home[p] == home[first]) ++p;
  return p;
}

/// Call f(home, first, end) for every run of particles with the same home. Particles that have moved since the last
/// sort are still in runs.
template <class Function>
void for_each_run(const LocalIndex* home, ParticleIndex begin, ParticleIndex end, Function&& f) {
  for (ParticleIndex first = begin; first < end;) {
    const ParticleIndex after = end_of_run(home, first, end);
    f(home[first], first, after);
    first = after;
  }
}

/// Set counts[chunk][block] to the number of particles of each chunk, then to the new place of the chunk's first
/// particle of the block.
void place_chunks(ParticleStore& particles, LocalIndex n_blocks, int n_chunks, SortWorkspace& workspace) {
  const auto row = static_cast<std::size_t>(n_blocks) + 1;  // the last entry counts homes that the layout does not own
  workspace.counts.resize(row * static_cast<std::size_t>(n_chunks));
  const LocalIndex* const home = particles.home().data();
  parallel_chunks(particles.size(), n_chunks, [&](int chunk, ParticleIndex begin, ParticleIndex end) {
    ParticleIndex* const counts = &workspace.counts[row * static_cast<std::size_t>(chunk)];
    std::fill_n(counts, row, ParticleIndex{0});
    for_each_run(home, begin, end, [&](LocalIndex h, ParticleIndex first, ParticleIndex after) {
      counts[std::min(workspace.block_of_home[static_cast<std::size_t>(h)], n_blocks)] += after - first;
    });
  });
  std::vector<ParticleIndex>& block_begin = particles.block_begin();
  block_begin.resize(row);
  ParticleIndex place = 0;
  for (std::size_t b = 0; b < row; ++b) {
    block_begin[b] = place;
    for (std::size_t chunk = 0; chunk < static_cast<std::size_t>(n_chunks); ++chunk) {
      const ParticleIndex n = workspace.counts[row * chunk + b];
      workspace.counts[row * chunk + b] = place;
      place += n;
    }
  }
  FRESHET_EXPECT(block_begin.back() == particles.size());  // the home of every particle is an owned block
}

/// First pass: order particle indices by block, and within a block by arrival.
void order_by_block(const ParticleStore& particles, LocalIndex n_blocks, int n_chunks, SortWorkspace& workspace) {
  const auto row = static_cast<std::size_t>(n_blocks) + 1;
  const LocalIndex* const home = particles.home().data();
  std::uint32_t* const order = workspace.order.data();
  parallel_chunks(particles.size(), n_chunks, [&](int chunk, ParticleIndex begin, ParticleIndex end) {
    ParticleIndex* const places = &workspace.counts[row * static_cast<std::size_t>(chunk)];
    for_each_run(home, begin, end, [&](LocalIndex h, ParticleIndex first, ParticleIndex after) {
      ParticleIndex& place = places[std::min(workspace.block_of_home[static_cast<std::size_t>(h)], n_blocks)];
      for (ParticleIndex p = first; p < after; ++p) order[place + p - first] = static_cast<std::uint32_t>(p);
      place += after - first;
    });
  });
}

/// Call f(m) for m in [begin, end), and prefetch(m) some iterations ahead. The processor cannot predict the order in
/// which particles are read, and would wait for memory without prefetching.
template <class Prefetch, class Function>
void for_each_ahead(ParticleIndex begin, ParticleIndex end, Prefetch&& prefetch, Function&& f) {
  constexpr ParticleIndex ahead = 64;
  const ParticleIndex last_ahead = std::max(begin, end - ahead);
  for (ParticleIndex m = begin; m < last_ahead; ++m) {
    prefetch(m + ahead);
    f(m);
  }
  for (ParticleIndex m = last_ahead; m < end; ++m) f(m);
}

/// Cell of a position inside its block. After migration positions are in [0, 8). The masks keep memory accesses valid
/// for any position and, unlike a clamp, cost no time.
template <class Shape>
int masked_cell_of(const ParticleReal* x) {
  static_assert((Shape::nx & (Shape::nx - 1)) == 0 && (Shape::nz & (Shape::nz - 1)) == 0);
  return Shape::cell(static_cast<int>(x[0]) & (Shape::nx - 1), static_cast<int>(x[1]) & (Shape::ny - 1),
                     static_cast<int>(x[2]) & (Shape::nz - 1));
}

/// Find the cells, inside their block, of n_lanes adjacent particles.
template <class Shape>
[[gnu::always_inline]] inline void save_masked_cells(const ParticleReal* x, std::uint16_t* cells) {
  using Cells [[gnu::vector_size(sizeof(std::uint16_t) * width)]] = std::uint16_t;
  const LaneTriple<ParticleReal> at = load_triples<ParticleReal>(x);
  const Indices i = convert<Indices>(at[0]) & (Shape::nx - 1);
  const Indices j = convert<Indices>(at[1]) & (Shape::ny - 1);
  const Indices k = convert<Indices>(at[2]) & (Shape::nz - 1);
  const auto of_lanes = __builtin_convertvector((k * Shape::ny + j) * Shape::nx + i, Cells);
  std::memcpy(cells, &of_lanes, sizeof of_lanes);
}

/// Find the cell of each of n particles and copy the particles' indices. Where indices are consecutive, as for
/// particles that have not left their block, cells are found in lanes.
/// \param[in]  n_all    number of the rank's particles
template <class Shape>
void find_cells(const ParticleReal* position, ParticleIndex n_all, const std::uint32_t* order, ParticleIndex n,
                BlockScratch& scratch) {
  constexpr ParticleIndex ahead = 64;
  Indices number{};
  for (int lane = 0; lane < width; ++lane) number[lane] = lane;
  ParticleIndex m = 0;
  while (m + width <= n) {
    const auto first = static_cast<std::size_t>(order[m]);
    __builtin_prefetch(position + 3 * static_cast<std::size_t>(order[std::min(m + ahead, n - 1)]));
    std::uint16_t* const cells = scratch.cell.data() + m;
    if (static_cast<ParticleIndex>(first) + width > n_all) {
      scratch.order[static_cast<std::size_t>(m)] = order[m];
      *cells = static_cast<std::uint16_t>(masked_cell_of<Shape>(position + 3 * first));
      ++m;
      continue;
    }
    const Indices numbers = load_indices(order + m);
    std::memcpy(scratch.order.data() + m, &numbers, sizeof numbers);
    save_masked_cells<Shape>(position + 3 * first, cells);
    m += n_first(numbers - static_cast<std::int32_t>(order[m]) == number);
  }
  for (; m < n; ++m) {
    scratch.order[static_cast<std::size_t>(m)] = order[m];
    scratch.cell[static_cast<std::size_t>(m)] =
        static_cast<std::uint16_t>(masked_cell_of<Shape>(position + 3 * static_cast<std::size_t>(order[m])));
  }
}

/// Second pass in one block: sort the n indices in `order` by cell. begins[c] .. begins[c + 1] then delimit cell c.
template <class Shape>
void order_by_cell(const ParticleReal* position, ParticleIndex n_all, std::uint32_t* order, ParticleIndex n,
                   BlockScratch& scratch, std::array<std::uint32_t, Shape::cells + 1>& begins) {
  const auto size = static_cast<std::size_t>(n);
  scratch.order.resize(std::max(scratch.order.size(), size));
  scratch.cell.resize(std::max(scratch.cell.size(), size));
  find_cells<Shape>(position, n_all, order, n, scratch);
  std::array<std::uint32_t, Shape::cells> places{};
  for (std::size_t m = 0; m < size; ++m) ++places[scratch.cell[m]];
  std::uint32_t place = 0;
  for (std::size_t c = 0; c < places.size(); ++c) {
    begins[c] = place;
    place += std::exchange(places[c], place);
  }
  begins[places.size()] = place;
  for (std::size_t m = 0; m < size; ++m) order[places[scratch.cell[m]]++] = scratch.order[m];
}

/// Sort the particle indices of one cell, together with their ids, by ascending id.
void order_cell_by_id(std::uint32_t* order, ParticleId* ids, std::size_t n) {
  for (std::size_t m = 1; m < n; ++m) {
    const std::uint32_t particle = order[m];
    const ParticleId id = ids[m];
    std::size_t place = m;
    for (; place > 0 && ids[place - 1] > id; --place) {
      ids[place] = ids[place - 1];
      order[place] = order[place - 1];
    }
    ids[place] = id;
    order[place] = particle;
  }
}

/// Sort the particle indices of one block by ascending id in each cell.
template <std::size_t n_begins>
void order_by_id(const ParticleId* id, std::uint32_t* order, ParticleIndex n,
                 const std::array<std::uint32_t, n_begins>& begins, std::vector<ParticleId>& ids) {
  constexpr std::size_t few = 64;  // for more elements std::sort is faster than an insertion sort
  ids.resize(std::max(ids.size(), static_cast<std::size_t>(n)));
  for_each_ahead(
      0, n, [&](ParticleIndex m) { __builtin_prefetch(id + order[m]); },
      [&](ParticleIndex m) { ids[static_cast<std::size_t>(m)] = id[order[m]]; });
  for (std::size_t c = 0; c + 1 < n_begins; ++c) {
    const std::size_t n_cell = begins[c + 1] - begins[c];
    std::uint32_t* const of_cell = order + begins[c];
    if (n_cell <= few) {
      order_cell_by_id(of_cell, ids.data() + begins[c], n_cell);
    } else {
      std::sort(of_cell, of_cell + n_cell, [&](std::uint32_t a, std::uint32_t b) { return id[a] < id[b]; });
    }
  }
}

/// The memory that a permutation reads from; elements in memory are prefetched.
enum class Source { cached, in_memory };

/// target[p] = source[order[p]] for p in [begin, end), elements of a stride known at compile time.
///
/// Elements are moved in pieces of `piece` >= stride bytes, a size that one instruction moves. The bytes of a piece
/// beyond its element are overwritten by the next piece; so the last elements, and those at the end of the source, are
/// moved alone.
template <std::size_t stride, std::size_t piece, Source where>
void gather(const std::byte* source, std::size_t n_source, const std::uint32_t* order, ParticleIndex begin,
            ParticleIndex end, std::byte* target) {
  constexpr std::size_t reach = (piece + stride - 1) / stride;  // number of elements that a piece touches
  const std::size_t last_whole = n_source >= reach ? n_source - reach : 0;
  const ParticleIndex end_pieces = n_source >= reach ? std::max(begin, end - static_cast<ParticleIndex>(reach)) : begin;
  const auto from = [&](ParticleIndex p) { return source + stride * static_cast<std::size_t>(order[p]); };
  const auto to = [&](ParticleIndex p) { return target + stride * static_cast<std::size_t>(p); };
  for_each_ahead(
      begin, end_pieces,
      [&](ParticleIndex p) {
        if constexpr (where == Source::in_memory) __builtin_prefetch(from(p));
      },
      [&](ParticleIndex p) {
        if (piece == stride || order[p] <= last_whole) {
          std::memcpy(to(p), from(p), piece);
        } else {
          std::memcpy(to(p), from(p), stride);
        }
      });
  for (ParticleIndex p = end_pieces; p < end; ++p) std::memcpy(to(p), from(p), stride);
}

template <Source where>
void gather(const std::byte* source, std::size_t n_source, const std::uint32_t* order, ParticleIndex begin,
            ParticleIndex end, std::size_t stride, std::byte* target) {
  with_stride(stride, [&](auto bytes) {
    if constexpr (std::is_same_v<decltype(bytes), std::size_t>) {
      for (ParticleIndex p = begin; p < end; ++p)
        std::memcpy(target + bytes * static_cast<std::size_t>(p), source + bytes * static_cast<std::size_t>(order[p]),
                    bytes);
    } else {
      gather<bytes, std::bit_ceil(bytes()), where>(source, n_source, order, begin, end, target);
    }
  });
}

/// Reserve memory for as many elements as the store's capacity, which may have become smaller.
template <class Vector>
void take_capacity(std::size_t capacity, Vector& values) {
  if (values.capacity() == capacity) return;
  values.clear();
  values.shrink_to_fit();
  values.reserve(capacity);
}

/// A buffer of the attribute's stride and size, which receives the permuted attribute.
SortWorkspace::Buffer& buffer_for(const Attribute& attribute, SortWorkspace& workspace) {
  auto buffer = std::find_if(workspace.buffers.begin(), workspace.buffers.end(),
                             [&](const SortWorkspace::Buffer& b) { return b.stride == attribute.stride; });
  if (buffer == workspace.buffers.end())
    buffer = workspace.buffers.insert(buffer, SortWorkspace::Buffer{attribute.stride, {}});
  take_capacity(attribute.values.capacity(), buffer->values);
  buffer->values.resize(attribute.values.size());
  return *buffer;
}

/// Second pass: order the particles of every block. Positions are permuted in the same pass, while they are cached.
template <class Shape>
void order_blocks(ParticleStore& particles, LocalIndex n_blocks, CellOrder cell_order, SortWorkspace& workspace) {
  workspace.scratch.resize(std::max(workspace.scratch.size(), static_cast<std::size_t>(omp_get_max_threads())));
  Attribute& position = particles.attributes().front();
  SortWorkspace::Buffer& buffer = buffer_for(position, workspace);
  const auto n = static_cast<std::size_t>(particles.size());
  particles.cell_begin().resize(static_cast<std::size_t>(n_blocks) * Shape::cells + 1);
  particles.cell_begin().back() = static_cast<std::uint32_t>(n);
  parallel_for_blocks(n_blocks, [&](LocalIndex b) {
    BlockScratch& scratch = workspace.scratch[static_cast<std::size_t>(omp_get_thread_num())];
    const ParticleIndex begin = particles.block_begin()[b];
    const ParticleIndex end = particles.block_begin()[b + 1];
    std::uint32_t* const order = workspace.order.data() + begin;
    std::array<std::uint32_t, Shape::cells + 1> begins;
    order_by_cell<Shape>(particles.position(), particles.size(), order, end - begin, scratch, begins);
    std::uint32_t* const of_cell = particles.cell_begin().data() + static_cast<std::size_t>(b) * Shape::cells;
    for (int c = 0; c < Shape::cells; ++c) of_cell[c] = static_cast<std::uint32_t>(begin) + begins[c];
    if (cell_order == CellOrder::by_id) order_by_id(particles.id(), order, end - begin, begins, scratch.id);
    gather<Source::cached>(position.values.data(), n, workspace.order.data(), begin, end, position.stride,
                           buffer.values.data());
  });
  position.values.swap(buffer.values);
}

/// Whether all particles have the same value, so that their order does not matter. The first two that differ end
/// the search.
bool is_uniform(const Attribute& attribute, ParticleIndex n) {
  const std::size_t bytes = attribute.stride * static_cast<std::size_t>(n);
  return n < 2 || std::memcmp(attribute.values.data(), attribute.values.data() + attribute.stride,
                              bytes - attribute.stride) == 0;
}

/// Permute one attribute into the new order.
void permute(Attribute& attribute, ParticleIndex n, SortWorkspace& workspace) {
  if (is_uniform(attribute, n)) return;
  SortWorkspace::Buffer& buffer = buffer_for(attribute, workspace);
  parallel_chunks(n, n_thread_chunks(), [&](int, ParticleIndex begin, ParticleIndex end) {
    gather<Source::in_memory>(attribute.values.data(), static_cast<std::size_t>(n), workspace.order.data(), begin, end,
                              attribute.stride, buffer.values.data());
  });
  attribute.values.swap(buffer.values);
}

}  // namespace

void sort_particles(ParticleStore& particles, const BlockLayout& layout, CellOrder order, SortWorkspace& workspace) {
  FRESHET_EXPECT(particles.home().size() == static_cast<std::size_t>(particles.size()));
  FRESHET_EXPECT(particles.size() <= ParticleIndex{std::numeric_limits<std::uint32_t>::max()});
  const LocalIndex n_blocks = layout.n_owned();
  const int n_chunks = n_thread_chunks();
  take_capacity(static_cast<std::size_t>(particles.capacity()), workspace.order);
  workspace.order.resize(static_cast<std::size_t>(particles.size()));
  find_blocks(particles, layout, workspace.block_of_home);
  place_chunks(particles, n_blocks, n_chunks, workspace);
  order_by_block(particles, n_blocks, n_chunks, workspace);
  with_shape(layout.domain().dimension(),
             [&](auto shape) { order_blocks<decltype(shape)>(particles, n_blocks, order, workspace); });
  for (std::size_t a = 1; a < particles.attributes().size(); ++a)
    permute(particles.attributes()[a], particles.size(), workspace);
  particles.home().clear();
}

}  // namespace freshet
