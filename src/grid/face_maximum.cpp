// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/face_maximum.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {

double largest_face_velocity(const FaceField<double>& velocity) {
  const BlockLayout& layout = velocity.layout();
  const auto n = static_cast<std::int64_t>(layout.n_owned()) * layout.cells_per_block();
  double largest = 0.0;
  for (int d = 0; d < velocity.dimension(); ++d) {
    const double* u = velocity[d].data();
#pragma omp parallel for simd schedule(static) reduction(max : largest)
    for (std::int64_t f = 0; f < n; ++f) largest = std::max(largest, std::abs(u[f]));
  }
  return layout.comm().max(largest);
}

}  // namespace freshet
