// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/surface_relaxation.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/transfer/trilinear.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

constexpr float near_surface = 1.4F;  ///< bound of |phi| in cells whose particles change [cells]

template <class Shape>
void relax_block(const FaceField<double>& velocity, const float* phi, LocalIndex b, double share,
                 ParticleStore& particles) {
  const ParticleIndex begin = particles.block_begin()[b];
  const ParticleIndex end = particles.block_begin()[b + 1];
  const auto counts = [](float distance) { return std::abs(distance) < near_surface; };
  if (begin == end || std::none_of(phi, phi + Shape::cells, counts)) return;
  const FaceTile<double, Shape, 1> values(velocity, b);
  const PaddedVelocity<Shape> field(values);
  for (ParticleIndex p = begin; p < end; ++p) {
    const ParticleReal* x = particles.position() + 3 * p;
    const int k = Shape::dim == 3 ? static_cast<int>(x[2]) : 0;
    if (!counts(phi[Shape::cell(static_cast<int>(x[0]), static_cast<int>(x[1]), k)])) continue;
    const Double4 u = field.at(Double4{x[0], x[1], x[2], 0.0});
    ParticleReal* u_p = particles.velocity() + 3 * p;
    for (int d = 0; d < Shape::dim; ++d) u_p[d] = static_cast<ParticleReal>(u[d] + share * (u_p[d] - u[d]));
  }
}

}  // namespace

void relax_at_surface(const FaceField<double>& velocity, const CellField<float>& phi, double share,
                      ParticleStore& particles) {
  const BlockLayout& layout = phi.layout();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      relax_block<decltype(shape)>(velocity, phi.block(b), b, share, particles);
    });
  });
}

}  // namespace freshet
