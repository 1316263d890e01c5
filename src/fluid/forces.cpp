// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/forces.hpp"

namespace freshet {

void Gravity::apply(FaceField<double>& velocity, double /*time*/, double dt) const {
  const BlockLayout& layout = velocity.layout();
  const LocalIndex n_owned = layout.n_owned();
  const int cells = layout.cells_per_block();
  for (int d = 0; d < velocity.dimension(); ++d) {
    const double change = dt * acceleration_[d];
    if (change == 0.0) continue;
#pragma omp parallel for schedule(static)
    for (LocalIndex b = 0; b < n_owned; ++b) {
      double* u = velocity[d].block(b);
      for (int c = 0; c < cells; ++c) u[c] += change;
    }
  }
}

}  // namespace freshet
