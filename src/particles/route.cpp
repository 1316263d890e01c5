// SPDX-License-Identifier: Apache-2.0
#include "route.hpp"

#include "chunks.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/core/real_lanes.hpp"
#include "freshet/grid/block_shape.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace freshet {
namespace {

/// Routes the particles of one chunk; each thread has a router. Particles that stay are found in lanes; particles that
/// leave their block are routed one by one.
template <class Shape>
class Router {
 public:
  Router(ParticleStore& particles, const BlockLayout& layout, const Splitters& splitters,
         const std::vector<std::uint8_t>& kept)
      : layout_(layout),
        splitters_(splitters),
        kept_(kept),
        block_begin_(particles.block_begin()),
        position_(particles.position()),
        home_(particles.home().data()),
        cells_(layout.domain().cells()),
        whole_blocks_(cells_.cwiseQuotient(layout.domain().block_cells())) {}

  void run(ParticleIndex begin, ParticleIndex end) {
    const auto after = std::upper_bound(block_begin_.begin(), block_begin_.end(), begin);
    auto b = static_cast<LocalIndex>(after - block_begin_.begin()) - 1;
    for (; b < layout_.n_owned() && block_begin_[b] < end; ++b)
      run_block(b, std::max(begin, block_begin_[b]), std::min(end, block_begin_[b + 1]));
  }

  const Routes& routes() const { return routes_; }

 private:
  void run_block(LocalIndex b, ParticleIndex begin, ParticleIndex end) {
    const Vec3i block = layout_.block_coords(b);
    // A particle inside the limits stays, unless its block moves to another rank.
    ParticleReal limit[3] = {1, 1, 1};  // in 2-D z is 0.5
    for (int d = 0; d < Shape::dim; ++d)
      limit[d] = kept_[b] != 0
                     ? static_cast<ParticleReal>(std::clamp(cells_[d] - Shape::n(d) * block[d], 0, Shape::n(d)))
                     : ParticleReal{0};
    std::fill(home_ + begin, home_ + end, b);
    constexpr int width = n_lanes<ParticleReal>;
    ParticleReal limits[3 * width];
    for (int n = 0; n < 3 * width; ++n) limits[n] = limit[n % 3];
    ParticleIndex p = begin;
    for (; p + width <= end; p += width)
      for (std::uint64_t out = outside(position_ + 3 * p, limits); out != 0;) {
        const int particle = std::countr_zero(out) / 3;
        out &= ~(std::uint64_t{7} << (3 * particle));
        move(p + particle, b, block);
      }
    for (; p < end; ++p) {
      const ParticleReal* const x = position_ + 3 * p;
      bool stays = true;
      for (int d = 0; d < 3; ++d) stays = stays && x[d] >= 0 && x[d] < limit[d];
      if (!stays) move(p, b, block);
    }
  }

  /// For the coordinates x y z x y z .. of n_lanes particles: bit n is set unless 0 <= x[n] < limits[n].
  [[gnu::always_inline]] static std::uint64_t outside(const ParticleReal* x, const ParticleReal* limits) {
    constexpr int width = n_lanes<ParticleReal>;
    std::uint64_t inside = 0;
    for (int part = 0; part < 3; ++part) {
      const auto number = load<Lanes<ParticleReal>>(x + part * width);
      const auto limit = load<Lanes<ParticleReal>>(limits + part * width);
      const LaneMask<ParticleReal> is_inside = (number >= ParticleReal(0)) & (number < limit);
      inside |= std::uint64_t{lane_bits<ParticleReal>(is_inside)} << (part * width);
    }
    return inside ^ ((std::uint64_t{1} << (3 * width)) - 1);
  }

  void move(ParticleIndex p, LocalIndex b, Vec3i block) {
    Vec3i offset = Vec3i::Zero();
    if (!rebase(position_ + 3 * p, offset)) {
      routes_.lost.push_back(p);
      return remove(p);
    }
    block += offset;
    if (stays_near(b, block, offset, p)) return;
    if (!layout_.domain().wrap_block(block) || !inside_domain(position_ + 3 * p, block)) return remove(p);
    const BlockKey key = morton_key(block);
    const int owner = splitters_.owner(key);
    if (owner != layout_.comm().rank()) {
      routes_.leavers.push_back({p, key, owner});
      routes_.removed.push_back(p);
      return;
    }
    home_[p] = layout_.find_owned(key);
    if (home_[p] == layout_.background()) routes_.new_homes.push_back({p, key});
  }

  /// Rebase x to the block that contains it, `offset` blocks away. \return false if x is NaN or beyond any lattice
  bool rebase(ParticleReal* x, Vec3i& offset) const {
    constexpr auto width = static_cast<ParticleReal>(block_width);
    constexpr ParticleReal widest_lattice = 1 << 21;
    const ParticleReal last = std::nextafter(width, ParticleReal{0});
    for (int d = 0; d < Shape::dim; ++d) {
      ParticleReal blocks = std::floor(x[d] / width);
      if (x[d] < 0) blocks = std::min(blocks, ParticleReal{-1});  // for the smallest numbers the quotient rounds to 0
      if (!(std::abs(blocks) < widest_lattice)) return false;
      offset[d] = static_cast<int>(blocks);
      x[d] = std::min(x[d] - width * blocks, last);  // -1e-9f + 8 rounds to 8
    }
    return true;
  }

  /// The common case: the particle has moved to a neighbour block that this rank keeps, wholly inside the domain.
  bool stays_near(LocalIndex b, const Vec3i& block, const Vec3i& offset, ParticleIndex p) {
    if (offset.cwiseAbs().maxCoeff() > 1) return false;
    if ((block.array() < 0).any() || (block.array() >= whole_blocks_.array()).any()) return false;
    const LocalIndex neighbour = layout_.neighbours(b)[direction_index(offset[0], offset[1], offset[2])];
    if (neighbour >= layout_.n_owned() || kept_[neighbour] == 0) return false;
    home_[p] = neighbour;
    return true;
  }

  bool inside_domain(const ParticleReal* x, const Vec3i& block) const {
    for (int d = 0; d < Shape::dim; ++d)
      if (Shape::n(d) * block[d] + static_cast<int>(x[d]) >= cells_[d]) return false;
    return true;
  }

  void remove(ParticleIndex p) { routes_.removed.push_back(p); }

  const BlockLayout& layout_;
  const Splitters& splitters_;
  const std::vector<std::uint8_t>& kept_;
  const std::vector<ParticleIndex>& block_begin_;
  ParticleReal* position_;
  LocalIndex* home_;
  Vec3i cells_;
  Vec3i whole_blocks_;  ///< blocks below these coordinates have all cells inside the domain
  Routes routes_;
};

/// By owned block: 1 if the block stays on this rank, else 0.
std::vector<std::uint8_t> kept_blocks(const BlockLayout& layout, const Splitters& splitters) {
  std::vector<std::uint8_t> kept(static_cast<std::size_t>(layout.n_owned()), 1);
  if (splitters == layout.splitters()) return kept;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    kept[static_cast<std::size_t>(b)] = splitters.owner(layout.key(b)) == layout.comm().rank() ? 1 : 0;
  return kept;
}

}  // namespace

void Routes::append(const Routes& later) {
  leavers.insert(leavers.end(), later.leavers.begin(), later.leavers.end());
  new_homes.insert(new_homes.end(), later.new_homes.begin(), later.new_homes.end());
  removed.insert(removed.end(), later.removed.begin(), later.removed.end());
  lost.insert(lost.end(), later.lost.begin(), later.lost.end());
}

Routes route_particles(ParticleStore& particles, const BlockLayout& layout, const Splitters& splitters) {
  FRESHET_EXPECT(particles.block_begin().size() == static_cast<std::size_t>(layout.n_owned()) + 1);
  particles.home().resize(static_cast<std::size_t>(particles.size()));
  const std::vector<std::uint8_t> kept = kept_blocks(layout, splitters);
  const int n_chunks = n_thread_chunks();
  std::vector<Routes> of_chunk(static_cast<std::size_t>(n_chunks));
  with_shape(layout.domain().dimension(), [&](auto shape) {
    parallel_chunks(particles.size(), n_chunks, [&](int chunk, ParticleIndex begin, ParticleIndex end) {
      Router<decltype(shape)> router(particles, layout, splitters, kept);
      router.run(begin, end);
      of_chunk[static_cast<std::size_t>(chunk)] = router.routes();
    });
  });
  Routes routes;
  for (const Routes& later : of_chunk) routes.append(later);
  return routes;
}

}  // namespace freshet
