// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/gauges/gauge_parameters.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/domain_sides.hpp"
#include "freshet/grid/layout.hpp"

#include <array>
#include <optional>

namespace freshet {

/// The box that a block fills. [m]
inline Box block_box(const BlockLayout& layout, LocalIndex block) {
  const Domain& domain = layout.domain();
  const Vec3 low = domain.origin() + domain.dx() * layout.first_cell(block).cast<double>();
  return {low, low + domain.dx() * domain.block_cells().cast<double>()};
}

inline bool overlap(const Box& a, const Box& b) {
  return (a.lower.array() <= b.upper.array()).all() && (b.lower.array() <= a.upper.array()).all();
}

/// The box of a gauge. Corners that lie beyond a side of the domain by side_tolerance or less are moved onto it. In 2-D
/// a box without thickness becomes as thick as the layer of cells.
inline Box box_of(const Domain& domain, const GaugeParameters& gauge) {
  const Box all = domain.box();
  const double tolerance = side_tolerance * domain.dx();
  Box box{gauge.lower, gauge.upper};
  for (int d = 0; d < 3; ++d)
    for (double* x : {&box.lower[d], &box.upper[d]}) {
      if (*x < all.lower[d] && *x >= all.lower[d] - tolerance) *x = all.lower[d];
      if (*x > all.upper[d] && *x <= all.upper[d] + tolerance) *x = all.upper[d];
    }
  if (domain.dimension() == 2 && box.lower.z() == box.upper.z()) {
    box.lower.z() = all.lower.z();
    box.upper.z() = all.upper.z();
  }
  return box;
}

/// The part of a box inside the domain.
inline Box clipped(const Domain& domain, const Box& box) {
  const Box all = domain.box();
  return {box.lower.cwiseMax(all.lower), box.upper.cwiseMin(all.upper)};
}

inline Vec3 center_of_cell(const BlockLayout& layout, LocalIndex block, int i, int j, int k) {
  const Domain& domain = layout.domain();
  return domain.origin() + domain.dx() * (layout.first_cell(block).cast<double>() + Vec3(i + 0.5, j + 0.5, k + 0.5));
}

/// Add f(block), n numbers or nothing, over all owned blocks without round-off. OpenMP; f must be thread-safe
template <std::size_t n, class Function>
void sum_over_blocks(LocalIndex n_owned, std::array<ExactSum, n>& totals, Function&& f) {
  ThreadShares& shares = share_out(n_owned);
#pragma omp parallel
  {
    std::array<ExactSum, n> parts;
    bool any = false;
    shares.work(omp_get_thread_num(), [&](LocalIndex b) {
      const std::optional<std::array<double, n>> terms = f(b);
      if (!terms) return;
      any = true;
      for (std::size_t m = 0; m < n; ++m) parts[m].add((*terms)[m]);
    });
    if (any) {
#pragma omp critical(freshet_gauge_sums)
      for (std::size_t m = 0; m < n; ++m) totals[m].add(parts[m]);
    }
  }
}

}  // namespace freshet
