// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/near_blocks.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/kernels/block_bits.hpp"

#include <array>

namespace freshet {
namespace {

/// The cells of a plane of 8 x 8 cells within `band` cells of the next block in a direction (dx, dy).
std::uint64_t side_of_plane(int dx, int dy, int band) {
  std::uint64_t cells = 0;
  const auto is_inside = [band](int at, int step) {
    return step == 0 || (step < 0 ? at < band : at >= block_width - band);
  };
  for (int j = 0; j < block_width; ++j)
    for (int i = 0; i < block_width; ++i)
      if (is_inside(i, dx) && is_inside(j, dy)) cells |= std::uint64_t{1} << (i + block_width * j);
  return cells;
}

/// By (dx + 1) + 3 (dy + 1).
std::array<std::uint64_t, 9> sides_of_plane(int band) {
  std::array<std::uint64_t, 9> sides{};
  for (std::size_t n = 0; n < sides.size(); ++n)
    sides[n] = side_of_plane(static_cast<int>(n) % 3 - 1, static_cast<int>(n) / 3 - 1, band);
  return sides;
}

/// The directions into which the band around a block's particles reaches. \param[in] begin  CellBegins of the block
template <class Shape>
std::uint32_t directions_of_block(const std::uint32_t* begin, int band, const std::array<std::uint64_t, 9>& sides) {
  if (begin[0] == begin[Shape::cells]) return 0;
  std::array<std::uint64_t, 3> layers{};  // cells with particles in the low layers, in all, and in the high ones
  for (int k = 0; k < Shape::nz; ++k) {
    std::uint64_t occupied = 0;
    for (int c = 0; c < 64; ++c)
      occupied |= static_cast<std::uint64_t>(begin[64 * k + c + 1] != begin[64 * k + c]) << c;
    layers[1] |= occupied;
    if (Shape::dim == 3 && k < band) layers[0] |= occupied;
    if (Shape::dim == 3 && k >= Shape::nz - band) layers[2] |= occupied;
  }
  std::uint32_t directions = 0;
  for (int direction = 0; direction < n_directions; ++direction)
    if ((layers[static_cast<std::size_t>(direction / 9)] & sides[static_cast<std::size_t>(direction % 9)]) != 0)
      directions |= std::uint32_t{1} << direction;
  return directions;
}

}  // namespace

void NearBlocks::find(const ParticleStore& particles, const BlockLayout& layout, int band) {
  const auto n_owned = static_cast<std::size_t>(layout.n_owned());
  FRESHET_EXPECT(band >= 0 && band <= block_width);
  if (layout_id_ != layout.id()) {
    layout_id_ = layout.id();
    exchange_ = std::make_unique<BorderExchange>(layout, 1, [](std::uint32_t) { return std::vector<LocalIndex>{0}; });
  }
  reached_.resize(static_cast<std::size_t>(layout.n_blocks()));
  near_.resize(n_owned);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    FRESHET_EXPECT(particles.cell_begin().size() == n_owned * Shape::cells + 1);
    const std::array<std::uint64_t, 9> sides = sides_of_plane(band);
    const std::uint32_t* const begin = particles.cell_begin().data();
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const auto block = static_cast<std::size_t>(b);
      reached_[block] = directions_of_block<Shape>(begin + block * Shape::cells, band, sides);
    });
  });
  const BorderExchange::Array array(reached_.data());
  exchange_->begin(std::span(&array, 1));
  exchange_->end(std::span(&array, 1));
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    const LocalIndex* const neighbours = layout.neighbours(b);
    std::uint32_t is_near = 0;
    for (int direction = 0; direction < n_directions; ++direction)
      if (neighbours[direction] != layout.background())  // the direction from there to here is the opposite one
        is_near |= reached_[static_cast<std::size_t>(neighbours[direction])] >> (n_directions - 1 - direction) & 1U;
    near_[static_cast<std::size_t>(b)] = static_cast<std::uint8_t>(is_near);
  });
}

}  // namespace freshet
