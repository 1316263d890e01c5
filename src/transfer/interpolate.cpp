// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/interpolate.hpp"

#include "freshet/grid/domain_faces.hpp"
#include "freshet/particles/particle_arrays.hpp"
#include "freshet/transfer/trilinear.hpp"
#include "freshet/transfer/velocity_tile.hpp"
#include "sample_tile.hpp"

#include <algorithm>

namespace freshet {
namespace {

constexpr int pad = 1;  ///< one layer is enough: particles lie in their block
constexpr int max_batch = 32;

using Triple = LaneTriple<ParticleReal>;
constexpr int width = n_lanes<ParticleReal>;

/// u_p <- blended(first, u_p, x_p) for vectors of particles; `first` is the index of a vector's first particle.
template <class Blended>
void blend_block(const ParticleReal* x, ParticleReal* u, ParticleIndex n, Blended blended) {
  using Real = ParticleReal;
  for (ParticleIndex p = 0; p < n; p += width) {
    const int n_here = static_cast<int>(std::min<ParticleIndex>(width, n - p));
    const bool all = n_here == width;
    const Triple u_p = all ? load_triples<Real>(u + 3 * p) : load_last_triples<Real>(u + 3 * p, n_here);
    const Triple x_p = all ? load_triples<Real>(x + 3 * p) : load_last_triples<Real>(x + 3 * p, n_here);
    const Triple result = blended(p, u_p, x_p);
    if (all) {
      store_triples(result, u + 3 * p);
    } else {
      store_last_triples(result, u + 3 * p, n_here);
    }
  }
}

/// Pointers to the particles of one block.
struct BlockParticles {
  const ParticleReal* x;
  ParticleReal* u;
  const std::uint8_t* tag;
  ParticleIndex n;
};

BlockParticles particles_of(ParticleStore& particles, LocalIndex b) {
  const ParticleIndex begin = particles.block_begin()[b];
  return {particles.position() + 3 * begin, particles.velocity() + 3 * begin, particles.tag() + begin,
          particles.block_begin()[b + 1] - begin};
}

template <int dimension>
void blend_one_share(const VelocityTile& change, ParticleReal f, const BlockParticles& block) {
  blend_block(block.x, block.u, block.n, [&](ParticleIndex, const Triple& u_p, const Triple& x_p) {
    const Triple sum = sample<dimension>(change, x_p);
    Triple result = u_p;
    for (int d = 0; d < dimension; ++d) result[d] = f * u_p[d] + sum[d];
    return result;
  });
}

template <int dimension>
void blend_many_shares(const VelocityTile& after, const VelocityTile& before, const FlipFractions& fractions,
                       const BlockParticles& block) {
  blend_block(block.x, block.u, block.n, [&](ParticleIndex first, const Triple& u_p, const Triple& x_p) {
    Lanes<ParticleReal> keep{};
    for (int lane = 0; lane < width && first + lane < block.n; ++lane)
      keep[lane] = static_cast<ParticleReal>(fractions(block.tag[first + lane]));
    const Triple sum = sample<dimension>(after, x_p), old = sample<dimension>(before, x_p);
    Triple result = u_p;
    for (int d = 0; d < dimension; ++d) result[d] = keep * (u_p[d] - old[d]) + sum[d];
    return result;
  });
}

/// Whether all particles of a block have the same fraction f. \pre the block has particles
bool is_uniform(const FlipFractions& fractions, const std::uint8_t* tag, ParticleIndex n) {
  return fractions.is_uniform() ||
         std::all_of(tag, tag + n, [&](std::uint8_t t) { return fractions(t) == fractions(tag[0]); });
}

/// Set u_p and c_p of n particles.
template <class Shape>
void gather_affine(const PaddedVelocity<Shape>& velocity, double per_metre, const ParticleReal* x, ParticleIndex n,
                   ParticleReal* u, ParticleReal* rows) {
  LaneBatch<max_batch> x_p, u_p;
  LaneBatch<3 * max_batch> c_p;
  for (ParticleIndex first = 0; first < n; first += max_batch) {
    const int n_batch = static_cast<int>(std::min<ParticleIndex>(max_batch, n - first));
    x_p.load(x + 3 * first, n_batch);
    u_p.load(u + 3 * first, n_batch);
    for (int p = 0; p < n_batch; ++p) {
      const Double4 before = u_p.get(p);
      const Double4 after = velocity.at(x_p.get(p));
      u_p.set(p, Shape::dim == 3 ? after : Double4{after[0], after[1], before[2], 0.0});
      Double4 gradient[3];
      velocity.gradient_at(x_p.get(p), gradient);
      for (int d = 0; d < 3; ++d) c_p.set(3 * p + d, per_metre * gradient[d]);
    }
    u_p.store(u + 3 * first, n_batch);
    c_p.store(rows + affine_width * first, 3 * n_batch);
  }
}

/// Call f(shape, extents, block) for every owned block that has particles, first for the blocks that read no ghosts.
template <class Function>
void for_each_full_block(const BlockLayout& layout, const ParticleStore& particles, const GhostArrival& arrival,
                         Function f) {
  FRESHET_EXPECT(particles.block_begin().size() == static_cast<std::size_t>(layout.n_owned()) + 1);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    const TileExtents<decltype(shape)> extents(pad);
    parallel_for_inner_first(layout, arrival, [&](LocalIndex b) {
      if (particles.block_begin()[b + 1] > particles.block_begin()[b]) f(shape, extents, b);
    });
  });
}

}  // namespace

void blend_velocity(const FaceField<double>& u_new, const FaceField<double>& u_old, const FlipFractions& flip_fractions,
                    ParticleStore& particles, const GhostArrival& arrival) {
  FRESHET_EXPECT(u_old[0].is_bound_to(u_new.layout()));
  for_each_full_block(u_new.layout(), particles, arrival, [&](auto shape, const auto& extents, LocalIndex b) {
    constexpr int dimension = decltype(shape)::dim;
    static thread_local TileMemory memory, memory_old;
    const BlockParticles block = particles_of(particles, b);
    const TileRange range = range_around(block.x, block.n, 0.0, extents);
    if (is_uniform(flip_fractions, block.tag, block.n)) {
      const auto f = static_cast<ParticleReal>(flip_fractions(block.tag[0]));
      blend_one_share<dimension>(tile_around(u_new, u_old, f, b, extents, range, memory), f, block);
    } else {
      blend_many_shares<dimension>(tile_around(u_new, b, extents, range, memory),
                                   tile_around(u_old, b, extents, range, memory_old), flip_fractions, block);
    }
  });
}

void blend_velocity(const FaceField<double>& u_new, const FaceField<double>& u_old, double flip_fraction,
                    ParticleStore& particles) {
  blend_velocity(u_new, u_old, FlipFractions(flip_fraction), particles);
}

void blend_affine(const FaceField<double>& u_new, ParticleStore& particles) {
  const double per_metre = 1.0 / u_new.layout().domain().dx();
  ParticleReal* rows = affine_rows(particles);
  for_each_full_block(u_new.layout(), particles, {}, [&](auto shape, const auto&, LocalIndex b) {
    using Shape = decltype(shape);
    const ParticleIndex begin = particles.block_begin()[b];
    FaceTile<double, Shape, pad> velocity;
    fill_with_sides(u_new, b, velocity);
    gather_affine(PaddedVelocity<Shape>(velocity), per_metre, particles.position() + 3 * begin,
                  particles.block_begin()[b + 1] - begin, particles.velocity() + 3 * begin,
                  rows + affine_width * begin);
  });
}

}  // namespace freshet
