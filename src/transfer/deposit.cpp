// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/deposit.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/real_lanes.hpp"
#include "freshet/grid/inner_first.hpp"
#include "freshet/particles/particle_arrays.hpp"
#include "rim_pool.hpp"
#include "splat.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

/// Names: m is the sum of weights, mu the sum of weights times velocity (momentum), of one component at a face.
///
/// What limits the deposit: in full blocks splat(); in spray, with few particles a block, the memory of the fields'
/// rows and of the neighbours' rims, which is prefetched one component ahead.
namespace freshet {

struct Deposit::Buffers {
  explicit Buffers(std::shared_ptr<ScratchMemory> memory) : rims(std::move(memory)) {}
  RimPool rims;
  std::vector<std::array<std::uint64_t, 3>> own_rows;  ///< by owned block and component: rows with own sums
};

namespace {

/// Eight adjacent nodes, as a vector of momenta and one of weights.
struct EightNodes {
  Double8 momentum, weight;

  [[gnu::always_inline]] explicit EightNodes(const Double2* node) {
    Double8 low, high;
    std::memcpy(&low, node, sizeof low);
    std::memcpy(&high, node + block_width / 2, sizeof high);
    momentum = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
    weight = __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
  }
};

/// Copy the sums at the block's own faces to the fields, as momentum and weight.
/// \return the rows that were copied, bit j + 8 k; others are left as they are and count as zero
template <class Shape>
std::uint64_t store_block(const SplatSums<Shape>& sums, int d, double* mu, double* m) {
  static_assert(Shape::nx == block_width);
  std::uint64_t defined = 0;
  for (int k = 0; k < Shape::nz; ++k) {
    const unsigned rows = sums.touched_rows(d, k);
    defined |= std::uint64_t{rows} << Shape::ny * k;
    for (unsigned left = rows; left != 0; left &= left - 1) {
      const int j = std::countr_zero(left);
      const EightNodes nodes(&sums.node[d][SplatSums<Shape>::at(0, j, k)]);
      std::memcpy(mu + Shape::cell(0, j, k), &nodes.momentum, sizeof nodes.momentum);
      std::memcpy(m + Shape::cell(0, j, k), &nodes.weight, sizeof nodes.weight);
    }
  }
  return defined;
}

/// Copy the sums at the faces around the block to the pool. \return the rows that may differ from zero
template <class Shape>
std::uint64_t store_rim(const SplatSums<Shape>& sums, int d, ParticleReal* target) {
  std::uint64_t defined = 0;
  std::uint64_t bit = 1;
  for (const RimRow& row : rim_rows<Shape>[d].row) {
    const unsigned nodes = defined_nodes(sums, d, row);
    const Double2* source = sums.node[d] + row.source;
    if (nodes != 0) defined |= bit;
    if (row.axis == 0 && nodes != 0) {
      const EightNodes eight(source);
      freshet::store(eight.momentum, target);
      freshet::store(eight.weight, target + block_width);
    } else if (nodes != 0) {
      std::fill_n(target, rim_row_size, ParticleReal(0));
      for (unsigned left = nodes; left != 0; left &= left - 1) {
        const int n = std::countr_zero(left);
        const Double2 node = source[n * row.source_stride];
        target[n] = static_cast<ParticleReal>(node[0]);
        target[block_width + n] = static_cast<ParticleReal>(node[1]);
      }
    }
    target += rim_row_size;
    bit <<= 1;
  }
  return defined;
}

/// Add eight numbers to a row, or write them if the row is not defined yet.
[[gnu::always_inline]] inline void add_eight(const ParticleReal* source, bool is_defined, double* target) {
  Double8 sum = load<Double8>(source);
  if (is_defined) {
    Double8 before;
    std::memcpy(&before, target, sizeof before);
    sum += before;
  }
  std::memcpy(target, &sum, sizeof sum);
}

void clear_rows(std::uint64_t rows, double* field) {
  for (; rows != 0; rows &= rows - 1) std::fill_n(field + block_width * std::countr_zero(rows), block_width, 0.0);
}

/// The defined rows of component d that lie in the neighbour in direction t.
template <class Shape>
std::uint64_t rows_toward(std::uint64_t defined, int d, int t) {
  const RimRows<Shape>& rim = rim_rows<Shape>[d];
  return defined & ((std::uint64_t{1} << rim.begin[t + 1]) - (std::uint64_t{1} << rim.begin[t]));
}

/// Prefetch the memory that sum_block() will read.
template <class Shape>
void prefetch_sums(const BlockLayout& layout, LocalIndex b, std::uint64_t own, int d, RimPool& rims, const double* mu,
                   const double* m) {
  for (std::uint64_t left = own; left != 0; left &= left - 1) {
    const int row = Shape::nx * std::countr_zero(left);
    __builtin_prefetch(mu + row, 1);
    __builtin_prefetch(m + row, 1);
  }
  for (int t = 0; t < n_directions; ++t) {
    const LocalIndex neighbour = layout.neighbours(b)[t];
    if (t == self_direction || neighbour == layout.background()) continue;
    const ParticleReal* rows = rims.rows<Shape>(neighbour, d);
    for (std::uint64_t left = rows_toward<Shape>(rims.defined<Shape>(neighbour, d), d, n_directions - 1 - t); left != 0;
         left &= left - 1)
      __builtin_prefetch(rows + std::countr_zero(left) * rim_row_size);
  }
}

/// Add a neighbour's defined rim rows that lie in this block; t is the direction from the neighbour to the block.
/// \param[in,out] reached  rows of the block that are defined
template <class Shape>
void add_rim(const ParticleReal* rows, std::uint64_t defined, int d, int t, double* mu, double* m,
             std::uint64_t& reached) {
  const RimRows<Shape>& rim = rim_rows<Shape>[d];
  for (std::uint64_t left = rows_toward<Shape>(defined, d, t); left != 0; left &= left - 1) {
    const int r = std::countr_zero(left);
    const RimRow& row = rim.row[r];
    const ParticleReal* source = rows + static_cast<std::ptrdiff_t>(r) * rim_row_size;
    const std::uint64_t fresh = row.cells & ~reached;
    if (row.axis == 0) {
      add_eight(source, fresh == 0, mu + row.cell);
      add_eight(source + block_width, fresh == 0, m + row.cell);
    } else {
      clear_rows(fresh, mu);
      clear_rows(fresh, m);
      for (int n = 0; n < row.n; ++n) {
        mu[row.cell + n * row.cell_stride] += source[n];
        m[row.cell + n * row.cell_stride] += source[block_width + n];
      }
    }
    reached |= row.cells;
  }
}

/// Call f.template operator()<kernel>() with the kernel as a constant of the compiler.
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
/// \return for each component the block's own rows that have sums
template <DepositKernel kernel, class Shape>
std::array<std::uint64_t, 3> splat_block(const SplatSource& all, ParticleIndex begin, ParticleIndex n, LocalIndex b,
                                         RimPool& rims, FaceField<double>& velocity, FaceField<double>& weight) {
  std::array<std::uint64_t, 3> rows{};
  if (n == 0) return rows;
  const bool has_rows = kernel == DepositKernel::affine;
  const SplatSource source{all.x + 3 * begin, all.u + 3 * begin, has_rows ? all.affine + affine_width * begin : nullptr,
                           all.dx};
  SplatSums<Shape> sums;
  splat<kernel>(source, n, sums);
  for (int d = 0; d < Shape::dim; ++d) {
    rows[static_cast<std::size_t>(d)] = store_block(sums, d, velocity[d].block(b), weight[d].block(b));
    rims.set_defined<Shape>(b, d, store_rim(sums, d, rims.rows<Shape>(b, d)));
  }
  return rows;
}

/// Divide a row of eight momenta by their weights; 0 where there is no weight.
void divide(double* mu, const double* m) {
  static_assert(block_width == 8);
  Double8 momentum, weight;
  std::memcpy(&momentum, mu, sizeof momentum);
  std::memcpy(&weight, m, sizeof weight);
  const auto any = weight > 0.0;
  const Double8 mean = momentum / (any ? weight : Double8{} + 1.0);
  const Double8 result = any ? mean : Double8{};
  std::memcpy(mu, &result, sizeof result);
}

/// Finish component d of one block: add own sums and neighbours' sums in order of direction, then divide by the weight.
/// \param[in] own  rows that have own sums; the others are not defined
template <class Shape>
void sum_block(const BlockLayout& layout, LocalIndex b, std::uint64_t own, int d, RimPool& rims, WeightUse use,
               double* mu, double* m) {
  constexpr std::uint64_t every = Shape::rows == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << Shape::rows % 64) - 1;
  std::uint64_t reached = own;
  for (int t = 0; t < n_directions; ++t) {
    const LocalIndex neighbour = layout.neighbours(b)[t];
    if (t == self_direction || neighbour == layout.background()) continue;
    add_rim<Shape>(rims.rows<Shape>(neighbour, d), rims.defined<Shape>(neighbour, d), d, n_directions - 1 - t, mu, m,
                   reached);
  }
  clear_rows(~reached & every, mu);
  if (use == WeightUse::kept) clear_rows(~reached & every, m);
  for (; reached != 0; reached &= reached - 1) {
    const int row = Shape::nx * std::countr_zero(reached);
    divide(mu + row, m + row);
  }
}

}  // namespace

Deposit::Deposit(std::shared_ptr<ScratchMemory> memory) : buffers_(std::make_unique<Buffers>(std::move(memory))) {}
Deposit::~Deposit() = default;

void Deposit::operator()(const ParticleStore& particles, const BlockLayout& layout, FaceField<double>& velocity,
                         FaceField<double>& weight, DepositKernel kernel, WeightUse use, const GhostRequest* rider) {
  FRESHET_EXPECT(velocity[0].is_bound_to(layout) && weight[0].is_bound_to(layout));
  FRESHET_EXPECT(particles.block_begin().size() == static_cast<std::size_t>(layout.n_owned()) + 1);
  RimPool& rims = buffers_->rims;
  auto& own_rows = buffers_->own_rows;
  own_rows.resize(static_cast<std::size_t>(layout.n_owned()));
  const SplatSource source{particles.position(), particles.velocity(),
                           kernel == DepositKernel::affine ? affine_rows(particles) : nullptr, layout.domain().dx()};
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    rims.bind<Shape>(layout);
    const auto splat_all = [&](std::span<const LocalIndex> blocks) {
      with_kernel(kernel, [&]<DepositKernel static_kernel>() {
        parallel_for_listed(blocks, [&](LocalIndex b) {
          const ParticleIndex begin = particles.block_begin()[b];
          own_rows[static_cast<std::size_t>(b)] = splat_block<static_kernel, Shape>(
              source, begin, particles.block_begin()[b + 1] - begin, b, rims, velocity, weight);
        });
      });
    };
    const auto sum_all = [&](std::span<const LocalIndex> blocks) {
      parallel_for_listed(blocks, [&](LocalIndex b) {
        const auto& own = own_rows[static_cast<std::size_t>(b)];
        for (int d = -1; d < Shape::dim; ++d) {
          if (d + 1 < Shape::dim)
            prefetch_sums<Shape>(layout, b, own[static_cast<std::size_t>(d + 1)], d + 1, rims, velocity[d + 1].block(b),
                                 weight[d + 1].block(b));
          if (d >= 0)
            sum_block<Shape>(layout, b, own[static_cast<std::size_t>(d)], d, rims, use, velocity[d].block(b),
                             weight[d].block(b));
        }
      });
    };
    for (const LocalIndex b : layout.outer_blocks()) rims.clear<Shape>(b);
    splat_all(layout.outer_blocks());
    rims.begin_gather(rider);
    splat_all(layout.inner_blocks());
    sum_all(layout.inner_blocks());
    rims.end_gather(rider);
    sum_all(layout.outer_blocks());
  });
}

}  // namespace freshet
