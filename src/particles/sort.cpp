// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/sort.hpp"

#include "chunks.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

namespace freshet {
namespace {

using BlockScratch = SortWorkspace::BlockScratch;

/// Local block of each home key; background where the layout does not own it.
void find_blocks(const ParticleStore& particles, const BlockLayout& layout, std::vector<LocalIndex>& block_of_home) {
  const std::vector<BlockKey>& keys = particles.home_keys();
  block_of_home.resize(keys.size());
#pragma omp parallel for schedule(static)
  for (std::size_t h = 0; h < keys.size(); ++h) block_of_home[h] = layout.find_owned(keys[h]);
}

/// counts[chunk][block]: particles of each stretch, then where the stretch's first particle of the block goes.
void place_chunks(ParticleStore& particles, LocalIndex n_blocks, int n_chunks, SortWorkspace& workspace) {
  const auto row = static_cast<std::size_t>(n_blocks) + 1;  // one more for homes that the layout does not own
  workspace.counts.resize(row * static_cast<std::size_t>(n_chunks));
  const LocalIndex* const home = particles.home().data();
  parallel_chunks(particles.size(), n_chunks, [&](int chunk, ParticleIndex begin, ParticleIndex end) {
    ParticleIndex* const counts = &workspace.counts[row * static_cast<std::size_t>(chunk)];
    std::fill_n(counts, row, ParticleIndex{0});
    for (ParticleIndex p = begin; p < end; ++p)
      ++counts[std::min(workspace.block_of_home[static_cast<std::size_t>(home[p])], n_blocks)];
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
  FRESHET_EXPECT(block_begin.back() == particles.size());  // every particle is at home in an owned block
}

/// First pass: particle numbers by block, in order of arrival.
void order_by_block(const ParticleStore& particles, LocalIndex n_blocks, int n_chunks, SortWorkspace& workspace) {
  const auto row = static_cast<std::size_t>(n_blocks) + 1;
  const LocalIndex* const home = particles.home().data();
  std::uint32_t* const order = workspace.order.data();
  parallel_chunks(particles.size(), n_chunks, [&](int chunk, ParticleIndex begin, ParticleIndex end) {
    ParticleIndex* const places = &workspace.counts[row * static_cast<std::size_t>(chunk)];
    for (ParticleIndex p = begin; p < end; ++p) {
      const LocalIndex b = std::min(workspace.block_of_home[static_cast<std::size_t>(home[p])], n_blocks);
      order[places[b]++] = static_cast<std::uint32_t>(p);
    }
  });
}

/// Cell coordinate of a position inside a block; NaN gives 0.
inline int cell_coordinate(ParticleReal x, int width) {
  return static_cast<int>(std::min(std::max(ParticleReal{0}, x), static_cast<ParticleReal>(width - 1)));
}

/// Second pass in one block: its numbers in `order` by cell. begins[c] .. begins[c + 1] delimit cell c afterwards.
template <class Shape>
void order_by_cell(const ParticleReal* position, std::uint32_t* order, std::size_t n, BlockScratch& scratch,
                   std::array<std::uint32_t, Shape::cells + 1>& begins) {
  scratch.order.resize(std::max(scratch.order.size(), n));
  scratch.cell.resize(std::max(scratch.cell.size(), n));
  std::array<std::uint32_t, Shape::cells> places{};
  for (std::size_t m = 0; m < n; ++m) {
    const ParticleReal* const x = position + 3 * static_cast<std::size_t>(order[m]);
    const int cell = Shape::cell(cell_coordinate(x[0], Shape::nx), cell_coordinate(x[1], Shape::ny),
                                 cell_coordinate(x[2], Shape::nz));
    scratch.order[m] = order[m];
    scratch.cell[m] = static_cast<std::uint16_t>(cell);
    ++places[static_cast<std::size_t>(cell)];
  }
  std::uint32_t place = 0;
  for (std::size_t c = 0; c < places.size(); ++c) {
    begins[c] = place;
    place += std::exchange(places[c], place);
  }
  begins[places.size()] = place;
  for (std::size_t m = 0; m < n; ++m) order[places[scratch.cell[m]]++] = scratch.order[m];
}

/// Particle numbers of one cell by ascending id.
void order_by_id(const ParticleId* id, std::uint32_t* order, std::size_t n, std::vector<ParticleId>& ids) {
  constexpr std::size_t few = 64;  // beyond this an insertion sort is the slower one
  if (n > few) {
    std::sort(order, order + n, [&](std::uint32_t a, std::uint32_t b) { return id[a] < id[b]; });
    return;
  }
  ids.resize(few);
  for (std::size_t m = 0; m < n; ++m) {
    const std::uint32_t particle = order[m];
    const ParticleId of_particle = id[particle];
    std::size_t place = m;
    for (; place > 0 && ids[place - 1] > of_particle; --place) {
      ids[place] = ids[place - 1];
      order[place] = order[place - 1];
    }
    ids[place] = of_particle;
    order[place] = particle;
  }
}

/// Second pass: order within every block.
template <class Shape>
void order_blocks(const ParticleStore& particles, LocalIndex n_blocks, CellOrder cell_order, SortWorkspace& workspace) {
  workspace.scratch.resize(std::max(workspace.scratch.size(), static_cast<std::size_t>(omp_get_max_threads())));
  const std::vector<ParticleIndex>& block_begin = particles.block_begin();
  parallel_for_blocks(n_blocks, [&](LocalIndex b) {
    BlockScratch& scratch = workspace.scratch[static_cast<std::size_t>(omp_get_thread_num())];
    std::uint32_t* const order = workspace.order.data() + block_begin[b];
    std::array<std::uint32_t, Shape::cells + 1> begins;
    order_by_cell<Shape>(particles.position(), order, static_cast<std::size_t>(block_begin[b + 1] - block_begin[b]),
                         scratch, begins);
    if (cell_order == CellOrder::arrival) return;
    for (std::size_t c = 0; c < Shape::cells; ++c)
      order_by_id(particles.id(), order + begins[c], begins[c + 1] - begins[c], scratch.id);
  });
}

/// target[p] = source[order[p]], elements of a stride known at compile time.
template <std::size_t stride>
void gather(const std::byte* source, const std::uint32_t* order, ParticleIndex n, std::byte* target) {
#pragma omp parallel for schedule(static)
  for (ParticleIndex p = 0; p < n; ++p)
    std::memcpy(target + stride * static_cast<std::size_t>(p), source + stride * static_cast<std::size_t>(order[p]),
                stride);
}

void gather(const std::byte* source, const std::uint32_t* order, ParticleIndex n, std::size_t stride,
            std::byte* target) {
  switch (stride) {
    case 1:
      return gather<1>(source, order, n, target);
    case 4:
      return gather<4>(source, order, n, target);
    case 8:
      return gather<8>(source, order, n, target);
    case 12:
      return gather<12>(source, order, n, target);
    case 24:
      return gather<24>(source, order, n, target);
    default:
      break;
  }
#pragma omp parallel for schedule(static)
  for (ParticleIndex p = 0; p < n; ++p)
    std::memcpy(target + stride * static_cast<std::size_t>(p), source + stride * static_cast<std::size_t>(order[p]),
                stride);
}

/// Bring one attribute into the new order, by way of the buffer of its stride.
void permute(Attribute& attribute, ParticleIndex n, SortWorkspace& workspace) {
  auto buffer = std::find_if(workspace.buffers.begin(), workspace.buffers.end(),
                             [&](const SortWorkspace::Buffer& b) { return b.stride == attribute.stride; });
  if (buffer == workspace.buffers.end())
    buffer = workspace.buffers.insert(buffer, SortWorkspace::Buffer{attribute.stride, {}});
  if (buffer->values.capacity() < attribute.values.capacity()) {
    buffer->values.clear();
    buffer->values.reserve(attribute.values.capacity());
  }
  buffer->values.resize(attribute.values.size());
  gather(attribute.values.data(), workspace.order.data(), n, attribute.stride, buffer->values.data());
  attribute.values.swap(buffer->values);
}

}  // namespace

void sort_particles(ParticleStore& particles, const BlockLayout& layout, CellOrder order, SortWorkspace& workspace) {
  FRESHET_EXPECT(particles.home().size() == static_cast<std::size_t>(particles.size()));
  FRESHET_EXPECT(particles.size() <= ParticleIndex{std::numeric_limits<std::uint32_t>::max()});
  const LocalIndex n_blocks = layout.n_owned();
  const int n_chunks = n_thread_chunks();
  if (workspace.order.capacity() < static_cast<std::size_t>(particles.capacity())) {
    workspace.order.clear();
    workspace.order.reserve(static_cast<std::size_t>(particles.capacity()));
  }
  workspace.order.resize(static_cast<std::size_t>(particles.size()));
  find_blocks(particles, layout, workspace.block_of_home);
  place_chunks(particles, n_blocks, n_chunks, workspace);
  order_by_block(particles, n_blocks, n_chunks, workspace);
  with_shape(layout.domain().dimension(),
             [&](auto shape) { order_blocks<decltype(shape)>(particles, n_blocks, order, workspace); });
  for (Attribute& attribute : particles.attributes()) permute(attribute, particles.size(), workspace);
  particles.home().clear();
}

}  // namespace freshet
