// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/interpolate.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/transfer/trilinear.hpp"

#include <algorithm>

namespace freshet {
namespace {

constexpr int pad = 1;  ///< particles stand in their block
constexpr int max_batch = 32;

/// u_new - f u_old around one block, components one after the other; what a thread works in.
template <class Shape>
struct Combined {
  static constexpr int size =
      (Shape::nx + 2 * pad) * (Shape::ny + 2 * pad) * (Shape::dim == 3 ? Shape::nz + 2 * pad : 1);
  double value[Shape::dim * size];
  double old_value[size];
};

template <class Shape>
void combine(const FaceField<double>& u_new, const FaceField<double>& u_old, double f, LocalIndex b,
             const PaddedExtents<Shape>& extents, Combined<Shape>& combined) {
  const BlockLayout& layout = u_new.layout();
  for (int d = 0; d < Shape::dim; ++d) {
    double* value = combined.value + d * Combined<Shape>::size;
    fill_padded(u_new[d], b, extents, value);
    fill_padded(u_old[d], b, extents, combined.old_value);
    for (int n = 0; n < Combined<Shape>::size; ++n) value[n] -= f * combined.old_value[n];
    if (layout.touches_boundary(b)) apply_domain_faces(layout.domain(), layout.first_cell(b), d, extents, value);
  }
}

template <class Shape>
void blend_block(const PaddedVelocity<Shape>& combined, double f, const ParticleReal* x, ParticleReal* u,
                 ParticleIndex n) {
  const Double4 keep{f, f, Shape::dim == 3 ? f : 1.0, 0.0};
  LaneBatch<max_batch> x_p, u_p, blended;
  for (ParticleIndex first = 0; first < n; first += max_batch) {
    const int n_batch = static_cast<int>(std::min<ParticleIndex>(max_batch, n - first));
    x_p.load(x + 3 * first, n_batch);
    u_p.load(u + 3 * first, n_batch);
    for (int p = 0; p < n_batch; ++p) blended.set(p, keep * u_p.get(p) + combined.at(x_p.get(p)));
    blended.store(u + 3 * first, n_batch);
  }
}

}  // namespace

void blend_velocity(const FaceField<double>& u_new, const FaceField<double>& u_old, double flip_fraction,
                    ParticleStore& particles) {
  const BlockLayout& layout = u_new.layout();
  FRESHET_EXPECT(u_old[0].is_bound_to(layout));
  FRESHET_EXPECT(particles.block_begin().size() == static_cast<std::size_t>(layout.n_owned()) + 1);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const PaddedExtents<Shape> extents(pad);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const ParticleIndex begin = particles.block_begin()[b];
      const ParticleIndex n = particles.block_begin()[b + 1] - begin;
      if (n == 0) return;
      Combined<Shape> combined;
      combine(u_new, u_old, flip_fraction, b, extents, combined);
      blend_block(PaddedVelocity<Shape>(extents, combined.value), flip_fraction, particles.position() + 3 * begin,
                  particles.velocity() + 3 * begin, n);
    });
  });
}

}  // namespace freshet
