// SPDX-License-Identifier: Apache-2.0
#include "freshet/diagnostics/face_energy.hpp"

#include "freshet/core/exact_sum.hpp"

#include <span>

namespace freshet {
namespace {

/// The sum of m (after^2 - before^2) over the faces of a block.
double block_gain(const FaceField<double>& before, const FaceField<double>& after, const FaceField<double>& weight,
                  LocalIndex b) {
  const int cells = before.layout().cells_per_block();
  double sum = 0.0;
  for (int d = 0; d < before.dimension(); ++d) {
    const double* u = before[d].block(b);
    const double* v = after[d].block(b);
    const double* m = weight[d].block(b);
    for (int c = 0; c < cells; ++c) sum += m[c] * (v[c] - u[c]) * (v[c] + u[c]);
  }
  return sum;
}

}  // namespace

double kinetic_energy_gain(const FaceField<double>& before, const FaceField<double>& after,
                           const FaceField<double>& weight, double mass) {
  const BlockLayout& layout = before.layout();
  const LocalIndex n_owned = layout.n_owned();
  ExactSum total;
#pragma omp parallel
  {
    ExactSum part;
#pragma omp for schedule(static)
    for (LocalIndex b = 0; b < n_owned; ++b) part.add(block_gain(before, after, weight, b));
#pragma omp critical(freshet_kinetic_energy_gain)
    total.add(part);
  }
  layout.comm().sum_in_place(std::span<ExactSum>(&total, 1));
  return 0.5 * mass * total.round();
}

}  // namespace freshet
