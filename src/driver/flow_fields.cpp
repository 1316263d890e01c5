// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/flow_fields.hpp"

#include "freshet/grid/regrid.hpp"

namespace freshet {

void FlowFields::carry_to(const BlockLayout& next, const std::vector<SolidBody>& bodies, double time) {
  const bool is_bound = velocity.dimension() > 0;
  if (is_bound) {
    transfer_field(pressure, weight[0], next, 0.0);
    for (int d = 0; d < velocity.dimension(); ++d) transfer_field(velocity[d], velocity_old[d], next, 0.0);
  } else {
    pressure.reset(next);
    pressure.fill(0.0);
    velocity.reset(next);
    velocity.fill(0.0);
  }
  solids.reset(next, bodies, time);
  velocity_old.reset(next);
  weight.reset(next);
}

void scale_field(CellField<double>& field, double factor) {
  const LocalIndex n_blocks = field.layout().n_blocks();
  const int cells = field.layout().cells_per_block();
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_blocks; ++b)
    for (int c = 0; c < cells; ++c) field.block(b)[c] *= factor;
}

void add_field(const CellField<double>& q, CellField<double>& p) {
  const int cells = p.layout().cells_per_block();
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < p.layout().n_blocks(); ++b)
    for (int c = 0; c < cells; ++c) p.block(b)[c] += q.block(b)[c];
}

}  // namespace freshet
