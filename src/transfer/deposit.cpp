// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/deposit.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/particles/particle_arrays.hpp"
#include "rim_pool.hpp"
#include "splat.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

/// m: sum of weights, mu: sum of weights times velocity (momentum), both of one component at a face.
namespace freshet {

struct Deposit::Buffers {
  RimPool rims;
};

namespace {

/// Copy the sums at the block's own faces to the fields, as momentum and weight.
template <class Shape>
void store_block(const SplatSums<Shape>& sums, int d, double* mu, double* m) {
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j) {
      const int row = Shape::cell(0, j, k);
      if (!sums.is_touched(d, j, k)) {
        std::fill_n(mu + row, Shape::nx, 0.0);
        std::fill_n(m + row, Shape::nx, 0.0);
        continue;
      }
      const Double2* node = &sums.node[d][SplatSums<Shape>::at(0, j, k)];
      for (int i = 0; i < Shape::nx; ++i) {
        mu[row + i] = node[i][0];
        m[row + i] = node[i][1];
      }
    }
}

/// Copy the sums at the faces around the block to the pool. \return the rows that may differ from zero
template <class Shape>
std::uint64_t store_rim(const SplatSums<Shape>& sums, int d, double* target) {
  std::uint64_t defined = 0;
  std::uint64_t bit = 1;
  for (const RimRow& row : rim_rows<Shape>[d].row) {
    const bool alike = row.step_z == 0 && row.step_bit == 0;  // all nodes stand in one row of the sums
    bool any = false;
    if (!alike || is_touched(sums, d, row, 0))
      for (int n = 0; n < row.n; ++n) {
        const bool touched = alike || is_touched(sums, d, row, n);
        const Double2 node = touched ? sums.node[d][row.source + n * row.source_stride] : Double2{};
        target[n] = node[0];
        target[block_width + n] = node[1];
        any = any || touched;
      }
    if (any) defined |= bit;
    target += rim_row_size;
    bit <<= 1;
  }
  return defined;
}

/// Add the defined rim rows of a neighbour that lie in this block; t is the direction from the neighbour to the block.
/// \return whether there are any
template <class Shape>
bool add_rim(const double* rows, std::uint64_t defined, int d, int t, double* mu, double* m) {
  const RimRows<Shape>& rim = rim_rows<Shape>[d];
  std::uint64_t left = defined >> rim.begin[t] & ((std::uint64_t{1} << (rim.begin[t + 1] - rim.begin[t])) - 1);
  if (left == 0) return false;
  for (; left != 0; left &= left - 1) {
    const int r = rim.begin[t] + std::countr_zero(left);
    const RimRow& row = rim.row[r];
    const double* source = rows + static_cast<std::ptrdiff_t>(r) * rim_row_size;
    for (int n = 0; n < row.n; ++n) {
      mu[row.cell + n * row.cell_stride] += source[n];
      m[row.cell + n * row.cell_stride] += source[block_width + n];
    }
  }
  return true;
}

/// Call f.template operator()<kernel>() with the run-time kernel as a compile-time one.
template <class Function>
void with_kernel(DepositKernel kernel, Function&& f) {
  switch (kernel) {
    case DepositKernel::trilinear:
      return f.template operator()<DepositKernel::trilinear>();
    case DepositKernel::affine:
      return f.template operator()<DepositKernel::affine>();
    case DepositKernel::vortex:
      return f.template operator()<DepositKernel::vortex>();
  }
}

/// Splat the particles of one block. \param[in] all  source of the rank's first particle
template <DepositKernel kernel, class Shape>
void splat_block(const SplatSource& all, ParticleIndex begin, ParticleIndex n, LocalIndex b, RimPool& rims,
                 FaceField<double>& velocity, FaceField<double>& weight) {
  if (n == 0) return;
  const bool has_rows = kernel == DepositKernel::affine;
  const SplatSource source{all.x + 3 * begin, all.u + 3 * begin, has_rows ? all.affine + affine_width * begin : nullptr,
                           all.dx};
  SplatSums<Shape> sums;
  splat<kernel>(source, n, sums);
  for (int d = 0; d < Shape::dim; ++d) {
    store_block(sums, d, velocity[d].block(b), weight[d].block(b));
    rims.defined(b, d) = store_rim(sums, d, rims.rows<Shape>(b, d));
  }
}

/// Finish component d of one block: add own sums and neighbours' sums in order of direction, then divide by the weight.
/// \param[in] has_particles  whether the block has own sums
template <class Shape>
void sum_block(const BlockLayout& layout, LocalIndex b, bool has_particles, int d, RimPool& rims, double* mu,
               double* m) {
  bool reached = has_particles;
  if (!has_particles) {
    std::fill_n(mu, Shape::cells, 0.0);
    std::fill_n(m, Shape::cells, 0.0);
  }
  for (int t = 0; t < n_directions; ++t) {
    const LocalIndex neighbour = layout.neighbours(b)[t];
    if (t == self_direction || neighbour == layout.background()) continue;
    if (add_rim<Shape>(rims.rows<Shape>(neighbour, d), rims.defined(neighbour, d), d, n_directions - 1 - t, mu, m))
      reached = true;
  }
  if (!reached) return;
  for (int c = 0; c < Shape::cells; ++c) mu[c] = m[c] > 0.0 ? mu[c] / m[c] : 0.0;
}

}  // namespace

Deposit::Deposit() : buffers_(std::make_unique<Buffers>()) {}
Deposit::~Deposit() = default;

void Deposit::operator()(const ParticleStore& particles, const BlockLayout& layout, FaceField<double>& velocity,
                         FaceField<double>& weight, DepositKernel kernel) {
  FRESHET_EXPECT(velocity[0].is_bound_to(layout) && weight[0].is_bound_to(layout));
  FRESHET_EXPECT(particles.block_begin().size() == static_cast<std::size_t>(layout.n_owned()) + 1);
  RimPool& rims = buffers_->rims;
  const SplatSource source{particles.position(), particles.velocity(),
                           kernel == DepositKernel::affine ? affine_rows(particles) : nullptr, layout.domain().dx()};
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    rims.bind<Shape>(layout);
    with_kernel(kernel, [&]<DepositKernel static_kernel>() {
      parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
        const ParticleIndex begin = particles.block_begin()[b];
        splat_block<static_kernel, Shape>(source, begin, particles.block_begin()[b + 1] - begin, b, rims, velocity,
                                          weight);
      });
    });
    rims.gather();
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const bool has_particles = particles.block_begin()[b + 1] > particles.block_begin()[b];
      for (int d = 0; d < Shape::dim; ++d)
        sum_block<Shape>(layout, b, has_particles, d, rims, velocity[d].block(b), weight[d].block(b));
    });
  });
}

}  // namespace freshet
