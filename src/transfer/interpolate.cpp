// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/interpolate.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/particles/particle_arrays.hpp"
#include "freshet/transfer/trilinear.hpp"

#include <algorithm>

namespace freshet {
namespace {

constexpr int pad = 1;  ///< particles lie in their block
constexpr int max_batch = 32;

/// A face field around one block, components one after the other: a thread's scratch memory.
template <class Shape>
struct Padded {
  static constexpr int size =
      (Shape::nx + 2 * pad) * (Shape::ny + 2 * pad) * (Shape::dim == 3 ? Shape::nz + 2 * pad : 1);
  double value[Shape::dim * size];

  PaddedVelocity<Shape> velocity(const PaddedExtents<Shape>& extents) const { return {extents, value}; }
};

/// Fill it with u around block b.
template <class Shape>
void fill(const FaceField<double>& u, LocalIndex b, const PaddedExtents<Shape>& extents, Padded<Shape>& padded) {
  const BlockLayout& layout = u.layout();
  for (int d = 0; d < Shape::dim; ++d) {
    double* value = padded.value + d * Padded<Shape>::size;
    fill_padded(u[d], b, extents, value);
    if (layout.touches_boundary(b)) apply_domain_faces(layout.domain(), layout.first_cell(b), d, extents, value);
  }
}

/// Fill it with u_new - f u_old around block b.
template <class Shape>
void fill_combined(const FaceField<double>& u_new, const FaceField<double>& u_old, double f, LocalIndex b,
                   const PaddedExtents<Shape>& extents, Padded<Shape>& combined) {
  const BlockLayout& layout = u_new.layout();
  double old_value[Padded<Shape>::size];
  for (int d = 0; d < Shape::dim; ++d) {
    double* value = combined.value + d * Padded<Shape>::size;
    fill_padded(u_new[d], b, extents, value);
    fill_padded(u_old[d], b, extents, old_value);
    for (int n = 0; n < Padded<Shape>::size; ++n) value[n] -= f * old_value[n];
    if (layout.touches_boundary(b)) apply_domain_faces(layout.domain(), layout.first_cell(b), d, extents, value);
  }
}

/// The factor f in the lanes of all axes; 1 along z in 2-D, so that u_z does not change.
template <class Shape>
Double4 lanes_of(double f) {
  return Double4{f, f, Shape::dim == 3 ? f : 1.0, 0.0};
}

/// u_p <- blended(p, u_p, x_p) for n particles.
template <class Blended>
void blend_block(const ParticleReal* x, ParticleReal* u, ParticleIndex n, Blended blended) {
  LaneBatch<max_batch> x_p, u_p, result;
  for (ParticleIndex first = 0; first < n; first += max_batch) {
    const int n_batch = static_cast<int>(std::min<ParticleIndex>(max_batch, n - first));
    x_p.load(x + 3 * first, n_batch);
    u_p.load(u + 3 * first, n_batch);
    for (int p = 0; p < n_batch; ++p) result.set(p, blended(first + p, u_p.get(p), x_p.get(p)));
    result.store(u + 3 * first, n_batch);
  }
}

template <class Shape>
void blend_one_share(const FaceField<double>& u_new, const FaceField<double>& u_old, double f, LocalIndex b,
                     const PaddedExtents<Shape>& extents, ParticleStore& particles) {
  const ParticleIndex begin = particles.block_begin()[b];
  const ParticleIndex n = particles.block_begin()[b + 1] - begin;
  Padded<Shape> combined;
  fill_combined(u_new, u_old, f, b, extents, combined);
  const PaddedVelocity<Shape> change = combined.velocity(extents);
  const Double4 keep = lanes_of<Shape>(f);
  blend_block(particles.position() + 3 * begin, particles.velocity() + 3 * begin, n,
              [&](ParticleIndex, const Double4& u_p, const Double4& x_p) { return keep * u_p + change.at(x_p); });
}

template <class Shape>
void blend_many_shares(const FaceField<double>& u_new, const FaceField<double>& u_old, const FlipFractions& fractions,
                       LocalIndex b, const PaddedExtents<Shape>& extents, ParticleStore& particles) {
  const ParticleIndex begin = particles.block_begin()[b];
  const ParticleIndex n = particles.block_begin()[b + 1] - begin;
  const std::uint8_t* tag = particles.tag() + begin;
  Padded<Shape> padded_new, padded_old;
  fill(u_new, b, extents, padded_new);
  fill(u_old, b, extents, padded_old);
  const PaddedVelocity<Shape> after = padded_new.velocity(extents);
  const PaddedVelocity<Shape> before = padded_old.velocity(extents);
  blend_block(particles.position() + 3 * begin, particles.velocity() + 3 * begin, n,
              [&](ParticleIndex p, const Double4& u_p, const Double4& x_p) {
                return lanes_of<Shape>(fractions(tag[p])) * (u_p - before.at(x_p)) + after.at(x_p);
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

/// Call f(shape, extents, block) for every owned block that has particles.
template <class Function>
void for_each_full_block(const BlockLayout& layout, const ParticleStore& particles, Function f) {
  FRESHET_EXPECT(particles.block_begin().size() == static_cast<std::size_t>(layout.n_owned()) + 1);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    const PaddedExtents<decltype(shape)> extents(pad);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      if (particles.block_begin()[b + 1] > particles.block_begin()[b]) f(shape, extents, b);
    });
  });
}

}  // namespace

void blend_velocity(const FaceField<double>& u_new, const FaceField<double>& u_old, const FlipFractions& flip_fractions,
                    ParticleStore& particles) {
  FRESHET_EXPECT(u_old[0].is_bound_to(u_new.layout()));
  for_each_full_block(u_new.layout(), particles, [&](auto shape, const auto& extents, LocalIndex b) {
    using Shape = decltype(shape);
    const ParticleIndex begin = particles.block_begin()[b];
    const std::uint8_t* tag = particles.tag() + begin;
    if (is_uniform(flip_fractions, tag, particles.block_begin()[b + 1] - begin)) {
      blend_one_share<Shape>(u_new, u_old, flip_fractions(tag[0]), b, extents, particles);
    } else {
      blend_many_shares<Shape>(u_new, u_old, flip_fractions, b, extents, particles);
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
  for_each_full_block(u_new.layout(), particles, [&](auto shape, const auto& extents, LocalIndex b) {
    using Shape = decltype(shape);
    const ParticleIndex begin = particles.block_begin()[b];
    Padded<Shape> padded;
    fill(u_new, b, extents, padded);
    gather_affine(padded.velocity(extents), per_metre, particles.position() + 3 * begin,
                  particles.block_begin()[b + 1] - begin, particles.velocity() + 3 * begin,
                  rows + affine_width * begin);
  });
}

}  // namespace freshet
