// SPDX-License-Identifier: Apache-2.0
#include "pressure/krylov/dot.hpp"

#include <algorithm>

#pragma GCC diagnostic ignored "-Wpsabi"  // a Row never crosses a call that is not inlined

namespace freshet::pressure {
namespace {

/// Sums over the unknowns of the pairs' products: of one pair in four interleaved sums a block, so that four additions
/// are always under way.
template <std::size_t n_pairs>
std::array<ExactSum, n_pairs> local_dots(const std::array<std::array<const double*, 2>, n_pairs>& pairs,
                                         const Unknowns& unknowns) {
  constexpr int n_chains = 4 / n_pairs;
  std::array<ExactSum, n_pairs> all;
  const int n_rows = unknowns.rows();
  const auto add_block = [&](LocalIndex n, std::array<ExactSum, n_pairs>& own) {
    const LocalIndex block = unknowns.active_blocks()[n];
    const std::size_t begin = static_cast<std::size_t>(block) * static_cast<std::size_t>(n_rows * block_width);
    Row sums[n_pairs][n_chains] = {};
    for_each_set_row(unknowns.active_rows(block), n_rows, [&](int r) {
      const std::size_t row = begin + static_cast<std::size_t>(block_width * r);
      for (std::size_t p = 0; p < n_pairs; ++p)
        sums[p][r % n_chains] += load(pairs[p][0] + row) * load(pairs[p][1] + row);
    });
    for (std::size_t p = 0; p < n_pairs; ++p) {
      for (int chain = 1; chain < n_chains; ++chain) sums[p][0] += sums[p][chain];
      own[p].add(sum_lanes(sums[p][0]));
    }
  };
  const LocalIndex n_active = unknowns.n_active();
  if (!unknowns.is_worth_threads()) {
    for (LocalIndex n = 0; n < n_active; ++n) add_block(n, all);
    return all;
  }
#pragma omp parallel
  {
    std::array<ExactSum, n_pairs> own;
#pragma omp for schedule(static) nowait
    for (LocalIndex n = 0; n < n_active; ++n) add_block(n, own);
#pragma omp critical(freshet_local_dots)
    for (std::size_t p = 0; p < n_pairs; ++p) all[p].add(own[p]);
  }
  return all;
}

}  // namespace

ExactSum local_dot(const double* x, const double* y, const Unknowns& unknowns) {
  return local_dots<1>({{{x, y}}}, unknowns)[0];
}

std::array<ExactSum, 4> local_dots_of_step(const double* p, const double* w, const double* r,
                                           const Unknowns& unknowns) {
  return local_dots<4>({{{p, w}, {r, w}, {w, w}, {r, r}}}, unknowns);
}

double local_max_magnitude(const double* x, const Unknowns& unknowns) {
  const auto n_cells = static_cast<std::size_t>(unknowns.rows() * block_width);
  double worst = 0.0;
#pragma omp parallel for schedule(static) reduction(max : worst) if (unknowns.is_worth_threads())
  for (LocalIndex n = 0; n < unknowns.n_active(); ++n) {
    const LocalIndex block = unknowns.active_blocks()[n];
    const double* values = x + static_cast<std::size_t>(block) * n_cells;
    Row largest{};
    for_each_set_row(unknowns.active_rows(block), unknowns.rows(),
                     [&](int r) { largest = larger_magnitudes(largest, load(values + block_width * r)); });
    worst = std::max(worst, largest_lane(largest));
  }
  return worst;
}

}  // namespace freshet::pressure
